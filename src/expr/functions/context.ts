/** Functions on the evaluation: `render`, `renderOnce`, `printContext`. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Context, Pass } from "../context.ts";
import { type Arguments, booleanArgument, type BuiltInFunction, type FunctionEntry } from "../entry.ts";
import { fail } from "../../languages/values/mod.ts";
import { renderWithin } from "../rendered_texts.ts";

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

const RENDER_ONCE: BuiltInFunction = {
  parameters: ["toRender"],
  required: 1,
  asksAuthor: true,
  call: ([value = null], context, isAuthored) => renderOwn(value, { isAuthored, isInPlace: false }, context),
};

/** Functions on the evaluation. */
export const CONTEXT_FUNCTIONS: readonly FunctionEntry[] = [
  ["render", { parameters: ["toRender", "recursive"], required: 1, asksAuthor: true, call: render }],
  ["renderOnce", RENDER_ONCE],
  ["printContext", PRINT_CONTEXT],
  ["fetchContext", PRINT_CONTEXT],
];

const TAG = /\{[{%#]/;

/** Without `recursive`, prints of the author's texts are rendered in place, and nothing else is rendered again. */
function render([value = null, recursive]: Arguments, context: Context, isAuthored: boolean): JsonValue {
  const isInPlace = booleanArgument(recursive, "recursive", true);
  if (recursive !== true) return renderOwn(value, { isAuthored, isInPlace }, context);
  const rendered = renderWithin(value, (text) => renderUntilStable(text, isAuthored, context), context);
  context.isLastRenderOwn = false;
  return rendered;
}

interface OwnTexts {
  /** The author made all texts of the value. */
  readonly isAuthored: boolean;
  readonly isInPlace: boolean;
}

/** Renders texts of the author. @throws ExpressionError `argument` for a template that is data */
function renderOwn(value: JsonValue, { isAuthored, isInPlace }: OwnTexts, context: Context): JsonValue {
  context.isLastRenderOwn = false;
  const renderText = (text: string) => {
    if (isAuthored) {
      return renderPass(text, { isInPlace, isData: context.pass.isData }, context);
    }
    if (!TAG.test(text)) return text;
    return fail(
      "argument",
      "Cannot render a text that is not part of the flow: it may come from someone who must not use the flow's " +
        "secrets. To evaluate it without secret(), say render(…, recursive=true)",
    );
  };
  const rendered = renderWithin(value, renderText, context);
  // Of several texts, the last one says nothing about the others.
  if (typeof value !== "string") context.isLastRenderOwn = false;
  return rendered;
}

function renderPass(text: string, pass: Pass, context: Context): string {
  const { keepsRaw } = context;
  context.keepsRaw = false;
  const rendered = context.renderSource(context, text, pass);
  context.keepsRaw = keepsRaw;
  return rendered;
}

/** Renders until the text stops changing, also data; `raw` tags are kept until the last pass. */
function renderUntilStable(text: string, isAuthored: boolean, context: Context): string {
  const { keepsRaw } = context;
  let isOwn = isAuthored, current = text;
  for (let pass = 0; current.includes("{"); pass++) {
    if (pass > context.limits.maxRenderPasses) {
      const passes = context.limits.maxRenderPasses;
      fail("limit", `Too many rendering attempts: the text still changes after ${passes} passes`);
    }
    context.keepsRaw = true;
    const next = context.renderSource(context, current, passOf(isOwn, context));
    context.keepsRaw = keepsRaw;
    if (next === current) break;
    current = next;
    isOwn = false;
  }
  return current.includes("{%") ? renderPass(current, passOf(isOwn, context), context) : current;
}

/** How a text is rendered of which the flow says that it may be data. */
function passOf(isOwn: boolean, { pass: { isData } }: Context): Pass {
  return { isInPlace: isOwn, isData: isData || !isOwn };
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
