/** Actions on the selected executions, or on all that match the filters. */
import { type Signal, useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import { may } from "../../core/access.ts";
import { isShortcut, useKeydown } from "../../core/keyboard.ts";
import { countText } from "../../core/numbers.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import { LabelsDialog, StateDialog } from "./bulk_dialogs.tsx";
import { type BulkAction, bulkRequest, type BulkTarget } from "./bulk_request.ts";

interface BulkBarProps {
  readonly target: BulkTarget;
  /** Number of all that match the filters; the person can extend the selection to them. */
  readonly total: number;
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** Called with what an action was done on. */
  readonly done: (target: BulkTarget) => void;
  readonly reload: () => Promise<void>;
}

const SIMPLE = ["restart", "replay", "resume", "kill", "delete"] as const;
const DANGEROUS: readonly string[] = ["kill", "delete"];

/** An open dialog, and what was selected when it was opened: a refresh can take those rows from the list. */
interface OpenDialog {
  readonly name: "labels" | "change-status";
  readonly target: BulkTarget;
}

/** The bar, shown while something is selected. */
export function BulkBar({ target, total, selectAll, clear, done, reload }: BulkBarProps) {
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const run = async (action: BulkAction, chosen: BulkTarget) => {
    dialog.value = undefined;
    if (await runBulk(action, chosen)) done(chosen);
    await reload();
  };
  return (
    <>
      {target.count > 0 && (
        <div class="bulk" role="toolbar" aria-label={t("common.actions")}>
          <span>{t("common.selected", { count: countText(target.count) })}</span>
          {target.ids && total > target.count && (
            <button type="button" class="plain link" onClick={selectAll}>
              {t("executions.selectAll", { count: countText(total) })}
            </button>
          )}
          {SIMPLE.map((name) => (
            <button
              key={name}
              type="button"
              class={DANGEROUS.includes(name) ? "danger" : ""}
              onClick={() => void run({ name }, target)}
            >
              {t(`executions.bulk.${name}`)}
            </button>
          ))}
          {(["labels", "change-status"] as const).map((name) => (
            <button
              key={name}
              type="button"
              onClick={() => dialog.value = { name, target }}
            >
              {t(`executions.bulk.${name}`)}
            </button>
          ))}
          <button type="button" class="plain" onClick={clear}>{t("executions.unselect")}</button>
        </div>
      )}
      <BulkDialog dialog={dialog} run={run} />
    </>
  );
}

function BulkDialog({ dialog, run }: {
  readonly dialog: Signal<OpenDialog | undefined>;
  readonly run: (action: BulkAction, target: BulkTarget) => Promise<void>;
}) {
  if (!dialog.value) return null;
  const { name, target } = dialog.value;
  const close = () => dialog.value = undefined;
  if (name === "labels") {
    return <LabelsDialog onClose={close} onLabels={(labels) => void run({ name, labels }, target)} />;
  }
  return <StateDialog onClose={close} onState={(state) => void run({ name, state }, target)} />;
}

/** `r` replays the selected executions; without a selection the one whose row has the focus. */
export function useReplayKey(selected: BulkTarget, done: (target: BulkTarget) => Promise<void>): void {
  const replay = async () => {
    const row = document.activeElement instanceof HTMLTableRowElement ? document.activeElement : undefined;
    const focused = row?.dataset.key;
    const target = selected.count === 0 && focused !== undefined ? { count: 1, ids: [focused] } : selected;
    if (target.count > 0 && await runBulk({ name: "replay" }, target)) await done(target);
  };
  useKeydown((event) => {
    if (event.key !== "r" || !isShortcut(event)) return;
    event.preventDefault();
    void replay();
  });
}

/** Runs an action after a confirmation; true if it worked. One on all that match needs a typed phrase. */
async function runBulk(action: BulkAction, target: BulkTarget): Promise<boolean> {
  if (!may("change")) return false;
  const title = t(`executions.bulk.${action.name}`);
  const isConfirmed = await confirmed({
    title,
    text: (
      <>
        <p>{t("executions.confirm", { action: title, count: countText(target.count) })}</p>
        {action.name === "delete" && <p>{t("executions.deleteHint")}</p>}
        {!target.ids && <p>{t("executions.phrase")}</p>}
      </>
    ),
    action: title,
    isDangerous: DANGEROUS.includes(action.name),
    phrase: target.ids ? undefined : `${action.name} ${target.count}`,
  });
  if (!isConfirmed) return false;
  const { method, path, query, body } = bulkRequest(action, target);
  const done = await attempt(
    () => send<{ readonly count: number }>(method, path, { query, body }),
    ({ count }) => t("executions.changed", { action: title, count: countText(count) }),
  );
  return done !== undefined;
}
