/** What a list of executions may be asked: conditions, order, page. Both filter syntaxes of the API are read into this. */
import type { Instant } from "../../base/clock.ts";
import type { ExecutionKind } from "./execution.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { State } from "./state.ts";

/** Comparisons of a name with one text or several. */
export const NAME_OPERATORS = [
  "EQUALS",
  "NOT_EQUALS",
  "IN",
  "NOT_IN",
  "STARTS_WITH",
  "ENDS_WITH",
  "CONTAINS",
  "REGEX",
  "PREFIX",
] as const;

/** One of {@link NAME_OPERATORS}. */
export type NameOperator = typeof NAME_OPERATORS[number];

/** Comparisons of a date. */
export const DATE_OPERATORS = [
  "EQUALS",
  "NOT_EQUALS",
  "GREATER_THAN",
  "GREATER_THAN_OR_EQUAL_TO",
  "LESS_THAN",
  "LESS_THAN_OR_EQUAL_TO",
] as const;

/** One of {@link DATE_OPERATORS}. */
export type DateOperator = typeof DATE_OPERATORS[number];

/** What executions can be ordered by. */
export const EXECUTION_SORT_FIELDS = [
  "id",
  "namespace",
  "flowId",
  "state.current",
  "state.startDate",
  "state.endDate",
  "state.duration",
] as const;

/** One of {@link EXECUTION_SORT_FIELDS}. */
type ExecutionSortField = typeof EXECUTION_SORT_FIELDS[number];

/** One criterion of an order. */
export interface ExecutionSort {
  readonly field: ExecutionSortField;
  readonly descending: boolean;
}

/** Every word occurs, ignoring case, in id, namespace or flow id. Never without words. */
export interface TextCondition {
  readonly field: "text";
  /** As written. */
  readonly words: readonly string[];
  readonly negated: boolean;
}

/** Of the flow's names. `values` holds one text, or several for IN and NOT_IN. */
export interface NameCondition {
  readonly field: "namespace" | "flowId";
  readonly operator: NameOperator;
  readonly values: readonly string[];
}

/** Whether the namespace is the one kept for the system's own flows. */
export interface ScopeCondition {
  readonly field: "scope";
  readonly system: boolean;
}

/** An execution that has not ended has no end date: only NOT_EQUALS holds for it. */
export interface DateCondition {
  readonly field: "startDate" | "endDate";
  readonly operator: DateOperator;
  readonly at: Instant;
}

/** The current state is one of these. */
interface StateCondition {
  readonly field: "state";
  readonly states: readonly State[];
  readonly negated: boolean;
}

/** The kind is one of these. Where no such condition is given, only NORMAL executions match. */
interface KindCondition {
  readonly field: "kind";
  readonly kinds: readonly ExecutionKind[];
  readonly negated: boolean;
}

/** Whether another execution started it. */
interface ChildCondition {
  readonly field: "child";
  readonly child: boolean;
}

/** The execution that started it is one of these. */
export interface TriggerCondition {
  readonly field: "triggerExecutionId";
  readonly ids: readonly string[];
  readonly negated: boolean;
}

/** It has at least one of these labels. */
export interface LabelCondition {
  readonly field: "labels";
  readonly anyOf: readonly Label[];
  readonly negated: boolean;
}

/** Its most severe log line is at least of this level; one that never logged does not match. */
interface LogLevelCondition {
  readonly field: "maxLogLevel";
  readonly least: LogLevel;
}

/** A condition on one execution. */
export type ExecutionCondition =
  | TextCondition
  | NameCondition
  | ScopeCondition
  | DateCondition
  | StateCondition
  | KindCondition
  | ChildCondition
  | TriggerCondition
  | LabelCondition
  | LogLevelCondition;

/** What meets all `conditions` and, when there are `groups`, all conditions of at least one group. */
export interface ConditionSet<Condition> {
  readonly conditions: readonly Condition[];
  readonly groups: readonly (readonly Condition[])[];
}

/** Which executions are wanted. */
export type ExecutionConditions = ConditionSet<ExecutionCondition>;

/** A page of the executions that meet the conditions. */
export interface ExecutionQuery extends ExecutionConditions {
  /** Newest first where this leaves the order open. */
  readonly sort: readonly ExecutionSort[];
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** The namespace of the system's own flows. */
export const SYSTEM_NAMESPACE = "system";

/** Whether a name meets a condition. A REGEX finds a part of the name and must have been checked by whoever read it. */
export function matchesName(operator: NameOperator, values: readonly string[], name: string): boolean {
  const [value = ""] = values;
  switch (operator) {
    case "EQUALS":
    case "IN":
      return values.includes(name);
    case "NOT_EQUALS":
    case "NOT_IN":
      return !values.includes(name);
    case "STARTS_WITH":
      return name.startsWith(value);
    case "ENDS_WITH":
      return name.endsWith(value);
    case "CONTAINS":
      return name.includes(value);
    case "REGEX":
      return new RegExp(trimPattern(value), "u").test(name);
    case "PREFIX":
      return name === value || name.startsWith(`${value}.`);
  }
}

/** Whether a date meets a condition. */
export function matchesDate(operator: DateOperator, wanted: Instant, at: Instant): boolean {
  switch (operator) {
    case "EQUALS":
      return at === wanted;
    case "NOT_EQUALS":
      return at !== wanted;
    case "GREATER_THAN":
      return at > wanted;
    case "GREATER_THAN_OR_EQUAL_TO":
      return at >= wanted;
    case "LESS_THAN":
      return at < wanted;
    case "LESS_THAN_OR_EQUAL_TO":
      return at <= wanted;
  }
}

/** A pattern without `.*` at its ends: it finds the same, since it may find a part, in a fraction of the steps. */
export function trimPattern(pattern: string): string {
  return pattern.replace(/^\^?\.\*/, "").replace(/(?<!\\)\.\*\$?$/, "");
}

/** The words of a search text: what is between punctuation and spaces, as written. `*` and an empty text have none. */
export function searchWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
}
