/** The chosen task run beside the chart: its states, attempts and outputs, and what one can do with it. */
import { useSignal } from "@preact/signals";
import { type ExecutionInfo, hasEnded, type TaskRunInfo } from "../../api/execution.ts";
import { May } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { setQuery } from "../../core/router.ts";
import { FileLink, isFileUri } from "../../kit/file_preview.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { ValueTree } from "../../kit/value_tree.tsx";
import { CopyButton, Duration, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { StateDialog } from "./change_dialogs.tsx";
import { executionHref, ExecutionLink } from "./execution_links.tsx";
import { childIdOf, outputsPath, titleInLoops } from "./failure.ts";
import type { GanttRow } from "./gantt_rows.ts";
import { ReplayDialog } from "./replay_dialog.tsx";

interface PanelProps {
  readonly execution: ExecutionInfo;
  /** Called after an action. */
  readonly changed: () => Promise<void>;
  readonly row: GanttRow;
}

/** The panel. */
export function TaskRunPanel({ execution, row, changed }: PanelProps) {
  const { taskRun, values, executionId } = row;
  const { id, taskId, state, outputs } = taskRun;
  const title = titleInLoops(taskId, values);
  const child = childIdOf(taskRun);
  return (
    <aside class="card task-panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          class="plain"
          aria-label={t("common.close")}
          onClick={() => setQuery({ task: undefined })}
        >
          ×
        </button>
      </header>
      <p>
        <StateBadge state={state.current} /> <Duration from={state.startDate} to={state.endDate} />
      </p>
      <p>
        <code>{id}</code> <CopyButton text={id} />
      </p>
      {executionId !== execution.id && (
        <p>
          {t("executions.id")} <ExecutionLink id={executionId} />
        </p>
      )}
      {child && (
        <p>
          {t("execution.child")} <ExecutionLink id={child} />
        </p>
      )}
      {executionId === execution.id
        ? <Buttons execution={execution} row={row} changed={changed} />
        : <a class="button" href={pagePath("executions", executionId)}>{t("execution.open")}</a>}
      <History taskRun={taskRun} />
      {outputs && Object.keys(outputs).length > 0 && (
        <>
          <h3>{t("execution.outputs")}</h3>
          <ValueTree
            key={id}
            value={outputs}
            path={outputsPath(taskId, values)}
            special={(text) =>
              isFileUri(text) ? <FileLink executionId={executionId} uri={text} /> : undefined}
          />
        </>
      )}
    </aside>
  );
}

/** Its states, and its attempts if there were several. */
function History({ taskRun: { state, attempts = [] } }: { readonly taskRun: TaskRunInfo }) {
  return (
    <>
      <h3>{t("execution.states")}</h3>
      <ol class="task-list">
        {state.histories.map(({ state: each, date }, index) => (
          <li key={index}>
            <StateBadge state={each} />
            <Time at={date} />
          </li>
        ))}
      </ol>
      {attempts.length > 1 && (
        <>
          <h3>{t("execution.attempts")}</h3>
          <ol class="task-list">
            {attempts.map(({ state: each }, index) => (
              <li key={index}>
                <span class="num">{index + 1}.</span>
                <StateBadge state={each.current} />
                <span class="num">
                  <Duration from={each.startDate} to={each.endDate} />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Buttons({ execution, row: { taskRun }, changed }: PanelProps) {
  const dialog = useSignal<"replay" | "state" | undefined>(undefined);
  const isAtRest = hasEnded(execution) || execution.state.current === "PAUSED";
  const why = isAtRest ? undefined : t("execution.why.mustHaveEnded", { state: execution.state.current });
  const close = () => dialog.value = undefined;
  return (
    <div class="actions">
      <a class="button" href={executionHref(execution, "logs", { task: taskRun.id })}>
        {t("execution.tab.logs")}
      </a>
      <May>
        <button type="button" disabled={!isAtRest} title={why} onClick={() => dialog.value = "replay"}>
          {t("execution.replayFromHere")}
        </button>
        <button type="button" disabled={!isAtRest} title={why} onClick={() => dialog.value = "state"}>
          {t("execution.action.changeState")}
        </button>
      </May>
      {dialog.value === "replay" && <ReplayDialog execution={execution} from={taskRun.id} onClose={close} />}
      {dialog.value === "state" && (
        <StateDialog execution={execution} taskRun={taskRun} changed={changed} onClose={close} />
      )}
    </div>
  );
}
