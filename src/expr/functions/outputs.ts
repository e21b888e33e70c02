/** Functions on the outputs of loops, and those of other editions. They read `taskrun`, `parents` and `outputs`. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FunctionEntry, integerArgument, textArgument } from "../entry.ts";
import { fail, failUndefined, isNumber, kindOf, toFloat } from "../../languages/values/mod.ts";

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

/** The values of the loops around this task run, outermost first, and its own. */
function loopValues(context: Context): string[] {
  const parents = context.lookUp("parents");
  const around = Array.isArray(parents) ? parents.toReversed() : [];
  return [...around.map((parent) => member(parent, "taskrun")), context.lookUp("taskrun")].flatMap(
    (taskrun) => {
      const value = member(taskrun, "value");
      return typeof value === "string" ? [value] : [];
    },
  );
}

/** The entry of this iteration. @throws ExpressionError `undefined` when there is none */
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

/** The outputs of a task in an iteration, counted from 0; without a task of this one, without a number of the one before. */
function iterationOutput([task = null, number = null]: Arguments, context: Context): JsonValue {
  const taskId = textArgument(task ?? member(context.lookUp("task"), "id"), "taskId");
  const iteration = number === null ? ownIteration(context) - 1 : integerArgument(number, "iteration");
  const outputs = context.lookUp("outputs");
  let found = isJsonObject(outputs) ? ownProperty(outputs, taskId) : undefined;
  for (const value of loopValues(context).slice(0, -1)) found = member(found, value);
  const values = isJsonObject(found) ? Object.values(found) : found;
  const entry = Array.isArray(values) ? values[iteration] : undefined;
  return entry ?? failUndefined(`iterationOutput("${taskId}", ${iteration})`);
}

/** The outputs of the task around this one, or of one of those around it, counted from 0 from the outside; null for none. */
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
  const iteration = member(context.lookUp("taskrun"), "iteration");
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
