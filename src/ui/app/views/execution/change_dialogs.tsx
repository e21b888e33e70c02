/** Dialogs that change one execution: the form of a resume, the state, the labels. */
import { useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import type { LabelInfo } from "../../api/entities.ts";
import type { ExecutionInfo, TaskRunInfo } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { FormDialog } from "../../kit/form.tsx";
import { InputForm, useInputValues } from "../../kit/input_form.tsx";
import { t } from "../../texts/mod.ts";
import { taskRunTitle } from "./failure.ts";

interface DialogProps {
  readonly execution: ExecutionInfo;
  /** Called after the change. */
  readonly changed: () => Promise<void>;
  readonly onClose: () => void;
}

const STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;

/** The inputs of a pause. */
export function ResumeDialog({ execution, changed, onClose }: DialogProps) {
  const path = apiPath("executions", execution.id, "actions", "resume");
  const values = useInputValues(`${path}/validate`);
  const onSend = async () => await values.validate() && await send("POST", path, { body: values.data() });
  return (
    <FormDialog
      title={t("execution.action.resume")}
      done={t("execution.resumed")}
      onSend={onSend}
      onSent={changed}
      onClose={onClose}
    >
      <InputForm values={values} />
    </FormDialog>
  );
}

/** The state of an ended execution, or of one of its task runs. */
export function StateDialog(
  { execution, changed, onClose, taskRun }: DialogProps & { readonly taskRun?: TaskRunInfo },
) {
  const state = useSignal<string>("SUCCESS");
  return (
    <FormDialog
      title={t("execution.action.changeState")}
      done={t("execution.done")}
      onSend={() => setState(execution, taskRun, state.value)}
      onSent={changed}
      onClose={onClose}
    >
      {taskRun && <p>{t("execution.ofTask", { task: taskRunTitle(taskRun) })}</p>}
      <label class="field">
        <span>{t("common.state")}</span>
        <select value={state.value} onChange={(event) => state.value = event.currentTarget.value}>
          {STATES.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </label>
    </FormDialog>
  );
}

function setState({ id }: ExecutionInfo, taskRun: TaskRunInfo | undefined, state: string): Promise<unknown> {
  if (!taskRun) {
    return send("POST", apiPath("executions", id, "actions", "change-status"), { query: { status: state } });
  }
  const body = { taskRunId: taskRun.id, state };
  return send("POST", apiPath("executions", id, "actions", "state"), { body });
}

/** The labels that a person may set. */
export function LabelsDialog({ execution, changed, onClose }: DialogProps) {
  const labels = useSignal<readonly LabelInfo[]>(withEmptyRow(
    execution.labels?.filter(({ key }) => !key.startsWith("system.")) ?? [],
  ));
  const edit = (index: number, change: Partial<LabelInfo>) => {
    const next = labels.value.map((label, at) => at === index ? { ...label, ...change } : label);
    labels.value = withEmptyRow(next);
  };
  const onSend = () => {
    const body = labels.value.filter(({ key }) => key !== "");
    return send("POST", apiPath("executions", execution.id, "actions", "labels"), { body });
  };
  return (
    <FormDialog
      title={t("execution.action.labels")}
      done={t("execution.labelsSet")}
      onSend={onSend}
      onSent={changed}
      onClose={onClose}
    >
      {labels.value.map(({ key, value }, index) => (
        <div key={index} class="label-row">
          <input
            aria-label={t("execution.labelKey")}
            placeholder={t("execution.labelKey")}
            value={key}
            onInput={(event) => edit(index, { key: event.currentTarget.value })}
          />
          <input
            aria-label={t("execution.labelValue")}
            placeholder={t("execution.labelValue")}
            value={value}
            onInput={(event) => edit(index, { value: event.currentTarget.value })}
          />
        </div>
      ))}
    </FormDialog>
  );
}

function withEmptyRow(labels: readonly LabelInfo[]): readonly LabelInfo[] {
  return labels.at(-1)?.key === "" ? labels : [...labels, { key: "", value: "" }];
}
