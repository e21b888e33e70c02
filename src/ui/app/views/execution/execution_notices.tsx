/** The most important fact of an execution: why it failed, or what it waits for. */
import { get, type Page } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded, type LogEntry, type WaitingInfo } from "../../api/execution.ts";
import { durationText, now } from "../../core/time.ts";
import { useResource } from "../../core/resource.ts";
import { AnsiText } from "../../kit/ansi.tsx";
import { Loaded } from "../../kit/feedback.tsx";
import { Duration, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { executionHref, ExecutionLink } from "./execution_links.tsx";
import { childIdOf, type Failure, failureOf, taskRunTitle } from "./failure.ts";

const MAX_LINES = 20;

/** What a person should see first; nothing for an execution that works or has succeeded. */
export function ExecutionNotices({ execution }: { readonly execution: ExecutionInfo }) {
  const { state, waiting } = execution;
  if (waiting) return <Waiting execution={execution} waiting={waiting} />;
  if (state.current === "FAILED") return <Failed execution={execution} failure={failureOf(execution)} />;
  return null;
}

function Failed({ execution, failure }: {
  readonly execution: ExecutionInfo;
  readonly failure: Failure | undefined;
}) {
  const { taskRun, others = [] } = failure ?? {};
  const child = taskRun && childIdOf(taskRun);
  const attempts = taskRun?.attempts?.length ?? 1;
  return (
    <section class="notice bad failure" aria-label={t("execution.failure")}>
      <p>
        <strong>
          {taskRun ? t("execution.failedIn", { task: taskRunTitle(taskRun) }) : t("execution.failed")}
        </strong>{" "}
        {attempts > 1 && <span>{t("execution.afterAttempts", { count: attempts })}</span>}
        {taskRun && (
          <span class="dim">
            {" "}
            <Duration from={taskRun.state.startDate} to={taskRun.state.endDate} />
          </span>
        )}
      </p>
      {child && (
        <p>
          {t("execution.failedChild")} <ExecutionLink id={child} />
        </p>
      )}
      <ErrorLines execution={execution} taskRunId={taskRun?.id} />
      <p class="actions">
        <a class="button" href={executionHref(execution, "logs", taskRun && { task: taskRun.id })}>
          {t("execution.logsOfTask")}
        </a>
        {taskRun && (
          <a class="button" href={executionHref(execution, "gantt", { task: taskRun.id })}>
            {t("execution.showTask")}
          </a>
        )}
      </p>
      {others.length > 0 && (
        <p class="dim">
          {t("execution.alsoFailed")} {others.slice(0, MAX_LINES).map(taskRunTitle).join(", ")}
          {others.length > MAX_LINES && " …"}
        </p>
      )}
    </section>
  );
}

/** The last lines of level ERROR; without a task those of the whole execution. */
export function ErrorLines({ execution: { id }, taskRunId }: {
  readonly execution: ExecutionInfo;
  readonly taskRunId: string | undefined;
}) {
  const query = {
    executionId: id,
    minLevel: "ERROR",
    "filters[taskRunId][EQUALS]": taskRunId,
    sort: "timestamp:desc",
    size: MAX_LINES,
  };
  const lines = useResource(
    `${id}/${taskRunId}`,
    (signal) => get<Page<LogEntry>>("/logs/search", query, signal),
  );
  return (
    <Loaded resource={lines} rows={2}>
      {({ results }) =>
        results.length === 0 ? <p class="dim">{t("execution.noErrorLines")}</p> : (
          <pre tabIndex={0}>
            {ofLastAttempt(results).map(({ message }, index) => (
              <div key={index}>
                <AnsiText text={message} />
              </div>
            ))}
          </pre>
        )}
    </Loaded>
  );
}

/** The lines come newest first. */
function ofLastAttempt(lines: readonly LogEntry[]): readonly LogEntry[] {
  const [last] = lines;
  const isSame = (line: LogEntry) =>
    line.taskRunId === last?.taskRunId && line.attemptNumber === last?.attemptNumber;
  return lines.filter(isSame).toReversed();
}

function Waiting(
  { execution, waiting }: { readonly execution: ExecutionInfo; readonly waiting: WaitingInfo },
) {
  if (hasEnded(execution)) return null;
  const { since, until, executionId } = waiting;
  return (
    <section class="notice" role="status" aria-label={t("execution.waiting")}>
      <p>
        <strong>{waitingText(waiting)}</strong> {executionId && <ExecutionLink id={executionId} />}{" "}
        <span class="dim">
          {t("execution.since")} <Time at={since} />
          {until && <>· {t("execution.until", { duration: leftText(until) })}</>}
        </span>
      </p>
    </section>
  );
}

function leftText(until: string): string {
  return durationText(Math.ceil((Date.parse(until) - now.value) / 1_000));
}

/** Why an execution waits, in words. */
function waitingText(
  { reason, taskId = "", taskIds = [], ahead, running, limit, total, ended, group = "", isConnected }:
    WaitingInfo,
): string {
  switch (reason) {
    case "SCHEDULED":
      return t("execution.waits.scheduled");
    case "QUEUED":
      return limit === undefined
        ? t("execution.waits.queued")
        : t("execution.waits.queuedBehind", { ahead: ahead ?? 0, running: running ?? 0, limit });
    case "HELD":
      return t("execution.waits.held");
    case "PAUSED":
      return t("execution.waits.paused", { task: taskId });
    case "BREAKPOINT":
      return t("execution.waits.breakpoint", { tasks: taskIds.join(", ") });
    case "RETRY":
      return t("execution.waits.retry", { task: taskId });
    case "TIMER":
      return t("execution.waits.timer", { task: taskId });
    case "SUBFLOW":
      return total === undefined
        ? t("execution.waits.subflow", { task: taskId })
        : t("execution.waits.subflows", { task: taskId, ended: ended ?? 0, total });
    case "WORKER":
      return t(isConnected ? "execution.waits.worker" : "execution.waits.noWorker", { task: taskId, group });
    default:
      return t("execution.waits.other", { reason });
  }
}
