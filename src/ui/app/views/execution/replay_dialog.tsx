/** The dialog of a replay: from which task, with which revision and which inputs. */
import { useSignal } from "@preact/signals";
import { get, send } from "../../api/client.ts";
import type { ExecutionInfo } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { attempt } from "../../kit/feedback.tsx";
import { InputForm, useInputValues } from "../../kit/input_form.tsx";
import { t } from "../../texts/mod.ts";
import { FormDialog } from "./change_dialogs.tsx";
import { executionHref } from "./execution_links.tsx";
import { taskRunTitle } from "./failure.ts";

/** Task runs that one can choose from; a longer list would not help. */
const MAX_CHOICES = 500;

interface ReplayDialogProps {
  readonly execution: ExecutionInfo;
  readonly onClose: () => void;
  /** The task to begin with; absent: the first one. */
  readonly from?: string;
}

/** The dialog; the page of the new execution follows. */
export function ReplayDialog({ execution, onClose, from = "" }: ReplayDialogProps) {
  const { id, namespace, flowId, flowRevision, inputs } = execution;
  const taskRunId = useSignal(from);
  const revision = useSignal("");
  const changesInputs = useSignal(false);
  const flow = useResource(
    "flow",
    (signal) => get<{ revision: number }>(apiPath("flows", namespace, flowId), {}, signal),
  );
  const latest = flow.data?.revision;
  const checkPath = `${apiPath("executions", namespace, flowId, "validate")}?revision=${
    revision.value || flowRevision
  }`;
  const values = useInputValues(checkPath, inputs);
  const replay = async () => {
    if (changesInputs.value && !await values.validate()) return;
    const action = changesInputs.value ? "replay-with-inputs" : "replay";
    const query = { taskRunId: taskRunId.value, revision: revision.value };
    const body = changesInputs.value ? values.data() : undefined;
    const path = apiPath("executions", id, "actions", action);
    const started = await attempt(
      () => send<ExecutionInfo>("POST", path, { query, body }),
      t("execution.replayed"),
    );
    if (!started) return;
    onClose();
    navigate(executionHref(started));
  };
  return (
    <FormDialog title={t("execution.action.replay")} action={replay} onClose={onClose}>
      <p class="dim">{t("execution.replayHint")}</p>
      <TaskChoice execution={execution} value={taskRunId.value} set={(next) => taskRunId.value = next} />
      <label class="field">
        <span>{t("execution.revision")}</span>
        <select value={revision.value} onChange={(event) => revision.value = event.currentTarget.value}>
          <option value="">{t("execution.sameRevision", { revision: flowRevision })}</option>
          {latest !== undefined && latest !== flowRevision && (
            <option value={latest}>{t("execution.latestRevision", { revision: latest })}</option>
          )}
        </select>
      </label>
      {inputs !== undefined && (
        <label class="check-field">
          <input
            type="checkbox"
            checked={changesInputs.value}
            onChange={(event) => changesInputs.value = event.currentTarget.checked}
          />
          {t("execution.changeInputs")}
        </label>
      )}
      {changesInputs.value && <InputForm values={values} />}
    </FormDialog>
  );
}

function TaskChoice({ execution, value, set }: {
  readonly execution: ExecutionInfo;
  readonly value: string;
  readonly set: (id: string) => void;
}) {
  const { taskRunList = [] } = execution;
  const chosen = taskRunList.filter(({ id }, index) => index < MAX_CHOICES || id === value);
  return (
    <label class="field">
      <span>{t("execution.replayFrom")}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{t("execution.fromStart")}</option>
        {chosen.map((taskRun) => (
          <option key={taskRun.id} value={taskRun.id}>
            {taskRunTitle(taskRun)} – {taskRun.state.current}
          </option>
        ))}
      </select>
    </label>
  );
}
