/** Functions on outputs of loops, from `taskrun`, `parents` and `outputs`; and `appLink`, which is refused. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FunctionEntry, integerArgument, textArgument } from "../entry.ts";
import { fail, failUndefined, isNumber, kindOf, toFloat } from "../../languages/values/mod.ts";
import { keysOf } from "../weight.ts";

/** Functions on outputs. */
export const OUTPUT_FUNCTIONS: readonly FunctionEntry[] = [
  ["currentEachOutput", { parameters: ["outputs"], required: 1, call: currentEachOutput }],
  ["iterationOutput", { parameters: ["taskId", "iteration"], required: 0, call: iterationOutput }],
  ["parentOutput", { parameters: ["index"], required: 0, call: parentOutput }],
  ["loopOutputs", { parameters: ["outputs", "id"], required: 2, call: loopOutputs }],
  ["appLink", { parameters: ["appId", "baseUrl"], call: appLink }],
];

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? ownProperty(value, name) : undefined;
}

/** The name of a root variable that no template can read: the iteration, from 0, of the nearest loop around this task run. */
export const OWN_ITERATION = "own iteration";
const ITERATIONS = "iterations of ";

/**
 * The name of a root variable that no template can read: the values of a loop by iteration. `path`: the id of a task in the
 * loop, and the values of the loops around it, outermost first.
 */
export function iterationsVariable(path: readonly string[]): string {
  return ITERATIONS + JSON.stringify(path);
}

/** The path in such a name; `undefined` for any other name. */
export function iterationsPath(name: string): string[] | undefined {
  return name.startsWith(ITERATIONS) ? JSON.parse(name.slice(ITERATIONS.length)) : undefined;
}

/** The values of the enclosing loops, outermost first, and of this task run: in a WorkingDirectory that is one of them. */
function loopValues(context: Context): string[] {
  const parents = context.lookUp("parents");
  const taskRuns = Array.isArray(parents)
    ? parents.toReversed().map((parent) => member(parent, "taskrun"))
    : [];
  if (context.lookUp("workerTaskrun") === undefined) taskRuns.push(context.lookUp("taskrun"));
  return taskRuns.flatMap((taskRun) => {
    const value = member(taskRun, "value");
    return typeof value === "string" ? [value] : [];
  });
}

/** The entry of this iteration. @throws ExpressionError `undefined` if it does not exist */
function currentEachOutput([outputs = null]: Arguments, context: Context): JsonValue {
  if (!isJsonObject(outputs)) {
    return fail(
      "type",
      `Cannot find the output of this iteration in ${kindOf(outputs)}: give outputs.taskId`,
    );
  }
  let found: JsonValue = outputs;
  for (const value of loopValues(context)) {
    const next: JsonValue | undefined = member(found, value);
    found = next ?? failUndefined(`currentEachOutput(outputs)["${value}"]`);
  }
  return found;
}

/**
 * The output `value` of a task (by default this one) in an iteration from 0 (by default the previous one); all its outputs if
 * it has no `value`; null if it has no outputs in any iteration.
 */
function iterationOutput([task = null, number = null]: Arguments, context: Context): JsonValue {
  const taskId = textArgument(task ?? member(context.lookUp("task"), "id"), "taskId");
  const iteration = number === null ? ownIteration(context) - 1 : integerArgument(number, "iteration");
  const path = [taskId, ...loopValues(context).slice(0, -1)];
  let found = context.lookUp("outputs");
  for (const name of path) found = member(found, name);
  if (found === undefined) return null;
  const entry = entryAt(found, iteration, { path, context });
  if (entry === undefined) return failUndefined(`iterationOutput("${taskId}", ${iteration})`);
  const value = member(entry, "value");
  return value === undefined ? entry : value;
}

/** The outputs in an iteration. Those that belong to no known loop have the order of their keys. */
function entryAt(
  outputs: JsonValue | undefined,
  iteration: number,
  { path, context }: { readonly path: readonly string[]; readonly context: Context },
): JsonValue | undefined {
  if (Array.isArray(outputs)) return outputs[iteration];
  if (!isJsonObject(outputs)) return undefined;
  const known = context.scope.variable(iterationsVariable(path));
  const value = (Array.isArray(known) ? known : keysOf(outputs, context))[iteration];
  return typeof value === "string" ? ownProperty(outputs, value) : undefined;
}

/** The outputs of the parent task, or of an enclosing task by its index from the outermost, 0; null without outputs. */
function parentOutput([index = null]: Arguments, context: Context): JsonValue {
  const parents = context.lookUp("parents");
  const around = Array.isArray(parents) ? parents : [];
  const at = index === null ? 0 : around.length - 1 - integerArgument(index, "index");
  const parent = around[at];
  if (parent === undefined) {
    return fail("argument", `Cannot find the parent: this task run has ${around.length} of them`);
  }
  return member(parent, "outputs") ?? null;
}

/** One output of each pass of a Loop, in order; null where a pass has none. */
function loopOutputs([outputs = null, id = null]: Arguments): JsonValue {
  const name = textArgument(id, "id");
  if (Array.isArray(outputs)) return outputs.map((pass) => member(member(pass, "outputs"), name) ?? null);
  return fail(
    "type",
    `Cannot find the outputs of a loop in ${kindOf(outputs)}: give outputs.taskId.outputs, which are a list`,
  );
}

function ownIteration(context: Context): number {
  const iteration = context.scope.variable(OWN_ITERATION) ?? member(context.lookUp("taskrun"), "iteration");
  return isNumber(iteration)
    ? toFloat(iteration)
    : fail("argument", 'Cannot find the iteration: this task run is in no loop, give "iteration"');
}

function appLink(): never {
  return fail(
    "argument",
    'Cannot make the link of an app: "appLink" is not available here, as there are no apps',
  );
}
