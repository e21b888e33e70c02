/** Checks the members of an object against property schemas: the same for tasks, triggers, inputs and the flow itself. */
import { parseDuration } from "../base/duration.ts";
import { Double, isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { nearestName } from "../base/nearest_name.ts";
import type { PropertySchema, PropertySchemas } from "../model/schema.ts";
import { describeValue, isScalar } from "./describe.ts";
import type { Path } from "./parse.ts";
import { hasExpression, type Report } from "./report.ts";

/** Rules beside the schemas. */
export interface MemberRules {
  /** Names that are known but have no behaviour yet: refused, unless null, false or empty. */
  readonly unsupported?: ReadonlySet<string>;
  /** Names that are known and have no effect: told in a warning. */
  readonly ignored?: ReadonlySet<string>;
  /** Checks a list of nested tasks, the value of a property of type `tasks`. */
  readonly checkTasks?: (tasks: JsonValue[], path: Path) => void;
}

/** Reports unknown, missing and wrong members of `object`. */
export function checkMembers(
  object: JsonObject,
  schemas: PropertySchemas,
  { path, report, ...rules }: MemberRules & { readonly path: Path; readonly report: Report },
): void {
  const known = new Map(Object.entries(schemas));
  for (const [name, schema] of known) {
    const value = ownProperty(object, name);
    checkProperty(value, schema, { ...rules, path: [...path, name], report });
  }
  for (const name of Object.keys(object)) {
    if (!known.has(name)) checkOther(name, object[name], { ...rules, path: [...path, name], report, known });
  }
}

interface Place extends MemberRules {
  readonly path: Path;
  readonly report: Report;
}

function checkOther(
  name: string,
  value: JsonValue | undefined,
  { path, report, unsupported, ignored, known }: Place & { readonly known: ReadonlyMap<string, unknown> },
): void {
  if (unsupported?.has(name)) {
    if (!isNothing(value)) report.error("not_supported", path, "is not supported yet, remove it");
  } else if (ignored?.has(name)) {
    report.warning("ignored", path, "has no effect on this server and is ignored");
  } else {
    report.error("unknown_property", path, unknownField(name, known.keys()));
  }
}

/** Values that ask for nothing: a property without behaviour may be spelt out with them. */
function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === false ||
    Array.isArray(value) && value.length === 0;
}

/** Text for a name that nothing knows, with the nearest known one. */
export function unknownField(name: string, known: Iterable<string>): string {
  const near = nearestName(name.slice(0, 100), known);
  return `Unrecognized field ${describeValue(name)}${near === undefined ? "" : `, did you mean "${near}"`}`;
}

/** Reports what is wrong with one value. */
export function checkProperty(value: JsonValue | undefined, schema: PropertySchema, place: Place): void {
  const { path, report } = place;
  if (value === undefined || value === null) {
    if (schema.required) report.error("required", path, "must not be null");
    return;
  }
  if (schema.dynamic) report.checkTemplates(value, path);
  if (schema.orList && Array.isArray(value)) {
    if (schema.required && value.length === 0) report.error("required", path, "must not be empty");
    value.forEach((item, index) => checkOne(item, schema, { ...place, path: [...path, index] }));
  } else {
    checkOne(value, schema, place);
  }
}

function checkOne(value: JsonValue, schema: PropertySchema, place: Place): void {
  const { path, report, checkTasks } = place;
  if (schema.dynamic && hasExpression(value)) return checkLength(value, schema, place);
  const expected = EXPECTED[schema.type];
  if (!expected.accepts(value)) {
    report.error("wrong_type", path, `must be ${expected.text}, but received ${describeValue(value)}`);
    return;
  }
  if (schema.required && Array.isArray(value) && value.length === 0) {
    report.error("required", path, "must not be empty");
  }
  checkValues(value, schema, place);
  checkLength(value, schema, place);
  if (schema.minimum !== undefined && Number(value) < schema.minimum) {
    report.error("too_small", path, `must be greater than or equal to ${schema.minimum}`);
  }
  if (schema.type === "tasks" && Array.isArray(value)) checkTasks?.(value, path);
}

function checkValues(value: JsonValue, { values }: PropertySchema, { path, report }: Place): void {
  if (!values || values.includes(String(value))) return;
  const list = values.map((item) => `"${item}"`).join(", ");
  report.error("wrong_value", path, `must be one of ${list}, but received ${describeValue(value)}`);
}

function checkLength(value: JsonValue, { maxLength }: PropertySchema, { path, report }: Place): void {
  if (maxLength === undefined || String(value).length <= maxLength) return;
  report.error("too_long", path, `size must be between 0 and ${maxLength}`);
}

interface Expected {
  readonly text: string;
  accepts(value: JsonValue): boolean;
}

const INTEGER_TEXT = /^[-+]?\d{1,18}$/;
const NUMBER_TEXT = /^[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?$/;

/** What each type of a schema holds. Scalars may be written as texts. */
const EXPECTED: Readonly<Record<PropertySchema["type"], Expected>> = Object.freeze({
  string: { text: "a text", accepts: isScalar },
  integer: {
    text: "a whole number",
    accepts: (value) =>
      typeof value === "number" || typeof value === "bigint" ||
      typeof value === "string" && INTEGER_TEXT.test(value),
  },
  number: {
    text: "a number",
    accepts: (value) =>
      typeof value === "number" || typeof value === "bigint" || value instanceof Double ||
      typeof value === "string" && NUMBER_TEXT.test(value),
  },
  boolean: {
    text: "true or false",
    accepts: (value) =>
      typeof value === "boolean" || typeof value === "string" && /^(?:true|false)$/i.test(value),
  },
  duration: {
    text: 'an ISO 8601 duration such as "PT10S"',
    accepts: (value) => typeof value === "string" && parseDuration(value) !== undefined,
  },
  dateTime: {
    text: 'an ISO 8601 date and time such as "2026-01-31T12:00:00Z"',
    accepts: (value) => typeof value === "string" && Number.isFinite(Date.parse(value)),
  },
  list: { text: "a list", accepts: Array.isArray },
  map: { text: "an object", accepts: isJsonObject },
  object: { text: "an object", accepts: isJsonObject },
  any: { text: "a value", accepts: () => true },
  task: { text: "a task", accepts: isJsonObject },
  tasks: { text: "a list of tasks", accepts: Array.isArray },
  dagTasks: { text: "a list of tasks with their dependencies", accepts: Array.isArray },
  cases: { text: "an object", accepts: isJsonObject },
  inputs: { text: "a list of inputs", accepts: Array.isArray },
  condition: { text: "a condition", accepts: isJsonObject },
  conditions: { text: "a list of conditions", accepts: Array.isArray },
  conditionMap: { text: "an object", accepts: isJsonObject },
});
