/** The data of charts: rows over executions, log lines, metrics, flows or triggers; single values; descriptions of flows. */
import type { Clock } from "../../base/time/clock.ts";
import { Double, type JsonObject, ownProperty } from "../../base/json.ts";
import { DAY_MS } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalArgument, undefinedIfMissing } from "../../model/errors.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { PacedQueue } from "../access/paced_queue.ts";
import type { Flows } from "../flows/flows.ts";
import type { LogSearch } from "../logs/log_search.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { Chart, ChartFilter, ChartQuery } from "./chart.ts";
import { DEFAULT_WINDOW_MS, MAX_WINDOW_MS } from "./chart_parser.ts";
import { type ChartRequest, remainingFilters, type TimeWindow } from "./chart_request.ts";
import { ChartTable, pageOf } from "./chart_table.ts";
import { flowRow, lineRow, metricRow, triggerRow } from "./data_rows.ts";
import { activeIn, executionConditions, flowConditions, startedIn } from "./execution_conditions.ts";
import { type ChartData, ExecutionCharts, MAX_READ_EXECUTIONS, unitOf } from "./execution_chart.ts";
import { type RowReader, rowTest } from "./row_filter.ts";

interface ChartsDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly logSearch: LogSearch;
  readonly metrics: Metrics;
  readonly flows: Flows;
  readonly triggers: Triggers;
  readonly clock: Clock;
  /** For reads of records. */
  readonly queue: PacedQueue;
}

/** The window of time that a dashboard allows. */
interface WindowLimits {
  readonly windowMs: number;
  readonly maxWindowMs: number;
}

const NO_DATA: ChartData = { results: [], total: 0, isExact: true };
const ANY_WINDOW: WindowLimits = { windowMs: DEFAULT_WINDOW_MS, maxWindowMs: MAX_WINDOW_MS };
/** Decimal places of the value of a KPI. */
const KPI_PLACES = 2;

/** Reads the data of charts. */
export class Charts {
  readonly #deps: ChartsDeps;
  readonly #executions: ExecutionCharts;

  constructor(deps: ChartsDeps) {
    this.#deps = deps;
    this.#executions = new ExecutionCharts({ ...deps, now: () => deps.clock.now() });
  }

  /** The data of a chart. @throws DomainError invalid_argument: the window is wrong, or there is too much data */
  async data(
    actor: Actor,
    chart: Chart,
    request: ChartRequest,
    limits: WindowLimits = ANY_WINDOW,
  ): Promise<ChartData> {
    const window = this.#windowOf(request, limits);
    if (chart.kind === "Markdown") return await this.#description(actor, chart.flow);
    const read = (query: ChartQuery) => this.#rows(actor, query, { ...request, window });
    const query = { ...chart.query, where: remainingFilters(chart.query.where, request.filters) };
    return chart.kind === "KPI" ? await valueOf({ ...chart, query }, read) : await read(query);
  }

  #windowOf({ start: wanted, end = this.#deps.clock.now() }: ChartRequest, limits: WindowLimits): TimeWindow {
    const start = wanted ?? end - limits.windowMs;
    if (start > end) throw illegalArgument("Start date must be before End Date");
    if (end - start <= limits.maxWindowMs) return { start, end };
    const days = limits.maxWindowMs / DAY_MS;
    throw illegalArgument(`the time window of the chart is longer than the allowed ${days} days`);
  }

  async #description(actor: Actor, flow: FlowKey | undefined): Promise<ChartData> {
    const found = flow && await undefinedIfMissing(() => this.#deps.flows.get(actor, flow));
    if (!found) return NO_DATA;
    const description = ownProperty(found.definition, "description") ?? "";
    return { results: [{ description: String(description) }], total: 1, isExact: true };
  }

  #rows(actor: Actor, query: ChartQuery, request: WindowedRequest): Promise<ChartData> {
    const { where } = query;
    switch (query.kind) {
      case "Executions": {
        const { window, page, signal } = request;
        const inWindow = startedIn(request.filters.executions, window);
        const conditions = executionConditions(where, inWindow);
        return this.#executions.data(actor, query, { conditions, window, page, signal });
      }
      case "Logs":
        return this.#table(query, request, (add) => this.#visitLines(actor, { where, request, add }));
      case "Metrics":
        return this.#table(query, request, (add) => this.#visitMetrics(actor, { where, request, add }));
      case "Flows":
        return this.#table(query, request, async (add) => {
          const heads = await this.#deps.flows.filter(actor, request.filters.matchesFlow);
          return await this.#visitEach(actor, heads.map(flowRow), { where, request, add });
        });
      case "Triggers":
        return this.#table(query, request, async (add) => {
          const states = await this.#deps.triggers.select(actor, request.filters.matchesTrigger);
          return await this.#visitEach(actor, states.map(triggerRow), { where, request, add });
        });
    }
  }

  async #table(
    query: ChartQuery,
    { window, page }: WindowedRequest,
    fill: (add: (row: RowReader) => void) => Promise<boolean>,
  ): Promise<ChartData> {
    const table = new ChartTable(query, unitOf(window));
    const isExact = await fill((row) => table.add(row));
    return { ...pageOf(query, table.rows(), page), isExact };
  }

  async #visitEach(
    actor: Actor,
    rows: readonly RowReader[],
    { where, request, add }: Visit,
  ): Promise<boolean> {
    const visitRow = passing(where, add);
    return await this.#deps.queue.run(actor, async (pace) => {
      for (const row of rows) {
        visitRow(row);
        if (pace.isDue) await pace.pause();
      }
      return true;
    }, request.signal);
  }

  async #visitLines(actor: Actor, { where, request, add }: Visit): Promise<boolean> {
    const { window, filters: { logs } } = request;
    const conditions = [...logs.conditions, ...flowConditions(where)];
    const visitRow = passing(where, add);
    return await this.#deps.queue.run(
      actor,
      (pace) =>
        this.#deps.logSearch.visit(actor, { ...logs, conditions }, {
          window,
          maxExecutions: MAX_READ_EXECUTIONS,
          pace,
          visit: (execution, line, number) => visitRow(lineRow(execution, line, number)),
        }),
      request.signal,
    );
  }

  async #visitMetrics(actor: Actor, { where, request, add }: Visit): Promise<boolean> {
    const { window: { start, end }, filters } = request;
    const { conditions, groups } = activeIn(filters.executions, request.window);
    const selected = { conditions: [...conditions, ...flowConditions(where)], groups };
    const visitRow = passing(where, add);
    return await this.#deps.queue.run(actor, (pace) =>
      this.#deps.metrics.visit(actor, selected, {
        maxExecutions: MAX_READ_EXECUTIONS,
        pace,
        visit: (execution, entry) => {
          if (entry.at >= start && entry.at <= end) visitRow(metricRow(execution, entry));
        },
      }), request.signal);
  }
}

interface WindowedRequest extends ChartRequest {
  readonly window: TimeWindow;
}

interface Visit {
  readonly where: readonly ChartFilter[];
  readonly request: WindowedRequest;
  readonly add: (row: RowReader) => void;
}

/** Passes on the rows that the filters accept. */
function passing(where: readonly ChartFilter[], add: (row: RowReader) => void): (row: RowReader) => void {
  const test = rowTest(where);
  return (row) => {
    if (test(row)) add(row);
  };
}

/** `[{value}]`: the aggregation over what the numerator matches; as a percentage its share of everything. */
async function valueOf(
  { query, numerator, isPercentage }: Extract<Chart, { kind: "KPI" }>,
  read: (query: ChartQuery) => Promise<ChartData>,
): Promise<ChartData> {
  const of = async (where: readonly ChartFilter[]) => {
    const { results: [row], isExact } = await read({ ...query, where });
    return { value: numberOf(row), isExact };
  };
  const part = await of([...query.where, ...numerator]);
  if (!isPercentage) return kpiData(part.value, part.isExact);
  const all = await of(query.where);
  return kpiData(all.value === 0 ? 0 : part.value / all.value * 100, part.isExact && all.isExact);
}

function kpiData(value: number, isExact: boolean): ChartData {
  const scale = 10 ** KPI_PLACES;
  return { results: [{ value: new Double(Math.round(value * scale) / scale) }], total: 1, isExact };
}

function numberOf(row: JsonObject | undefined): number {
  const value = row?.value;
  return value instanceof Double ? value.value : typeof value === "number" ? value : 0;
}
