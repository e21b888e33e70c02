/** What the values of each type of a schema look like. */
import { parseDuration } from "../../base/duration.ts";
import { Double, isJsonObject, type JsonValue } from "../../base/json.ts";
import type { PropertyType } from "../../model/flows/schema.ts";
import { isScalar } from "./describe.ts";

/** The values of one type of a schema. */
interface ValueKind {
  /** As messages name it, after "must be". */
  readonly text: string;
  /** A required one has at least one element: it "must not be empty". */
  readonly isList?: boolean;
  /** True for a value of the kind. */
  accepts(value: JsonValue): boolean;
}

const INTEGER_TEXT = /^[-+]?\d{1,18}$/;
const NUMBER_TEXT = /^[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?$/;
const DATE_TEXT = /^\d{4}-\d{2}-\d{2}/;
/** A zone's name in brackets after an offset. */
const ZONE_NAME = /\[[\w/+-]{1,50}\]$/;

/** Kinds of values by type. Scalars may be written as texts. */
export const VALUE_KINDS: Readonly<Record<PropertyType, ValueKind>> = Object.freeze({
  string: { text: "a text", accepts: isScalar },
  integer: { text: "a whole number", accepts: isInteger },
  number: { text: "a number", accepts: isNumber },
  boolean: { text: "true or false", accepts: isFlag },
  duration: { text: 'an ISO 8601 duration such as "PT10S"', accepts: isDuration },
  dateTime: { text: 'an ISO 8601 date and time such as "2026-01-31T12:00:00Z"', accepts: isDateTime },
  list: { text: "a list", accepts: Array.isArray },
  map: { text: "an object", accepts: isJsonObject },
  object: { text: "an object", accepts: isJsonObject },
  any: { text: "a value", accepts: () => true },
  task: { text: "a task", accepts: isJsonObject },
  tasks: { text: "a list of tasks", isList: true, accepts: Array.isArray },
  dagTasks: { text: "a list of tasks with their dependencies", isList: true, accepts: Array.isArray },
  cases: { text: "an object of lists of tasks", accepts: isJsonObject },
  inputs: { text: "a list of inputs", isList: true, accepts: Array.isArray },
  condition: { text: "a condition", accepts: isJsonObject },
  conditions: { text: "a list of conditions", isList: true, accepts: Array.isArray },
  conditionMap: { text: "an object of conditions", accepts: isJsonObject },
});

function isInteger(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "bigint" ||
    typeof value === "string" && INTEGER_TEXT.test(value);
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Double ||
    typeof value === "string" && NUMBER_TEXT.test(value);
}

function isFlag(value: JsonValue): boolean {
  return typeof value === "boolean" || typeof value === "string" && /^(?:true|false)$/i.test(value);
}

function isDuration(value: JsonValue): boolean {
  return typeof value === "string" && parseDuration(value) !== undefined;
}

function isDateTime(value: JsonValue): boolean {
  return typeof value === "string" && DATE_TEXT.test(value) &&
    Number.isFinite(Date.parse(value.replace(ZONE_NAME, "")));
}
