/** Functions on the evaluation: `render`, `renderOnce`, `printContext`. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, booleanArgument, type BuiltInFunction, type FunctionEntry } from "../entry.ts";
import { fail } from "../../languages/values/mod.ts";
import { keysOf, weightOf } from "../weight.ts";

/** Root names that `printContext` shows when set: a scope cannot list its names. */
const ROOT_NAMES = [
  "flow",
  "execution",
  "task",
  "taskrun",
  "trigger",
  "schedule",
  "inputs",
  "outputs",
  "vars",
  "labels",
  "parent",
  "parents",
  "namespace",
  "envs",
  "tenantId",
  "kestra",
  "globals",
  "error",
  "tasks",
];

const PRINT_CONTEXT: BuiltInFunction = { parameters: [], call: (_, context) => contextTree(context) };

/** Functions on the evaluation. */
export const CONTEXT_FUNCTIONS: readonly FunctionEntry[] = [
  ["render", { parameters: ["toRender", "recursive"], required: 1, call: render }],
  ["renderOnce", { parameters: ["toRender"], required: 1, call: renderOnce }],
  ["printContext", PRINT_CONTEXT],
  ["fetchContext", PRINT_CONTEXT],
];

type RenderText = (text: string, context: Context) => string;

function render(args: Arguments, context: Context): JsonValue {
  const isRecursive = booleanArgument(args[1], "recursive", true);
  return renderWithin(args[0] ?? null, isRecursive ? renderUntilStable : renderPass, context);
}

function renderOnce([value = null]: Arguments, context: Context): JsonValue {
  return renderWithin(value, renderPass, context);
}

function renderPass(text: string, context: Context): string {
  return context.renderSource(context, text, false);
}

/** Renders until the text stops changing; `raw` tags are kept until the last pass. */
function renderUntilStable(text: string, context: Context): string {
  let current = text;
  for (let pass = 0; current.includes("{"); pass++) {
    if (pass > context.limits.maxRenderPasses) {
      fail("limit", `Cannot render: the text still changes after ${context.limits.maxRenderPasses} passes`);
    }
    const next = context.renderSource(context, current, true);
    if (next === current) break;
    current = next;
  }
  return current.includes("{%") ? renderPass(current, context) : current;
}

function renderWithin(value: JsonValue, renderText: RenderText, context: Context): JsonValue {
  if (typeof value === "string") return renderText(value, context);
  if (typeof value !== "object" || value === null) return value;
  context.spend(1 + weightOf(value));
  if (Array.isArray(value)) return value.map((item) => renderWithin(item, renderText, context));
  if (!isJsonObject(value)) return value;
  const rendered: JsonObject = {};
  for (const name of keysOf(value, context)) {
    const key = renderText(name, context);
    if (Object.hasOwn(rendered, key)) continue;
    setOwnProperty(rendered, key, renderWithin(value[name] as JsonValue, renderText, context));
  }
  return rendered;
}

function contextTree(context: Context): JsonObject {
  const tree: JsonObject = {};
  context.spend(16 * ROOT_NAMES.length);
  for (const name of ROOT_NAMES) {
    const value = context.lookUp(name);
    if (value !== undefined) tree[name] = value;
  }
  return tree;
}
