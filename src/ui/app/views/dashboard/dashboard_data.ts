/** Data of the dashboard, and the figures that are derived from them. */
import type { TimeUnit } from "../../../../base/time/time_parts.ts";
import { type State, STATES, TERMINAL_STATES } from "../../../../model/executions/state.ts";
import { get, type Page, type Query, send } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import type { Range } from "./range_choice.tsx";

/** Executions that started in a part of the range. */
export interface TimePart {
  /** ISO text. */
  readonly startDate: string;
  readonly groupBy: TimeUnit;
  readonly executionCounts: Readonly<Partial<Record<State, number>>>;
}

/** Sums over a range. */
export interface Summary {
  readonly total: number;
  readonly ended: number;
  readonly failed: number;
  /** From 0 to 1; `undefined` while nothing has ended. */
  readonly successRate: number | undefined;
  /** Present states with their numbers, in the order of {@link STATES}. */
  readonly states: readonly (readonly [state: State, count: number])[];
}

/** Durations that half, and 95 of 100, of the ended executions did not exceed; in seconds. */
interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** A flow and how many of its executions failed. */
interface FailingFlow {
  readonly namespace: string;
  readonly flow: string;
  readonly failed: number;
}

/** A schedule and its next date. */
interface NextSchedule {
  readonly namespace: string;
  readonly flow: string;
  readonly trigger: string;
  /** ISO text. */
  readonly next: string;
}

const EXECUTIONS = "/executions/search";
const ENDED = [...TERMINAL_STATES];
const GOOD: readonly State[] = ["SUCCESS", "WARNING"];
/** States of executions that do something at this moment. */
export const IN_PROGRESS = ["RUNNING", "RESTARTED", "RETRYING", "KILLING"];
const TOP_FLOWS = 5;
const NEXT_SCHEDULES = 10;

/** Executions by state for each part of the range. */
export function loadParts(range: Range, signal: AbortSignal): Promise<readonly TimePart[]> {
  return send("POST", "/stats/executions/daily", { body: { timeRange: range }, signal });
}

/** Number of all executions, and of those in progress. */
export async function loadTotals(
  signal: AbortSignal,
): Promise<{ readonly all: number; readonly running: number }> {
  const [all, running] = await Promise.all([
    get<Page<ExecutionRow>>(EXECUTIONS, { size: 1 }, signal),
    get<Page<ExecutionRow>>(EXECUTIONS, { size: 1, state: IN_PROGRESS }, signal),
  ]);
  return { all: all.total, running: running.total };
}

/** Exact, by the rank in the list of executions sorted by duration; `undefined` while nothing has ended. */
export async function loadPercentiles(range: Range, signal: AbortSignal): Promise<Percentiles | undefined> {
  const ended = { timeRange: range, state: ENDED, size: 1 };
  const at = (query: Query) => get<Page<ExecutionRow>>(EXECUTIONS, { ...ended, ...query }, signal);
  const slowest = await at({ sort: "state.duration:desc" });
  if (slowest.total === 0) return undefined;
  const [p50, p95] = await Promise.all([50, 95].map(async (percent) => {
    const page = rankFromTop(slowest.total, percent);
    const { results: [found] } = page === 1 ? slowest : await at({ sort: "state.duration:desc", page });
    return found?.state.duration ?? 0;
  }));
  return { p50: p50 ?? 0, p95: p95 ?? 0 };
}

/** The rank of a percentile in a list that begins with the largest value, from 1. */
export function rankFromTop(count: number, percent: number): number {
  return count - Math.max(1, Math.ceil(count * percent / 100)) + 1;
}

/** The flows of which most executions failed. */
export async function loadFailing(range: Range, signal: AbortSignal): Promise<readonly FailingFlow[]> {
  return await table<FailingFlow>({
    type: "Executions",
    columns: {
      namespace: { field: "NAMESPACE" },
      flow: { field: "FLOW_ID" },
      failed: { agg: "COUNT" },
    },
    where: [{ field: "STATE", type: "EQUAL_TO", value: "FAILED" }],
    orderBy: [{ column: "failed", order: "DESC" }],
  }, { size: TOP_FLOWS, range, signal });
}

/** The schedules whose dates come next. */
export async function loadSchedules(signal: AbortSignal): Promise<readonly NextSchedule[]> {
  return await table<NextSchedule>({
    type: "Triggers",
    columns: {
      namespace: { field: "NAMESPACE" },
      flow: { field: "FLOW_ID" },
      trigger: { field: "TRIGGER_ID" },
      next: { field: "NEXT_EXECUTION_DATE" },
    },
    where: [{ field: "NEXT_EXECUTION_DATE", type: "IS_NOT_NULL" }],
    orderBy: [{ column: "next", order: "ASC" }],
  }, { size: NEXT_SCHEDULES, signal });
}

interface TableData {
  readonly type: "Executions" | "Triggers";
  readonly columns: Readonly<Record<string, object>>;
  readonly where: readonly object[];
  readonly orderBy: readonly object[];
}

async function table<Row>(
  { type, ...data }: TableData,
  { size, range, signal }: { readonly size: number; readonly range?: Range; readonly signal: AbortSignal },
): Promise<readonly Row[]> {
  const chart = {
    id: "rows",
    type: "io.svc.plugin.core.dashboard.chart.Table",
    data: { type: `io.svc.plugin.core.dashboard.data.${type}`, ...data },
  };
  const filters = range ? [{ field: "timeRange", operation: "EQUALS", value: range }] : [];
  const body = { chart, globalFilter: { pageSize: size, pageNumber: 1, filters } };
  return (await send<Page<Row>>("POST", "/dashboards/charts/preview", { body, signal })).results;
}

/** The sums of all parts. */
export function summaryOf(parts: readonly TimePart[]): Summary {
  const count = (states: readonly State[]) =>
    parts.reduce(
      (sum, { executionCounts }) =>
        sum + states.reduce((own, state) => own + (executionCounts[state] ?? 0), 0),
      0,
    );
  const ended = count(ENDED);
  return {
    total: count(STATES),
    ended,
    failed: count(["FAILED"]),
    successRate: ended === 0 ? undefined : count(GOOD) / ended,
    states: STATES.map((state) => [state, count([state])] as const).filter(([, number]) => number > 0),
  };
}

/** Values of the server's metrics by name; those with labels are left out. */
export function metricValues(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").map((line) => /^([a-z_]+) (\S+)$/.exec(line));
  return new Map(lines.flatMap((match) => match ? [[match[1] ?? "", Number(match[2])] as const] : []));
}
