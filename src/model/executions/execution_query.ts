/** Queries for lists of executions: conditions, order, page. Both filter syntaxes of the API are parsed into this. */
import { patternTest } from "./name_pattern.ts";
import type { Instant } from "../../base/time/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import type { Execution, ExecutionKind } from "./execution.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { State } from "./state.ts";

/** Operators that compare a name with one or several texts. */
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

/** Operators that compare a date. */
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

/** Sort fields of executions. */
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

/** One sort criterion. */
export interface ExecutionSort {
  readonly field: ExecutionSortField;
  readonly descending: boolean;
}

/** Every word occurs in the id, namespace or flow id, ignoring case. `words` is never empty. */
export interface TextCondition {
  readonly field: "text";
  /** Original case. */
  readonly words: readonly string[];
  readonly negated: boolean;
}

/** Compares the namespace or flow id. `values` has one text, or several for IN and NOT_IN. */
export interface NameCondition {
  readonly field: "namespace" | "flowId";
  readonly operator: NameOperator;
  readonly values: readonly string[];
}

/** Compares the id, as {@link NameCondition}. */
export interface IdCondition {
  readonly field: "id";
  readonly operator: NameOperator;
  readonly values: readonly string[];
}

/** Whether the namespace is {@link SYSTEM_NAMESPACE}. */
export interface ScopeCondition {
  readonly field: "scope";
  readonly system: boolean;
}

/** A running execution has no end date: only NOT_EQUALS matches it. */
export interface DateCondition {
  readonly field: "startDate" | "endDate";
  readonly operator: DateOperator;
  readonly at: Instant;
}

/** It ended after this execution: at a later time, or at the same time and it has a greater id. */
export interface EndedAfterCondition {
  readonly field: "endedAfter";
  readonly endAt: Instant;
  readonly id: string;
}

/** Compares the time from start to end; an execution that has not ended matches only NOT_EQUALS. */
export interface DurationCondition {
  readonly field: "duration";
  readonly operator: DateOperator;
  readonly ms: number;
}

/** The current state is in the list. */
interface StateCondition {
  readonly field: "state";
  readonly states: readonly State[];
  readonly negated: boolean;
}

/** The kind is in the list. Without such a condition only NORMAL executions match. */
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

/** The id of the execution that started it is in the list. */
export interface TriggerCondition {
  readonly field: "triggerExecutionId";
  readonly ids: readonly string[];
  readonly negated: boolean;
}

/** It has at least one of the labels. */
interface LabelCondition {
  readonly field: "labels";
  readonly anyOf: readonly Label[];
  readonly negated: boolean;
}

/** The id of the trigger that started it is in the list. */
interface TriggerIdCondition {
  readonly field: "triggerId";
  readonly ids: readonly string[];
  readonly negated: boolean;
}

/** It has at least one of the values of inputs: a text as it is, any other value as JSON. `a.b` is member `b` of input `a`. */
interface InputCondition {
  readonly field: "inputs";
  readonly anyOf: readonly Label[];
  readonly negated: boolean;
}

/** What the record of an execution says, and its catalog row does not say or not surely. The key of a trigger is empty. */
export interface RecordFact extends Label {
  readonly field: "labels" | "triggerId" | "inputs";
}

/** Its most severe log line has at least this level; an execution without log lines does not match. */
interface LogLevelCondition {
  readonly field: "maxLogLevel";
  readonly least: LogLevel;
}

/** A condition on one execution. */
export type ExecutionCondition =
  | TextCondition
  | IdCondition
  | NameCondition
  | ScopeCondition
  | DateCondition
  | EndedAfterCondition
  | DurationCondition
  | StateCondition
  | KindCondition
  | ChildCondition
  | TriggerCondition
  | LabelCondition
  | TriggerIdCondition
  | InputCondition
  | LogLevelCondition;

/** Matches if all `conditions` match and, if there are `groups`, all conditions of at least one group. */
export interface ConditionSet<Condition> {
  readonly conditions: readonly Condition[];
  readonly groups: readonly (readonly Condition[])[];
}

/** Filter of executions. */
export type ExecutionConditions = ConditionSet<ExecutionCondition>;

/** Filter, order and page. */
export interface ExecutionQuery extends ExecutionConditions {
  /** Ties are ordered newest first. */
  readonly sort: readonly ExecutionSort[];
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** The namespace of system flows. */
export const SYSTEM_NAMESPACE = "system";

/** Whether a fact is true of an execution. */
export function isTrueOf(
  { field, key, value }: RecordFact,
  { labels, trigger, inputs }: Pick<Execution, "labels" | "trigger" | "inputs">,
): boolean {
  switch (field) {
    case "labels":
      return labels.some((label) => label.key === key && label.value === value);
    case "triggerId":
      return trigger?.id === value;
    case "inputs":
      return inputs !== undefined && textOfInput(inputs, key) === value;
  }
}

/** The text of an input, or of a member of an input; `undefined` without a value. */
function textOfInput(inputs: JsonObject, path: string): string | undefined {
  const found = path.split(".").reduce<JsonValue | undefined>(
    (value, name) => isJsonObject(value) ? ownProperty(value, name) : undefined,
    inputs,
  );
  return found === undefined || typeof found === "string" ? found : stringifyJson(found);
}

/** Whether a name matches. A REGEX may match a part of the name; the caller must have validated the pattern. */
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
      return patternTest(value)(name);
    case "PREFIX":
      return name === value || name.startsWith(`${value}.`);
  }
}

/** As {@link matchesName}, for many names. */
export function nameTest(operator: NameOperator, values: readonly string[]): (name: string) => boolean {
  if (values.length === 1) return (name) => matchesName(operator, values, name);
  const listed = new Set(values);
  return (name) => listed.has(name) === (operator === "IN");
}

/** Whether a date matches. */
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

/** The different words of a search text, which punctuation and spaces separate. `*` and the empty text have no words. */
export function searchWords(text: string): string[] {
  return [...new Set(text.split(/[^\p{L}\p{N}\p{M}]+/u))].filter((word) => word !== "");
}
