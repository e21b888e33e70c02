/** Beside the source: the last execution, and what the task under the cursor did in it. */
import { useSignal } from "@preact/signals";
import type { ExecutionInfo, TaskRunInfo } from "../../api/execution.ts";
import { pagePath } from "../../core/places.ts";
import type { Resource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { FileLink, isFileUri } from "../../kit/file_preview.tsx";
import { StateBadge, toneOf } from "../../kit/state_badge.tsx";
import { memberPath, ValueTree } from "../../kit/value_tree.tsx";
import { Duration, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { ErrorLines } from "../execution/execution_notices.tsx";
import type { EditorModel } from "./editor_state.ts";
import { type LastRun, summaryOf } from "./last_run.ts";

interface PanelProps {
  readonly model: EditorModel;
  readonly run: Resource<LastRun>;
}

/** The panel. */
export function LastRunPanel({ model, run }: PanelProps) {
  return (
    <div class="editor-docs">
      <Loaded resource={run}>
        {({ execution, taskRuns }) => {
          if (!execution) return <p class="dim">{t("editor.noRun")}</p>;
          const taskId = model.taskId.value;
          return (
            <>
              <Head execution={execution} revision={model.revision.value} />
              {taskId === undefined
                ? <Summary model={model} execution={execution} taskRuns={taskRuns} />
                : (
                  <TaskValues
                    key={`${execution.id} ${taskId}`}
                    execution={execution}
                    taskId={taskId}
                    taskRuns={taskRuns.get(taskId) ?? []}
                  />
                )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function Head({ execution, revision }: {
  readonly execution: ExecutionInfo;
  readonly revision: number | undefined;
}) {
  const { namespace, flowId, flowRevision, id, state } = execution;
  return (
    <p class="run-head">
      <StateBadge state={state.current} />
      <a href={pagePath("executions", namespace, flowId, id)}>{t("editor.openRun")}</a>
      <Time at={state.startDate} />
      <Duration from={state.startDate} to={state.endDate} />
      {flowRevision !== revision && (
        <span class="label">{t("flows.revisionOf", { revision: flowRevision })}</span>
      )}
    </p>
  );
}

/** All tasks, when the cursor is in none. */
function Summary({ model, execution, taskRuns }: LastRun & {
  readonly model: EditorModel;
  readonly execution: ExecutionInfo;
}) {
  const { inputs = {} } = execution;
  return (
    <>
      <ul class="run-tasks" aria-label={t("editor.runTasks")}>
        {[...taskRuns].map(([taskId, runs]) => {
          const summary = summaryOf(runs);
          return (
            <li key={taskId}>
              <button type="button" class="plain" onClick={() => model.goToTask(taskId)}>{taskId}</button>
              {runs.length > 1 && <span class="dim num">{runs.length} ×</span>}
              {summary && <StateBadge state={summary.state} />}
            </li>
          );
        })}
      </ul>
      <p class="dim">{t("editor.runHint")}</p>
      {Object.keys(inputs).length > 0 && (
        <>
          <h3>{t("flows.inputs")}</h3>
          <ValueTree value={inputs} path="inputs" special={fileIn(execution)} />
        </>
      )}
    </>
  );
}

function TaskValues({ execution, taskId, taskRuns }: {
  readonly execution: ExecutionInfo;
  readonly taskId: string;
  readonly taskRuns: readonly TaskRunInfo[];
}) {
  const chosen = useSignal(0);
  const taskRun = taskRuns[chosen.value] ?? taskRuns[0];
  if (!taskRun) return <p class="dim">{t("editor.taskNotRun", { task: taskId })}</p>;
  const { id, state, value, outputs = {} } = taskRun;
  const path = memberPath("outputs", taskId);
  const logs = `${
    pagePath("executions", execution.namespace, execution.flowId, execution.id, "logs")
  }?task=${id}`;
  return (
    <section aria-label={t("editor.valuesOf", { task: taskId })}>
      <h2>{taskId}</h2>
      {taskRuns.length > 1 && (
        <select
          aria-label={t("editor.runOf", { task: taskId })}
          value={String(chosen.value)}
          onChange={(event) => chosen.value = Number(event.currentTarget.value)}
        >
          {taskRuns.map(({ value, iteration, state }, index) => (
            <option key={index} value={String(index)}>
              {`${iteration ?? index} · ${value ?? ""} · ${state.current}`}
            </option>
          ))}
        </select>
      )}
      <p class="run-head">
        <StateBadge state={state.current} />
        <Duration from={state.startDate} to={state.endDate} />
        <a href={logs}>{t("flows.tab.logs")}</a>
      </p>
      {toneOf(state.current) === "bad" && <ErrorLines execution={execution} taskRunId={id} />}
      {Object.keys(outputs).length === 0 ? <p class="dim">{t("editor.noOutputs")}</p> : (
        <ValueTree
          key={id}
          value={outputs}
          path={value === undefined ? path : memberPath(path, value)}
          special={fileIn(execution)}
        />
      )}
    </section>
  );
}

function fileIn({ id }: ExecutionInfo) {
  return (text: string) => isFileUri(text) ? <FileLink executionId={id} uri={text} /> : undefined;
}
