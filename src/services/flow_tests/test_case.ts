/** Reads a test case of a flow: YAML or JSON of `fixtures` and `assertions`. Knows the form; the flow is checked elsewhere. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { nearestName } from "../../base/text/nearest_name.ts";
import { parseYamlValue } from "../../flow/mod.ts";
import { type DomainError, invalidEntity } from "../../model/errors.ts";
import type { ExecutionTrigger } from "../../model/executions/execution.ts";
import { FIXTURE_STATES, type TaskFixture } from "../../model/executions/fixtures.ts";
import { type Operator, OPERATOR_NAMES, OPERATORS } from "./operators.ts";

/** Each renders templates and is a row of the response. */
const MAX_ASSERTIONS = 100;

/** One comparison of a value with what is expected. */
export interface Check {
  readonly operator: Operator;
  readonly expected: JsonValue;
}

/** A value of the ended execution, and what must hold for it. */
export interface Assertion {
  /** Its texts are templates. */
  readonly value: JsonValue;
  /** At least one. */
  readonly checks: readonly Check[];
  /** The task whose variables the templates see. */
  readonly taskId?: string;
  readonly description?: string;
  /** Shown when it fails. */
  readonly errorMessage?: string;
}

/** A test of a flow. */
export interface TestCase {
  readonly id?: string;
  readonly isDisabled: boolean;
  readonly inputs: JsonObject;
  readonly tasks: readonly TaskFixture[];
  readonly trigger?: ExecutionTrigger;
  readonly assertions: readonly Assertion[];
}

/** Members that have no effect on a test. */
const DESCRIPTIVE = ["id", "type", "description"] as const;
const CASE = [...DESCRIPTIVE, "disabled", "fixtures", "assertions"];
const FIXTURES = ["inputs", "tasks", "trigger"];
const NO_FILES = "is not supported; store a file in the namespace, and name it by fileURI()";
const TASK = ["id", "description", "value", "state", "outputs"];
const TRIGGER = ["id", "type", "variables"];
const ASSERTION = ["value", "taskId", "description", "errorMessage"];

/** The test case of a source. @throws DomainError invalid_entity: names the first member that is wrong */
export function readTestCase(source: string): TestCase {
  const body = membersOf(parsed(source), "", CASE);
  const disabled = given(body, "disabled") ?? false;
  if (typeof disabled !== "boolean") throw wrong("disabled", "must be true or false");
  const fixtures = fixturesIn(given(body, "fixtures") ?? {});
  const assertions = listOf(given(body, "assertions"), "assertions");
  if (assertions.length > MAX_ASSERTIONS) throw wrong("assertions", `at most ${MAX_ASSERTIONS} are allowed`);
  return {
    id: textOf(body, "id", ""),
    isDisabled: disabled,
    inputs: objectOf(fixtures, "inputs", "fixtures"),
    tasks: taskFixtures(given(fixtures, "tasks")),
    trigger: triggerOf(given(fixtures, "trigger")),
    assertions: assertions.map((each, index) => assertionOf(each, `assertions[${index}]`)),
  };
}

function fixturesIn(value: JsonValue): JsonObject {
  if (isJsonObject(value) && Object.hasOwn(value, "files")) throw wrong("fixtures.files", NO_FILES);
  return membersOf(value, "fixtures", FIXTURES);
}

/** The refusal of a member. */
export function wrong(path: string, reason: string): DomainError {
  const message = path === "" ? reason : `${path}: ${reason}`;
  return invalidEntity(message, { items: [{ path, message: reason }] });
}

/** Aliases are limited as in sources of flows: a short text could otherwise stand for a value without end. */
function parsed(source: string): JsonValue {
  const read = parseYamlValue(source);
  if ("value" in read) return read.value;
  throw wrong("", `Cannot read the YAML text: ${read.reason}`);
}

function taskFixtures(value: JsonValue | undefined): TaskFixture[] {
  const fixtures = listOf(value, "fixtures.tasks").map((each, index) =>
    taskFixture(each, `fixtures.tasks[${index}]`)
  );
  const seen = new Set<string>();
  for (const [index, { id, value = null }] of fixtures.entries()) {
    const key = JSON.stringify([id, value]);
    if (seen.has(key)) throw wrong(`fixtures.tasks[${index}].id`, `there are two fixtures for task "${id}"`);
    seen.add(key);
  }
  return fixtures;
}

function taskFixture(value: JsonValue, path: string): TaskFixture {
  const members = membersOf(value, path, TASK);
  const state = given(members, "state") ?? "SUCCESS";
  const known = FIXTURE_STATES.find((each) => each === state);
  if (!known) throw wrong(`${path}.state`, `must be one of ${FIXTURE_STATES.join(", ")}`);
  const item = scalarText(given(members, "value"), `${path}.value`);
  return {
    id: requiredText(members, "id", path),
    ...(item !== undefined && { value: item }),
    state: known,
    outputs: objectOf(members, "outputs", path),
  };
}

function triggerOf(value: JsonValue | undefined): ExecutionTrigger | undefined {
  if (value === undefined) return undefined;
  const path = "fixtures.trigger";
  const members = membersOf(value, path, TRIGGER);
  return {
    id: requiredText(members, "id", path),
    type: requiredText(members, "type", path),
    variables: objectOf(members, "variables", path),
  };
}

function assertionOf(value: JsonValue, path: string): Assertion {
  const members = membersOf(value, path, [...ASSERTION, ...OPERATOR_NAMES]);
  const checks = OPERATOR_NAMES.flatMap((operator) => checkOf(members, operator, path));
  if (checks.length === 0) throw wrong(path, `must have an operator: one of ${OPERATOR_NAMES.join(", ")}`);
  const actual = ownProperty(members, "value");
  if (actual === undefined) throw wrong(`${path}.value`, "must be given");
  return {
    value: actual,
    checks,
    taskId: textOf(members, "taskId", path),
    description: textOf(members, "description", path),
    errorMessage: textOf(members, "errorMessage", path),
  };
}

function checkOf(members: JsonObject, operator: Operator, path: string): Check[] {
  const expected = ownProperty(members, operator);
  if (expected === undefined) return [];
  const problem = OPERATORS.get(operator)?.problem?.(expected);
  if (problem !== undefined) throw wrong(`${path}.${operator}`, problem);
  return [{ operator, expected }];
}

/** An object all of whose members are known. */
function membersOf(value: JsonValue, path: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw wrong(path, path === "" ? "a test case is an object" : "must be an object");
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? `known are ${known.join(", ")}` : `did you mean "${nearest}"?`;
    throw wrong(`${path}${path && "."}${name.slice(0, 100)}`, `is unknown; ${hint}`);
  }
  return value;
}

/** A member; `undefined` when absent or null, as an empty value of YAML is. */
function given(members: JsonObject, name: string): JsonValue | undefined {
  return ownProperty(members, name) ?? undefined;
}

function listOf(value: JsonValue | undefined, path: string): JsonValue[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw wrong(path, "must be a list");
}

function objectOf(members: JsonObject, name: string, path: string): JsonObject {
  const value = given(members, name) ?? {};
  if (isJsonObject(value)) return value;
  throw wrong(`${path}.${name}`, "must be an object");
}

function textOf(members: JsonObject, name: string, path: string): string | undefined {
  const value = given(members, name);
  if (value === undefined || typeof value === "string") return value;
  throw wrong(`${path}${path && "."}${name}`, "must be a text");
}

function requiredText(members: JsonObject, name: string, path: string): string {
  const text = textOf(members, name, path);
  if (text) return text;
  throw wrong(`${path}.${name}`, "must be given");
}

/** Items of loops are texts; YAML reads some of them as numbers or flags. */
function scalarText(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) && !isJsonObject(value)) return String(value);
  throw wrong(path, "must be a text");
}
