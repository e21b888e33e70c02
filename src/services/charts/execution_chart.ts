/**
 * The data of charts over executions. Aggregations come from the columns of the catalog: exact, without reading records. Only
 * those by revision, label, trigger, id or duration read records, of the newest executions.
 */
import type { Instant } from "../../base/time/clock.ts";
import { partStarts, type TimeUnit, unitFor } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type {
  ExecutionGroup,
  GroupKey,
  GroupMeasure,
  GroupValue,
} from "../../model/executions/execution_groups.ts";
import type { ExecutionConditions, ExecutionSort } from "../../model/executions/execution_query.ts";
import { changedAt, currentState, isEnded, startedAt } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { PacedQueue } from "../access/paced_queue.ts";
import { type ChartColumn, type ChartOrder, type ChartQuery, type ChartValue, QUANTILES } from "./chart.ts";
import {
  aggregate,
  type ChartPage,
  type ChartRow,
  ChartTable,
  isAggregated,
  type PageChoice,
  pageOf,
  rowBody,
} from "./chart_table.ts";
import type { TimeWindow } from "./chart_request.ts";
import type { RowReader } from "./row_filter.ts";

interface ExecutionChartsDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly queue: PacedQueue;
  readonly now: () => Instant;
}

/** A page, and whether all executions were taken into account. */
export interface ChartData extends ChartPage {
  readonly isExact: boolean;
}

/** Which executions, in which page. */
interface ExecutionSelection {
  readonly conditions: ExecutionConditions;
  readonly window: TimeWindow;
  readonly page?: PageChoice;
  readonly signal?: AbortSignal;
}

interface Visit {
  readonly visit: (execution: Execution) => void;
  readonly signal?: AbortSignal;
}

/** Records that are read for one chart, newest first. */
export const MAX_READ_EXECUTIONS = 5_000;
/** Rows of a list without page. */
const LISTED_ROWS = 1_000;
/** Parts of the longest window: minutes of seven hours. */
const MAX_PARTS = 1_000;

/** Reads the data of charts over executions. */
export class ExecutionCharts {
  readonly #deps: ExecutionChartsDeps;

  constructor(deps: ExecutionChartsDeps) {
    this.#deps = deps;
  }

  /** The data of a chart. @throws DomainError invalid_argument: it has too many groups */
  async data(actor: Actor, query: ChartQuery, selection: ExecutionSelection): Promise<ChartData> {
    if (!isAggregated(query)) return await this.#list(actor, query, selection);
    if (!query.columns.every(isOfCatalog)) return await this.#readGroups(actor, query, selection);
    return { ...pageOf(query, await this.#groups(actor, query, selection), selection.page), isExact: true };
  }

  async #groups(
    { tenant }: Actor,
    { columns }: ChartQuery,
    { conditions, window }: ExecutionSelection,
  ): Promise<ChartRow[]> {
    const dimensions = columns.filter(({ agg }) => !agg);
    const { keys, valuesOf } = groupKeys(dimensions, this.#partsOf(window));
    const measures = [...new Set(columns.flatMap(({ agg, field }) => agg ? MEASURES.get(field) ?? [] : []))];
    const hasQuantiles = columns.some(({ agg }) => QUANTILES.has(agg));
    const isCount = keys.length === 0 && measures.length === 0;
    const groups = isCount
      ? [await this.#count(tenant, conditions)]
      : await this.#deps.catalog.groups(tenant, conditions, { keys, measures, hasQuantiles });
    // Without a column to group by there is one row, even of no executions.
    if (keys.length === 0 && groups.length === 0) groups.push(noExecutions(measures));
    return groups.map((group) => {
      const values = valuesOf(group.values);
      return columns.map((column) =>
        column.agg ? aggregated(column, group, measures) : values[dimensions.indexOf(column)]
      );
    });
  }

  /** A list knows its total from the summaries of blocks, most often without reading rows. */
  async #count(tenant: string, conditions: ExecutionConditions): Promise<ExecutionGroup> {
    const query = { ...conditions, sort: [], page: 1, size: 1 };
    const { total } = await this.#deps.catalog.query(tenant, query);
    return { values: [], count: total, measures: [] };
  }

  #partsOf({ start, end }: TimeWindow): Instant[] {
    return partStarts(start, Math.max(end, this.#deps.now()), unitOf({ start, end }), MAX_PARTS);
  }

  /** Rows without aggregation: a page of the list of executions. */
  async #list(actor: Actor, query: ChartQuery, selection: ExecutionSelection): Promise<ChartData> {
    const { conditions, page: choice = { page: 1, size: LISTED_ROWS }, signal } = selection;
    const listed = { ...conditions, sort: sortOf(query.orderBy, query.columns), ...choice };
    const { ids, total } = await this.#deps.catalog.query(actor.tenant, listed);
    const results: ChartPage["results"] = [];
    const visit = (execution: Execution) => {
      const row = this.#rowOf(execution, { isListed: true });
      const values = query.columns.map(({ field, labelKey }) => field && row(field, labelKey));
      results.push(rowBody(query.columns, values));
    };
    await this.#read(actor, ids, { visit, signal });
    return { results, total, isExact: true };
  }

  async #readGroups(actor: Actor, query: ChartQuery, selection: ExecutionSelection): Promise<ChartData> {
    const { conditions, window, page, signal } = selection;
    const sort = [{ field: "state.startDate", descending: true }] as const;
    const listed = { ...conditions, sort, page: 1, size: MAX_READ_EXECUTIONS };
    const { ids, total } = await this.#deps.catalog.query(actor.tenant, listed);
    const table = new ChartTable(query, unitOf(window));
    const visit = (execution: Execution) => table.add(this.#rowOf(execution));
    await this.#read(actor, ids, { visit, signal });
    return { ...pageOf(query, table.rows(), page), isExact: total <= ids.length };
  }

  async #read(actor: Actor, ids: readonly string[], { visit, signal }: Visit): Promise<void> {
    const { records, queue } = this.#deps;
    await queue.run(actor, async (pace) => {
      for (const id of ids) {
        const execution = await records.facts(actor.tenant, id);
        if (execution) visit(execution);
        if (pace.isDue) await pace.pause();
      }
    }, signal);
  }

  /** Lists show how long an execution has been running; aggregations count only durations that are final. */
  #rowOf(execution: Execution, { isListed = false } = {}): RowReader {
    const hasEnded = isEnded(execution.history);
    return (field, labelKey) => {
      if (field === "DURATION") {
        if (!hasEnded && !isListed) return undefined;
        const end = changedAt(execution.history);
        return (hasEnded ? end : Math.max(end, this.#deps.now())) - startedAt(execution.history);
      }
      return VALUES.get(field)?.(execution, labelKey);
    };
  }
}

const VALUES = new Map<string, (execution: Execution, labelKey?: string) => ChartValue>([
  ["ID", ({ id }) => id],
  ["NAMESPACE", ({ namespace }) => namespace],
  ["FLOW_ID", ({ flowId }) => flowId],
  ["FLOW_REVISION", ({ flowRevision }) => flowRevision],
  ["STATE", ({ history }) => currentState(history)],
  ["START_DATE", ({ history }) => startedAt(history)],
  ["END_DATE", ({ history }) => isEnded(history) ? changedAt(history) : undefined],
  ["LABELS", ({ labels }, labelKey) => labels.find(({ key }) => key === labelKey)?.value],
  ["TRIGGER_EXECUTION_ID", ({ trigger }) => {
    const id = trigger?.variables.executionId;
    return typeof id === "string" ? id : undefined;
  }],
]);

/** The unit in which the dates of a chart are grouped. */
export function unitOf({ start, end }: TimeWindow): TimeUnit {
  return unitFor(end - start);
}

/** Fields that the catalog groups by. */
const KEYS: ReadonlyMap<string | undefined, GroupKey["field"]> = new Map([
  ["NAMESPACE", "namespace"],
  ["FLOW_ID", "flowId"],
  ["STATE", "state"],
  ["START_DATE", "startDate"],
  ["END_DATE", "endDate"],
]);
/** Fields whose numbers the catalog sums up. */
const MEASURES: ReadonlyMap<string | undefined, GroupMeasure> = new Map([
  ["DURATION", "duration"],
  ["START_DATE", "startDate"],
  ["END_DATE", "endDate"],
]);
/** Every execution has a value of them. */
const ALWAYS_THERE: ReadonlySet<string | undefined> = new Set([
  undefined,
  ...["ID", "NAMESPACE", "FLOW_ID", "STATE", "FLOW_REVISION"],
]);

function isOfCatalog({ agg, field }: ChartColumn): boolean {
  if (!agg) return KEYS.has(field);
  return MEASURES.has(field) || (agg === "COUNT" && ALWAYS_THERE.has(field));
}

/** The keys for the columns. A namespace and an id together are one key: their combinations are few. */
function groupKeys(
  columns: readonly ChartColumn[],
  starts: readonly Instant[],
): { readonly keys: GroupKey[]; readonly valuesOf: (values: readonly GroupValue[]) => ChartRow } {
  const fields = columns.map(({ field }) => KEYS.get(field) ?? "state");
  const isFlow = fields.includes("namespace") && fields.includes("flowId");
  const keyOf = (field: GroupKey["field"]) => isFlow && NAMES.has(field) ? "flow" : field;
  const distinct = [...new Set(fields.map(keyOf))];
  const keys = distinct.map((field): GroupKey =>
    field === "startDate" || field === "endDate" ? { field, starts } : { field }
  );
  const valuesOf = (values: readonly GroupValue[]) =>
    fields.map((field) => chartValue(values[distinct.indexOf(keyOf(field))], field));
  return { keys, valuesOf };
}

const NAMES: ReadonlySet<string> = new Set(["namespace", "flowId"]);

function chartValue(value: GroupValue, field: GroupKey["field"]): ChartValue {
  return typeof value === "object" ? value[field === "namespace" ? "namespace" : "id"] : value;
}

function noExecutions(measures: readonly GroupMeasure[]): ExecutionGroup {
  const none = { count: 0, sum: 0, min: Infinity, max: -Infinity };
  return { values: [], count: 0, measures: measures.map(() => none) };
}

function aggregated(
  { agg = "COUNT", field }: ChartColumn,
  group: ExecutionGroup,
  measures: readonly GroupMeasure[],
): ChartValue {
  const measure = MEASURES.get(field);
  const numbers = measure && group.measures[measures.indexOf(measure)];
  return numbers ? aggregate(agg, numbers) : group.count;
}

const SORT_FIELDS: ReadonlyMap<string | undefined, ExecutionSort["field"]> = new Map([
  ["ID", "id"],
  ["NAMESPACE", "namespace"],
  ["FLOW_ID", "flowId"],
  ["STATE", "state.current"],
  ["START_DATE", "state.startDate"],
  ["END_DATE", "state.endDate"],
  ["DURATION", "state.duration"],
]);

/** Newest first without an order. */
function sortOf(orderBy: readonly ChartOrder[], columns: readonly ChartColumn[]): ExecutionSort[] {
  const sort = orderBy.flatMap(({ column, descending }) => {
    const field = SORT_FIELDS.get(columns.find(({ name }) => name === column)?.field);
    return field ? [{ field, descending }] : [];
  });
  return sort.length > 0 ? sort : [{ field: "state.startDate", descending: true }];
}
