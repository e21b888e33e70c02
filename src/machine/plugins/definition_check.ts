/** Checks the definitions of plugin files, which the compiler has not seen. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { METRIC_TYPES } from "../../model/executions/metric.ts";
import type { PropertyType } from "../../model/flows/schema.ts";
import { TASK_MEMBERS } from "../../model/tasks/task_catalog.ts";
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";

/** Types of properties that hold no tasks. */
const TYPES: readonly PropertyType[] = [
  "string",
  "integer",
  "number",
  "boolean",
  "duration",
  "dateTime",
  "list",
  "map",
  "object",
  "any",
];

type Check = (value: JsonValue) => string | undefined;

const text: Check = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "must be a text";
const flag: Check = (value) => typeof value === "boolean" ? undefined : "must be true or false";
const number: Check = (value) => Number.isFinite(Number(value)) ? undefined : "must be a number";
const map: Check = (value) => isJsonObject(value) ? undefined : "must be an object";
const anything: Check = () => undefined;

/** The first part keeps own types apart from built-in ones. */
const typeName: Check = (value) =>
  typeof value === "string" && /^[a-z]\w*(?:\.\w+)+$/.test(value) &&
    !/^(?:io\.(?:kestra|svc)|core)\./.test(value)
    ? undefined
    : 'must be a dotted name such as "com.example.Weather", not of core, io.kestra or io.svc';
const hostName: Check = (value) =>
  typeof value === "string" && /^(?:\*\.)?[\w.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i.test(value)
    ? undefined
    : 'must be a host such as "api.example.com" or "api.example.com:8443"';
const pattern: Check = (value) => {
  try {
    return typeof value === "string" && new RegExp(value, "u") ? undefined : "must be a text";
  } catch {
    return "must be a regular expression";
  }
};

function oneOf(values: readonly string[]): Check {
  return (value) => values.includes(String(value)) ? undefined : `must be one of ${values.join(", ")}`;
}

function listOf(check: Check): Check {
  return (value) =>
    Array.isArray(value) ? value.map(check).find((problem) => problem !== undefined) : "must be a list";
}

/** Members by name; those with "!" are required. */
type Members = ReadonlyMap<string, Check>;

const PROPERTY: Members = new Map([
  ["type!", oneOf(TYPES)],
  ["description!", text],
  ["required", flag],
  ["dynamic", flag],
  ["values", listOf(text)],
  ["default", anything],
  ["minimum", number],
  ["maximum", number],
  ["maxLength", number],
  ["pattern", pattern],
  ["deprecated", text],
  ["items", map],
  ["properties", map],
]);
const METRIC: Members = new Map([["type!", oneOf(METRIC_TYPES)], ["description!", text]]);
const EXAMPLE: Members = new Map([["title!", text], ["yaml!", text]]);
const PERMISSIONS: Members = new Map([["net", listOf(hostName)]]);
const DEFINITION: Members = new Map([
  ["type!", typeName],
  ["aliases", listOf(typeName)],
  ["title", text],
  ["description!", text],
  ["properties!", map],
  ["outputs", map],
  ["metrics", map],
  ["examples", listOf(map)],
  ["permissions", map],
]);

/** The definition without `run`, or everything that is wrong with it. */
export function checkDefinition(
  value: JsonValue,
  hasRun: boolean,
): Omit<TaskDefinition, "run"> | readonly string[] {
  if (!isJsonObject(value)) return ["there is no `export default defineTask({ … })`"];
  const { properties, outputs, metrics, examples, permissions } = value;
  const problems = [
    ...hasRun ? [] : ["run: must be a function"],
    ...membersProblems(value, DEFINITION, ""),
    ...propertiesProblems(properties, "properties", TASK_MEMBERS),
    ...propertiesProblems(outputs, "outputs"),
    ...entries(metrics).flatMap(([name, metric]) => membersProblems(metric, METRIC, `metrics.${name}`)),
    ...Array.isArray(examples)
      ? examples.flatMap((example, index) => membersProblems(example, EXAMPLE, `examples.${index}`))
      : [],
    ...permissions === undefined ? [] : membersProblems(permissions, PERMISSIONS, "permissions"),
  ];
  return problems.length > 0 ? problems : value as unknown as TaskDefinition;
}

function entries(value: JsonValue | undefined): [string, JsonValue][] {
  return value !== undefined && isJsonObject(value) ? Object.entries(value) : [];
}

function propertiesProblems(
  properties: JsonValue | undefined,
  at: string,
  reserved: readonly string[] = [],
): string[] {
  return entries(properties).flatMap(([name, schema]) => [
    ...reserved.includes(name) ? [`${at}.${name}: every task has a property of this name`] : [],
    .../^[A-Za-z]\w*$/.test(name) ? [] : [`${at}.${name}: must be a name of letters, digits and _`],
    ...schemaProblems(schema, `${at}.${name}`),
  ]);
}

function schemaProblems(schema: JsonValue, at: string): string[] {
  const problems = membersProblems(schema, PROPERTY, at);
  if (!isJsonObject(schema)) return problems;
  const { items, properties, type } = schema;
  if (type === "object" && properties === undefined) {
    problems.push(`${at}: an object has properties; any keys: map`);
  }
  return [
    ...problems,
    ...items === undefined ? [] : schemaProblems(items, `${at}.items`),
    ...propertiesProblems(properties, `${at}.properties`),
  ];
}

function membersProblems(value: JsonValue, members: Members, at: string): string[] {
  const place = (name: string) => at === "" ? name : `${at}.${name}`;
  if (!isJsonObject(value)) return [`${at}: must be an object`];
  const checks = new Map([...members].map(([name, check]) => [name.replace("!", ""), check]));
  const missing = [...members.keys()].filter((name) => name.endsWith("!")).map((name) => name.slice(0, -1))
    .filter((name) => value[name] === undefined);
  return [
    ...missing.map((name) => `${place(name)}: is missing`),
    ...given(value).flatMap(([name, member]) => {
      const check = checks.get(name);
      const problem = check ? check(member) : `is not a member; there are ${[...checks.keys()].join(", ")}`;
      return problem === undefined ? [] : [`${place(name)}: ${problem}`];
    }),
  ];
}

function given(value: JsonObject): [string, JsonValue][] {
  return Object.entries(value).filter(([name]) => name !== "run");
}
