/** Numbers of log lines by level over time. Lines have no index: those of the newest executions are counted. */
import { type Clock, type Instant, toIso } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { partStart } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { LogConditions } from "../../model/executions/log_query.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import type { PacedQueue } from "../access/paced_queue.ts";
import { MAX_READ_EXECUTIONS } from "../charts/execution_chart.ts";
import type { TimeWindow } from "../charts/chart_request.ts";
import type { LogSearch } from "../logs/log_search.ts";
import { timeParts, windowOf } from "./time_entries.ts";

interface LogStatisticsDeps {
  readonly logSearch: LogSearch;
  readonly queue: PacedQueue;
  readonly clock: Clock;
}

/** Which lines, in which window; by default those of the last 30 days. */
interface LogStatisticsQuery extends Partial<TimeWindow> {
  readonly conditions: LogConditions;
  /** Aborted when the client disconnects; then a read that waits for its turn fails. */
  readonly signal?: AbortSignal;
}

/** The use case of these statistics. */
export class LogStatistics {
  readonly #deps: LogStatisticsDeps;

  constructor(deps: LogStatisticsDeps) {
    this.#deps = deps;
  }

  /** `{timestamp, counts, groupBy}` for each part of the window, and whether all lines were counted. @throws DomainError invalid_argument: the window is wrong */
  async daily(
    actor: Actor,
    query: LogStatisticsQuery,
  ): Promise<{ readonly entries: JsonObject[]; readonly isExact: boolean }> {
    const parts = timeParts(windowOf(query, this.#deps.clock.now()));
    const counts = new Map<Instant, Map<LogLevel, number>>(parts.starts.map((at) => [at, new Map()]));
    const { logSearch, queue } = this.#deps;
    const isExact = await queue.run(actor, (pace) =>
      logSearch.visit(actor, query.conditions, {
        window: parts,
        maxExecutions: MAX_READ_EXECUTIONS,
        pace,
        visit: (_execution, { at, level }) => {
          const levels = counts.get(partStart(at, parts.unit));
          levels?.set(level, (levels.get(level) ?? 0) + 1);
        },
      }), query.signal);
    const entries = [...counts].map(([at, levels]) => ({
      timestamp: toIso(at),
      counts: Object.fromEntries(LOG_LEVELS.map((level) => [level, levels.get(level) ?? 0])),
      groupBy: parts.unit,
    }));
    return { entries, isExact };
  }
}
