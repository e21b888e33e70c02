/** Dialogs of actions on many executions that need values. */
import { useSignal } from "@preact/signals";
import type { LabelInfo } from "../../api/entities.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { t } from "../../texts/mod.ts";
import { ASSIGNABLE_STATES, labelsIn } from "./bulk_request.ts";

/** Reads labels. */
export function LabelsDialog({ onLabels, onClose }: {
  readonly onLabels: (labels: readonly LabelInfo[]) => void;
  readonly onClose: () => void;
}) {
  const text = useSignal("");
  const labels = labelsIn(text.value);
  const isWrong = text.value.trim() !== "" && !labels;
  const actions = (
    <>
      <button type="button" onClick={onClose}>{t("common.cancel")}</button>
      <button type="button" class="primary" disabled={!labels} onClick={() => labels && onLabels(labels)}>
        {t("executions.bulk.labels")}
      </button>
    </>
  );
  return (
    <Dialog title={t("executions.bulk.labels")} onClose={onClose} actions={actions}>
      <label class="field">
        <span>{t("common.labels")}</span>
        <textarea
          rows={3}
          value={text.value}
          aria-invalid={isWrong}
          placeholder="team:sales, priority:high"
          onInput={(event) => text.value = event.currentTarget.value}
        />
        <small>{t("executions.labelsHint")}</small>
      </label>
    </Dialog>
  );
}

/** Reads a state. */
export function StateDialog({ onState, onClose }: {
  readonly onState: (state: string) => void;
  readonly onClose: () => void;
}) {
  const state = useSignal<string>(ASSIGNABLE_STATES[0]);
  const actions = (
    <>
      <button type="button" onClick={onClose}>{t("common.cancel")}</button>
      <button type="button" class="primary" onClick={() => onState(state.value)}>
        {t("executions.bulk.change-status")}
      </button>
    </>
  );
  return (
    <Dialog title={t("executions.bulk.change-status")} onClose={onClose} actions={actions}>
      <label class="field">
        <span>{t("executions.newState")}</span>
        <select value={state.value} onChange={(event) => state.value = event.currentTarget.value}>
          {ASSIGNABLE_STATES.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </label>
    </Dialog>
  );
}
