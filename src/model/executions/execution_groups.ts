/** Groups of executions with counts and sums, for charts and statistics. */
import type { Instant } from "../../base/time/clock.ts";
import type { FlowKey } from "../flows/flow.ts";

/** What executions are grouped by. A flow is both names together. */
export type GroupKey =
  | { readonly field: "state" | "namespace" | "flowId" | "flow" }
  | {
    readonly field: "startDate" | "endDate";
    /** Starts of the parts of time, ascending. A later date belongs to the last part, an earlier one to none. */
    readonly starts: readonly Instant[];
  };

/** Numbers that are summed up for each group: milliseconds, or dates. */
export type GroupMeasure = "duration" | "startDate" | "endDate";

/** How executions are grouped. */
export interface ExecutionGrouping {
  readonly keys: readonly GroupKey[];
  readonly measures: readonly GroupMeasure[];
  /** The summaries of durations have quantiles. */
  readonly hasQuantiles?: boolean;
}

/** A value of a key: a name, a flow, the start of a part of time; `undefined` without end date, or for a removed flow. */
export type GroupValue = string | Instant | FlowKey | undefined;

/** What is known of the numbers of a group. An execution that has not ended has no duration and no end date. */
export interface NumberSummary {
  readonly count: number;
  readonly sum: number;
  /** `Infinity` without numbers. */
  readonly min: number;
  /** `-Infinity` without numbers. */
  readonly max: number;
  /**
   * The least number that at least `share` (above 0, at most 1) of the numbers do not exceed, with an error of at most 0.8 %;
   * `undefined` without numbers. Present with {@link ExecutionGrouping.hasQuantiles}.
   */
  readonly quantile?: (share: number) => number | undefined;
}

/** Executions with the same values of the keys. */
export interface ExecutionGroup {
  /** In the order of the keys. */
  readonly values: readonly GroupValue[];
  readonly count: number;
  /** In the order of the measures. */
  readonly measures: readonly NumberSummary[];
}
