/** Checks the definitions of plugin files, which the compiler has not seen. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { METRIC_TYPES } from "../../model/executions/metric.ts";
import type { PropertyType } from "../../model/flows/schema.ts";
import { TASK_MEMBERS } from "../../model/tasks/task_catalog.ts";
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { TRIGGER_MEMBERS } from "../../model/triggers/trigger_catalog.ts";
import type { DescribedPlugin } from "./messages.ts";

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
  ["examples", listOf(map)],
  ["permissions", map],
]);

/** What a definition is, by its function: a task type, or one of the kinds of triggers. */
type PluginKind = "run" | "poll" | "realtime";

/** Kinds of what is declared, and the rest of their members. */
interface Declaration {
  readonly noun: "task" | "trigger";
  readonly kinds: readonly PluginKind[];
  readonly members: Members;
  /** Names of properties that each one has. */
  readonly reserved: readonly string[];
}

const TASK: Declaration = {
  noun: "task",
  kinds: ["run"],
  members: new Map([...DEFINITION, ["metrics", map]]),
  reserved: TASK_MEMBERS,
};
const TRIGGER: Declaration = {
  noun: "trigger",
  kinds: ["poll", "realtime"],
  members: DEFINITION,
  reserved: [...TRIGGER_MEMBERS, "interval", "timeout"],
};

/** A definition without its function. */
export interface CheckedDefinition {
  readonly kind: PluginKind;
  readonly definition: Omit<TaskDefinition, "run">;
}

/** The definition, or everything that is wrong with it. */
export function checkDefinition(
  { definition: value, functions, isTrigger, declared }: Omit<DescribedPlugin, "code">,
): CheckedDefinition | readonly string[] {
  if (declared.length > 1) {
    return [`it declares ${declared.length} types, ${declared.join(" and ")}: write a file for each`];
  }
  if (!isJsonObject(value)) {
    return ["there is no `export default defineTask({ … })` or `export default defineTrigger({ … })`"];
  }
  const declaration = isTrigger ? TRIGGER : TASK;
  const { properties, outputs, metrics, examples, permissions } = value;
  const members = Object.fromEntries(entries(value).filter(([name]) => !isKind(name, declaration)));
  const problems = [
    ...functionProblems(functions, declaration),
    ...membersProblems(members, declaration.members, ""),
    ...propertiesProblems(properties, "properties", declaration),
    ...propertiesProblems(outputs, "outputs"),
    ...entries(metrics).flatMap(([name, metric]) => membersProblems(metric, METRIC, `metrics.${name}`)),
    ...Array.isArray(examples)
      ? examples.flatMap((example, index) => membersProblems(example, EXAMPLE, `examples.${index}`))
      : [],
    ...permissions === undefined ? [] : membersProblems(permissions, PERMISSIONS, "permissions"),
  ];
  if (problems.length > 0) return problems;
  const [kind = "run"] = declaration.kinds.filter((each) => functions.includes(each));
  return { kind, definition: value as unknown as TaskDefinition };
}

function isKind(name: string, { kinds }: Declaration): name is PluginKind {
  return kinds.some((kind) => kind === name);
}

function functionProblems(functions: readonly string[], declaration: Declaration): string[] {
  const { kinds } = declaration;
  const found = functions.filter((name) => isKind(name, declaration));
  const other = declaration === TASK ? TRIGGER : TASK;
  return [
    ...found.length === 0 ? [`${kinds.join(" or ")}: must be a function`] : [],
    ...found.length > 1 ? [`${found.join(", ")}: a trigger has one of them`] : [],
    ...functions.filter((name) => !isKind(name, declaration)).map((name) =>
      isKind(name, other)
        ? `${name}: is a member of a ${other.noun}, which is declared with ${DECLARED_WITH[other.noun]}`
        : `${name}: must not be a function`
    ),
  ];
}

const DECLARED_WITH = Object.freeze({ task: "defineTask", trigger: "defineTrigger" });

function entries(value: JsonValue | undefined): [string, JsonValue][] {
  return value !== undefined && isJsonObject(value) ? Object.entries(value) : [];
}

function propertiesProblems(
  properties: JsonValue | undefined,
  at: string,
  owner?: Declaration,
): string[] {
  return entries(properties).flatMap(([name, schema]) => [
    ...owner?.reserved.includes(name)
      ? [`${at}.${name}: every ${owner.noun} has a property of this name`]
      : [],
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
    ...Object.entries(value).flatMap(([name, member]) => {
      const check = checks.get(name);
      const problem = check ? check(member) : `is not a member; there are ${[...checks.keys()].join(", ")}`;
      return problem === undefined ? [] : [`${place(name)}: ${problem}`];
    }),
  ];
}
