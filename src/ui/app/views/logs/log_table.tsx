/** Log lines of several executions. */
import { urlQuery } from "../../api/client.ts";
import type { LogRow } from "../../api/entities.ts";
import { pagePath } from "../../core/places.ts";
import { query } from "../../core/router.ts";
import { dateTimeText, lineTimeText } from "../../core/time.ts";
import { AnsiText } from "../../kit/ansi.tsx";
import { t } from "../../texts/mod.ts";

interface LogTableProps {
  readonly lines: readonly LogRow[];
  /** What tells the lines apart; `execution` where all are of one flow. */
  readonly source?: "flow" | "execution";
}

/** The lines in their order; the time leads to the log of the execution. */
export function LogTable({ lines, source = "flow" }: LogTableProps) {
  const keys = keysOf(lines);
  return (
    <div class="table log-search">
      <table aria-label={t("logs.title")}>
        <thead>
          <tr>
            <th>{t("logs.time")}</th>
            <th>{t("logs.level")}</th>
            <th>{t(source === "flow" ? "common.flow" : "executions.id")}</th>
            <th>{t("logs.task")}</th>
            <th>{t("logs.message")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => <LineRow key={keys[index]} line={line} source={source} />)}
        </tbody>
      </table>
    </div>
  );
}

/**
 * Keys that stay when lines are added, so that rows keep clicks and selections of text. Lines with the same content look
 * the same: numbers are enough to tell them apart.
 */
function keysOf(lines: readonly LogRow[]): string[] {
  const counts = new Map<string, number>();
  return lines.map(({ executionId, taskRunId, timestamp, message }) => {
    const content = `${executionId} ${taskRunId} ${timestamp} ${message}`;
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return `${count} ${content}`;
  });
}

function LineRow({ line, source }: Required<Pick<LogTableProps, "source">> & { readonly line: LogRow }) {
  const { taskId, triggerId, timestamp, level, message } = line;
  return (
    <tr class={`line ${level.toLowerCase()}`}>
      <td class="mono">
        <a href={hrefOf(line)} title={dateTimeText(timestamp)}>{lineTimeText(timestamp)}</a>
      </td>
      <td>
        <span class="level">{level}</span>
      </td>
      <td>{source === "flow" ? <FlowOf line={line} /> : <ExecutionOf line={line} />}</td>
      <td class="task">{taskId ?? triggerId ?? ""}</td>
      <td class="mono message">
        <AnsiText text={message} mark={query.value.get("q")?.toLowerCase()} />
      </td>
    </tr>
  );
}

function FlowOf({ line: { namespace, flowId } }: { readonly line: LogRow }) {
  return (
    <a href={pagePath("flows", "edit", namespace, flowId)}>
      <span class="dim">{namespace}.</span>
      <wbr />
      {flowId}
    </a>
  );
}

/** A line of a trigger belongs to no execution. */
function ExecutionOf({ line: { namespace, flowId, executionId } }: { readonly line: LogRow }) {
  if (executionId === undefined) return null;
  return <a class="mono" href={pagePath("executions", namespace, flowId, executionId)}>{executionId}</a>;
}

/** The lines of the same task run, or those of the flow for a line that belongs to no execution. */
function hrefOf({ namespace, flowId, executionId, taskRunId }: LogRow): string {
  return executionId === undefined
    ? pagePath("flows", "edit", namespace, flowId, "logs")
    : pagePath("executions", namespace, flowId, executionId, "logs") + urlQuery({ task: taskRunId });
}
