/** The first tab: what failed or what it waits for, the states, the tasks, the values, the executions it started. */
import type { ComponentChildren } from "preact";
import { get, type Page } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { type ExecutionInfo, hasEnded, missingTaskRuns, type TaskRunInfo } from "../../api/execution.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { FileLink, isFileUri } from "../../kit/file_preview.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { ValueTree } from "../../kit/value_tree.tsx";
import { Duration, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { executionHref } from "./execution_links.tsx";
import { ExecutionNotices } from "./execution_notices.tsx";
import { taskRunTitle } from "./failure.ts";

/** Task runs that are shown here; the Gantt chart has all. */
const MAX_TASKS = 12;
const MAX_CHILDREN = 10;
const REFRESH_MS = 5_000;

/** The tab. */
export function ExecutionOverview({ execution }: { readonly execution: ExecutionInfo }) {
  const { inputs, outputs, variables, trigger } = execution;
  return (
    <>
      <ExecutionNotices execution={execution} />
      <div class="overview">
        <Tasks execution={execution} />
        <States execution={execution} />
        <Values title={t("execution.inputs")} value={inputs} path="inputs" execution={execution} />
        <Values title={t("execution.outputs")} value={outputs} path="outputs" execution={execution} />
        <Values title={t("execution.variables")} value={variables} path="vars" execution={execution} />
        <Values
          title={t("execution.triggerValues")}
          value={trigger?.variables}
          path="trigger"
          execution={execution}
        />
        <Children execution={execution} />
      </div>
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Tasks({ execution }: { readonly execution: ExecutionInfo }) {
  const { taskRunList = [] } = execution;
  const count = taskRunList.length + missingTaskRuns(execution);
  const top = taskRunList.filter(({ parentTaskRunId }) => parentTaskRunId === undefined);
  return (
    <Section title={t("execution.tasks")}>
      {top.length === 0
        ? <p class="dim">{t(hasEnded(execution) ? "execution.noTasks" : "execution.noTasksYet")}</p>
        : (
          <ul class="task-list">
            {top.slice(0, MAX_TASKS).map((each) => (
              <Task
                key={each.id}
                execution={execution}
                taskRun={each}
              />
            ))}
          </ul>
        )}
      {count > top.length || top.length > MAX_TASKS
        ? (
          <p>
            <a href={executionHref(execution, "gantt")}>
              {t("execution.allTasks", { count })}
            </a>
          </p>
        )
        : null}
    </Section>
  );
}

function Task({ execution, taskRun }: { readonly execution: ExecutionInfo; readonly taskRun: TaskRunInfo }) {
  const { id, state } = taskRun;
  return (
    <li>
      <StateBadge state={state.current} />
      <a href={executionHref(execution, "gantt", { task: id })}>{taskRunTitle(taskRun)}</a>
      <span class="num">
        <Duration from={state.startDate} to={state.endDate} />
      </span>
    </li>
  );
}

function States({ execution: { state } }: { readonly execution: ExecutionInfo }) {
  const { histories } = state;
  return (
    <Section title={t("execution.states")}>
      <ol class="task-list">
        {histories.map(({ state: each, date }, index) => {
          const next = histories[index + 1]?.date;
          const isLast = next === undefined && state.endDate !== undefined;
          return (
            <li key={index}>
              <StateBadge state={each} />
              <Time at={date} />
              <span class="num">{!isLast && <Duration from={date} to={next} />}</span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function Values({ title, value, path, execution }: {
  readonly title: string;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly path: string;
  readonly execution: ExecutionInfo;
}) {
  if (!value || Object.keys(value).length === 0) return null;
  const special = (text: string) =>
    isFileUri(text) ? <FileLink executionId={execution.id} uri={text} /> : undefined;
  return (
    <Section title={title}>
      <ValueTree value={value} path={path} special={special} />
    </Section>
  );
}

/** Executions that this one started; nothing without any. */
function Children({ execution }: { readonly execution: ExecutionInfo }) {
  const query = { triggerExecutionId: execution.id, size: MAX_CHILDREN, sort: "state.startDate:desc" };
  const list = useResource(
    `children/${execution.id}`,
    (signal) => get<Page<ExecutionRow>>("/executions/search", query, signal),
    { refreshMs: hasEnded(execution) ? undefined : REFRESH_MS },
  );
  if (list.data?.total === 0 || !list.data && !list.error) return null;
  return (
    <Section title={t("execution.children")}>
      <Loaded resource={list}>
        {({ results, total }) => (
          <>
            <ul class="task-list">
              {results.map((child) => (
                <li key={child.id}>
                  <StateBadge state={child.state.current} />
                  <a href={executionHref(child)}>
                    {child.flowId} <span class="mono dim">{child.id}</span>
                  </a>
                  <span class="num">
                    <Duration from={child.state.startDate} to={child.state.endDate} />
                  </span>
                </li>
              ))}
            </ul>
            {total > results.length && (
              <a href={`${pagePath("executions")}?triggerExecutionId=${execution.id}`}>
                {t("execution.allChildren", { count: total })}
              </a>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
