/** Entries of statistics: one for each part of a window of time, also for parts in which nothing happened. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { type DurationForm, formatDuration } from "../../base/time/duration.ts";
import { Double, type JsonObject } from "../../base/json.ts";
import { DAY_MS, partStarts, type TimeUnit, unitFor } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalArgument } from "../../model/errors.ts";
import type { NumberSummary } from "../../model/executions/execution_groups.ts";
import type { State } from "../../model/executions/state.ts";
import type { TimeWindow } from "../charts/chart_request.ts";

/** A window in parts. */
export interface TimeParts extends TimeWindow {
  readonly unit: TimeUnit;
  /** Ascending. */
  readonly starts: readonly Instant[];
}

/** Executions or task runs that began in the same part and are in the same state. */
export interface StateCell {
  /** Start of the part. */
  readonly at: Instant;
  readonly state: State;
  readonly count: number;
  /** Of those that have ended, in milliseconds. */
  readonly durations?: NumberSummary;
}

/** Adds up task runs: one cell for all of the same part and state. */
export class StateCells {
  readonly #cells = new Map<string, SummedCell>();

  /** Adds one that began in the part; `durationMs` if it has ended. */
  add(at: Instant, state: State, durationMs?: number): void {
    const key = `${at} ${state}`;
    let cell = this.#cells.get(key);
    if (!cell) {
      cell = { at, state, count: 0, durations: { count: 0, sum: 0, min: Infinity, max: -Infinity } };
      this.#cells.set(key, cell);
    }
    cell.count++;
    if (durationMs === undefined) return;
    const { durations } = cell;
    durations.count++;
    durations.sum += durationMs;
    durations.min = Math.min(durations.min, durationMs);
    durations.max = Math.max(durations.max, durationMs);
  }

  /** All cells. */
  get all(): readonly StateCell[] {
    return [...this.#cells.values()];
  }
}

interface SummedCell extends StateCell {
  count: number;
  readonly durations: { count: number; sum: number; min: number; max: number };
}

/** States that entries always name. */
const NAMED_STATES: readonly State[] = [
  ...["CREATED", "RUNNING", "RESTARTED", "KILLING", "SUCCESS", "WARNING"] as const,
  ...["FAILED", "KILLED", "PAUSED", "QUEUED", "CANCELLED"] as const,
];
const DEFAULT_DAYS = 30;
const MAX_PARTS = 5_000;

/** The wanted window; by default the last 30 days. @throws DomainError invalid_argument: it ends before it starts */
export function windowOf(wanted: Partial<TimeWindow>, now: Instant): TimeWindow {
  const { end = now, start = end - DEFAULT_DAYS * DAY_MS } = wanted;
  if (start <= end) return { start, end };
  throw illegalArgument("Start date must be before End Date");
}

/** The parts of a window; without a unit in the one that a chart of it has. */
export function timeParts({ start, end }: TimeWindow, unit = unitFor(end - start)): TimeParts {
  return { start, end, unit, starts: partStarts(start, end, unit, MAX_PARTS) };
}

/** `{startDate, groupBy, duration, executionCounts}` for each part; durations as the caller wants them. */
export function stateEntries(
  parts: TimeParts,
  cells: readonly StateCell[],
  { durations }: Pick<Actor, "durations">,
): JsonObject[] {
  const byPart = Map.groupBy(cells, ({ at }) => at);
  return parts.starts.map((at) => {
    const own = byPart.get(at) ?? [];
    const states = new Map<State, number>();
    for (const { state, count } of own) states.set(state, (states.get(state) ?? 0) + count);
    return {
      startDate: toIso(at),
      groupBy: parts.unit,
      duration: durationOf(own, durations),
      executionCounts: countsByState(states),
    };
  });
}

/** Counts by state; usual states without executions are 0. */
export function countsByState(states: ReadonlyMap<State, number>): JsonObject {
  const counts: JsonObject = {};
  for (const state of new Set([...NAMED_STATES, ...states.keys()])) counts[state] = states.get(state) ?? 0;
  return counts;
}

/** `count` is the number of all, ended or not. */
function durationOf(cells: readonly StateCell[], form: DurationForm = "seconds"): JsonObject {
  let [ended, sum, min, max, count] = [0, 0, Infinity, -Infinity, 0];
  for (const { durations, count: all } of cells) {
    count += all;
    if (!durations) continue;
    ended += durations.count;
    sum += durations.sum;
    min = Math.min(min, durations.min);
    max = Math.max(max, durations.max);
  }
  const written = (ms: number) => form === "iso" ? formatDuration(Math.round(ms)) : new Double(ms / 1000);
  const [least, mean, most] = ended === 0 ? [0, 0, 0] : [min, sum / ended, max];
  return { min: written(least), avg: written(mean), max: written(most), sum: written(sum), count };
}
