/** Actions on the triggers that are selected. */
import { send } from "../../api/client.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { keyOf, type TriggerKey } from "./trigger.ts";

function showCount(action: string, count: number, total: number): void {
  showToast("good", t("triggers.changedAll", { action, count, total }));
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
  readonly keys: readonly TriggerKey[];
  readonly done: () => Promise<void>;
}

/** A bar of buttons. */
export function TriggerBulkBar({ keys, done }: TriggerBulkProps) {
  const run = async ({ title, path, disabled, isDangerous }: BulkAction) => {
    const action = t(title);
    const text = t("triggers.confirmAll", { action, count: keys.length });
    if (isDangerous && !await confirmed({ title: action, text, action, isDangerous })) return;
    const triggers = keys.map(keyOf);
    const body = disabled === undefined ? triggers : { triggers, disabled };
    const result = await attempt(() =>
      send<{ readonly count: number }>("POST", `/triggers/${path}/by-triggers`, { body })
    );
    if (result) showCount(action, result.count, keys.length);
    await done();
  };
  return (
    <div class="bulk" role="toolbar" aria-label={t("common.actions")}>
      <span>{t("common.selected", { count: keys.length })}</span>
      {ACTIONS.map((action) => (
        <button key={action.title} type="button" onClick={() => void run(action)}>{t(action.title)}</button>
      ))}
    </div>
  );
}
