/** Actions on the triggers that are selected, or on all that match the filters. */
import { type Query, send } from "../../api/client.ts";
import { countText } from "../../core/numbers.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { keyOf, setAllDisabled, type TriggerKey } from "./trigger.ts";

/** Triggers by their keys, or all that match filters; `count` is the number that a person has seen. */
export interface TriggerTarget {
  readonly count: number;
  readonly keys?: readonly TriggerKey[];
  readonly filters?: Query;
}

interface BulkAction {
  readonly title: TextName;
  readonly path: string;
  /** Of a change that is the value of `disabled`. */
  readonly disabled?: boolean;
  /** It takes something away. */
  readonly isDangerous?: boolean;
}

const ACTIONS: readonly BulkAction[] = [
  { title: "triggers.enableAll", path: "set-disabled", disabled: false },
  { title: "triggers.disableAll", path: "set-disabled", disabled: true },
  { title: "triggers.unlock", path: "unlock" },
  { title: "triggers.pauseBackfill", path: "backfill/pause" },
  { title: "triggers.continueBackfill", path: "backfill/unpause" },
  { title: "triggers.deleteBackfill", path: "backfill/delete", isDangerous: true },
];

interface TriggerBulkProps {
  readonly target: TriggerTarget;
  /** Number of all that match the filters; the person can extend the selection to them. */
  readonly total: number;
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** Called with what an action was done on. */
  readonly done: (target: TriggerTarget) => void;
  readonly reload: () => Promise<void>;
}

/** A bar of buttons. */
export function TriggerBulkBar({ target, total, selectAll, clear, done, reload }: TriggerBulkProps) {
  const run = async (action: BulkAction) => {
    if (!await isWanted(action, target)) return;
    const title = t(action.title);
    const result = await attempt(() => sendTo(action, target));
    if (result) {
      const text = t("triggers.changedAll", { action: title, count: result.count, total: target.count });
      showToast("good", text, undoOf(action, target, reload));
      done(target);
    }
    await reload();
  };
  return (
    <div class="bulk" role="toolbar" aria-label={t("common.actions")}>
      <span>{t("common.selected", { count: countText(target.count) })}</span>
      {target.keys && total > target.count && (
        <button type="button" class="plain link" onClick={selectAll}>
          {t("executions.selectAll", { count: countText(total) })}
        </button>
      )}
      {ACTIONS.map((action) => (
        <button
          key={action.title}
          type="button"
          class={action.isDangerous ? "danger" : ""}
          onClick={() => void run(action)}
        >
          {t(action.title)}
        </button>
      ))}
      <button type="button" class="plain" onClick={clear}>{t("executions.unselect")}</button>
    </div>
  );
}

/** Asks before what takes something away; all that match need a typed phrase. */
async function isWanted(
  { title, isDangerous }: BulkAction,
  { keys, count }: TriggerTarget,
): Promise<boolean> {
  if (keys && !isDangerous) return true;
  const action = t(title);
  const question = t("triggers.confirmAll", { action, count });
  const text = keys ? question : (
    <>
      <p>{question}</p>
      <p>{t("executions.phrase")}</p>
    </>
  );
  const phrase = keys ? undefined : `${action} ${count}`;
  return await confirmed({ title: action, text, action, isDangerous, phrase });
}

function sendTo(
  { path, disabled }: BulkAction,
  { keys, filters }: TriggerTarget,
): Promise<{ count: number }> {
  if (!keys) return send("POST", `/triggers/${path}/by-query`, { query: { ...filters, disabled } });
  const triggers = keys.map(keyOf);
  const body = disabled === undefined ? triggers : { triggers, disabled };
  return send("POST", `/triggers/${path}/by-triggers`, { body });
}

/** Only a change of known triggers can be taken back: those of a query may have changed before. */
function undoOf(
  { disabled }: BulkAction,
  { keys }: TriggerTarget,
  reload: () => Promise<void>,
): (() => void) | undefined {
  if (!keys || disabled === undefined) return undefined;
  return () => void attempt(() => setAllDisabled(keys, !disabled)).then(reload);
}
