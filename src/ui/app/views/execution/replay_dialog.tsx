/** The dialog of a replay: from which task, with which revision, inputs and outputs of earlier tasks. */
import { useSignal } from "@preact/signals";
import { get, send } from "../../api/client.ts";
import type { ExecutionInfo, JsonRecord, TaskRunInfo } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { FormDialog } from "../../kit/form.tsx";
import { InputForm, useInputValues } from "../../kit/input_form.tsx";
import { t } from "../../texts/mod.ts";
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
  const checkPath = (wanted: string | number) =>
    `${apiPath("executions", namespace, flowId, "validate")}?revision=${wanted}`;
  const values = useInputValues(checkPath(flowRevision), readable(inputs));
  const setRevision = (wanted: string) => {
    revision.value = wanted;
    values.checkWith(checkPath(wanted || flowRevision));
  };
  const edited = useSignal<EditedOutputs>(new Map());
  const onSend = async () => {
    if (changesInputs.value && !await values.validate()) return false;
    if ([...edited.value.values()].some((text) => objectOf(text) === undefined)) return false;
    const action = changesInputs.value ? "replay-with-inputs" : "replay";
    const query = { taskRunId: taskRunId.value, revision: revision.value };
    const body = changesInputs.value ? values.data() : outputsBody(edited.value);
    const path = apiPath("executions", id, "actions", action);
    return await send<ExecutionInfo>("POST", path, { query, body });
  };
  return (
    <FormDialog
      title={t("execution.action.replay")}
      done={t("execution.replayed")}
      onSend={onSend}
      onSent={(started) => navigate(executionHref(started))}
      onClose={onClose}
    >
      <p class="dim">{t("execution.replayHint")}</p>
      <TaskChoice
        execution={execution}
        value={taskRunId.value}
        set={(next) => (taskRunId.value = next, edited.value = new Map())}
      />
      <RevisionChoice execution={execution} value={revision.value} set={setRevision} />
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
      {taskRunId.value !== "" && !changesInputs.value && (
        <OutputChanges
          execution={execution}
          from={taskRunId.value}
          edited={edited.value}
          edit={(next) => edited.value = next}
        />
      )}
    </FormDialog>
  );
}

/** Inputs whose values can be sent again: those of type SECRET come encrypted, and have to be given anew. */
function readable(inputs: JsonRecord | undefined): JsonRecord | undefined {
  const isSecret = (value: unknown) =>
    typeof value === "object" && value !== null && "type" in value &&
    /:aes_encrypted$/.test(String(value.type));
  return inputs && Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isSecret(value)));
}

/** JSON texts of outputs, by id of the task run. */
type EditedOutputs = ReadonlyMap<string, string>;

function objectOf(text: string): JsonRecord | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function outputsBody(edited: EditedOutputs): unknown {
  if (edited.size === 0) return undefined;
  return { outputs: Object.fromEntries([...edited].map(([id, text]) => [id, objectOf(text)])) };
}

/** Outputs of earlier task runs as JSON that can be changed. */
function OutputChanges({ execution: { taskRunList = [] }, from, edited, edit }: {
  readonly execution: ExecutionInfo;
  readonly from: string;
  readonly edited: EditedOutputs;
  readonly edit: (next: EditedOutputs) => void;
}) {
  const earlier = taskRunList.slice(0, taskRunList.findIndex(({ id }) => id === from))
    .filter(({ id, outputs = {} }) => Object.keys(outputs).length > 0 && !edited.has(id));
  const set = (id: string, text: string) => edit(new Map([...edited, [id, text]]));
  const add = (id: string) => {
    const found = earlier.find((taskRun) => taskRun.id === id);
    if (found) set(id, JSON.stringify(found.outputs, null, 2));
  };
  return (
    <>
      {[...edited].map(([id, text]) => (
        <label key={id} class="field">
          <span>{t("execution.outputsOf", { task: titleOf(taskRunList, id) })}</span>
          <textarea
            class="mono"
            rows={5}
            spellcheck={false}
            aria-invalid={objectOf(text) === undefined}
            value={text}
            onInput={(event) => set(id, event.currentTarget.value)}
          />
          {objectOf(text) === undefined && (
            <small class="problem" role="alert">{t("execution.noObject")}</small>
          )}
        </label>
      ))}
      {earlier.length > 0 && (
        <label class="field">
          <span>{t("execution.changeOutputs")}</span>
          <select value="" onChange={(event) => add(event.currentTarget.value)}>
            <option value="">{t("execution.chooseTask")}</option>
            {earlier.slice(-MAX_CHOICES).map((taskRun) => (
              <option key={taskRun.id} value={taskRun.id}>{taskRunTitle(taskRun)}</option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

function titleOf(taskRuns: readonly TaskRunInfo[], wanted: string): string {
  const found = taskRuns.find(({ id }) => id === wanted);
  return found ? taskRunTitle(found) : wanted;
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

/** The revision of the execution, or the latest one of its flow. */
function RevisionChoice({ execution: { namespace, flowId, flowRevision }, value, set }: {
  readonly execution: ExecutionInfo;
  /** Empty: that of the execution. */
  readonly value: string;
  readonly set: (revision: string) => void;
}) {
  const flow = useResource(
    "flow",
    (signal) => get<{ revision: number }>(apiPath("flows", namespace, flowId), {}, signal),
  );
  const latest = flow.data?.revision;
  return (
    <label class="field">
      <span>{t("execution.revision")}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{t("execution.sameRevision", { revision: flowRevision })}</option>
        {latest !== undefined && latest !== flowRevision && (
          <option value={latest}>{t("execution.latestRevision", { revision: latest })}</option>
        )}
      </select>
    </label>
  );
}
