/** The kinds of values that schemas name, and the rules of single values. */
import { readDuration } from "../../base/time/duration.ts";
import { Double, isJsonObject, type JsonValue } from "../../base/json.ts";
import type { PropertySchema, PropertyType } from "../../model/flows/schema.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";
import { describeValue, isScalar } from "./describe.ts";

interface ValueKind {
  /** Its name in messages, after "must be". */
  readonly text: string;
  /** A required value of the kind has at least one element. */
  readonly isList?: boolean;
  /** True for a value of the kind. */
  accepts(value: JsonValue): boolean;
}

const INTEGER_TEXT = /^[-+]?\d{1,18}$/;
const NUMBER_TEXT = /^[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?$/;
const DATE_TEXT = /^\d{4}-\d{2}-\d{2}/;
/** Name of a zone in brackets, after an offset. */
const ZONE_NAME = /\[[\w/+-]{1,50}\]$/;

/** Kinds of values by schema type. Scalars may be written as texts. */
export const VALUE_KINDS: Readonly<Record<PropertyType, ValueKind>> = Object.freeze({
  string: { text: "a text", accepts: isScalar },
  integer: { text: "a whole number", accepts: isInteger },
  number: { text: "a number", accepts: isNumber },
  boolean: { text: "true or false", accepts: isFlag },
  duration: { text: 'an ISO 8601 duration such as "PT10S", or a number of seconds', accepts: isDuration },
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
  taskRunner: { text: "a task runner", accepts: isJsonObject },
  part: { text: "an object with a type", accepts: isJsonObject },
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
  return readDuration(value) !== undefined;
}

function isDateTime(value: JsonValue): boolean {
  return typeof value === "string" && DATE_TEXT.test(value) &&
    Number.isFinite(Date.parse(value.replace(ZONE_NAME, "")));
}

/** Reports a duration that is negative or, where the schema says so, zero. */
function checkSign(value: JsonValue, { sign }: PropertySchema, path: Path, report: Report): void {
  const ms = sign && readDuration(value);
  if (ms === undefined || ms > 0 || ms === 0 && sign === "notNegative") return;
  const wanted = sign === "positive" ? "a positive duration" : "a positive duration or zero";
  report.error("too_small", path, `must be ${wanted}, but received ${describeValue(value)}`);
}

/** Reports a value outside the allowed values, bounds, length or pattern. */
export function checkRules(value: JsonValue, schema: PropertySchema, path: Path, report: Report): void {
  const { values, minimum, maximum, pattern } = schema;
  if (values && !values.includes(String(value))) {
    const list = values.map((item) => `"${item}"`).join(", ");
    report.error("wrong_value", path, `must be one of ${list}, but received ${describeValue(value)}`);
  }
  checkLength(value, schema, path, report);
  checkSign(value, schema, path, report);
  if (minimum !== undefined && Number(value) < minimum) {
    report.error("too_small", path, `must be greater than or equal to ${minimum}`);
  }
  if (maximum !== undefined && Number(value) > maximum) {
    report.error("too_large", path, `must be less than or equal to ${maximum}`);
  }
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "u").test(String(value))) {
    report.error("wrong_form", path, `must match "${pattern}", but received ${describeValue(value)}`);
  }
}

/** Reports a text that is too long; a template is measured before rendering. */
export function checkLength(
  value: JsonValue,
  { maxLength }: PropertySchema,
  path: Path,
  report: Report,
): void {
  if (maxLength === undefined || String(value).length <= maxLength) return;
  report.error("too_long", path, `size must be between 0 and ${maxLength}`);
}
