/** What a request for the data of a chart adds to the chart: a window of time, filters, a page. */
import type { Instant } from "../../base/time/clock.ts";
import type { ExecutionConditions } from "../../model/executions/execution_query.ts";
import type { LogConditions } from "../../model/executions/log_query.ts";
import type { Label } from "../../model/flows/label.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { ChartFilter } from "./chart.ts";
import type { PageChoice } from "./chart_table.ts";

/** What filters of a request test of a flow. */
interface FilteredFlow {
  readonly namespace: string;
  readonly id: string;
  readonly labels: readonly Label[];
}

/** The filters of a request, for each kind of data. */
interface RequestFilters {
  /** Fields of charts that the request filters: filters of the chart on them do not count. */
  readonly fields: ReadonlySet<string>;
  readonly executions: ExecutionConditions;
  readonly logs: LogConditions;
  readonly matchesFlow: (flow: FilteredFlow) => boolean;
  readonly matchesTrigger: (state: TriggerState) => boolean;
}

/** A request for the data of a chart. */
export interface ChartRequest {
  /** By default the length of the dashboard's window before the end. */
  readonly start?: Instant;
  /** By default now. */
  readonly end?: Instant;
  readonly page?: PageChoice;
  readonly filters: RequestFilters;
  /** Aborted when the client disconnects; then a chart that waits for its turn fails. */
  readonly signal?: AbortSignal;
}

/** A window of time, both ends included. */
export interface TimeWindow {
  readonly start: Instant;
  readonly end: Instant;
}

/** The filters of a chart that the request does not replace. */
export function remainingFilters(
  filters: readonly ChartFilter[],
  { fields }: RequestFilters,
): ChartFilter[] {
  return filters.filter((filter) => filter.type === "OR" || !fields.has(filter.field));
}
