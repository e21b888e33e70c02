/** Templates and a scope → texts and values. Errors get their position here. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../base/json.ts";
import { Context, Frame, type Pass, type Scope } from "./context.ts";
import { TurnOver } from "./render_time.ts";
import { fail, MAX_VALUE_DEPTH } from "../languages/values/mod.ts";
import { codeOf, type CompiledTemplate, compileTemplate, located, type Template } from "./template.ts";

/** Renders a template once: values are printed, not evaluated. @throws ExpressionError, and errors of host functions */
export function renderText(template: Template, scope: Scope): string {
  if (template.isLiteral) return template.source;
  return evaluateRoot(codeOf(template), newContext(scope, compileTemplate), true) as string;
}

/** The value of a template that is one print; else its text. @throws ExpressionError, and errors of host functions */
export function renderValue(template: Template, scope: Scope): JsonValue {
  if (template.isLiteral) return template.source;
  return evaluateRoot(codeOf(template), newContext(scope, compileTemplate), false);
}

/**
 * Renders the strings inside a value, also map keys, depth first. Of two keys that render to the same text the first
 * wins. @throws ExpressionError, and errors of host functions
 */
export function renderDeep(value: JsonValue, scope: Scope, compile: (source: string) => Template): JsonValue {
  return renderLevel(value, (source) => {
    scope.time?.spend(1);
    return renderString(source, scope, compile);
  }, 0);
}

function renderLevel(value: JsonValue, render: (source: string) => string, depth: number): JsonValue {
  if (typeof value === "string") return render(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_VALUE_DEPTH) fail("limit", `Cannot render a value nested deeper than ${MAX_VALUE_DEPTH}`);
  if (Array.isArray(value)) return value.map((item) => renderLevel(item, render, depth + 1));
  if (!isJsonObject(value)) return value;
  const rendered: JsonObject = {};
  for (const name of Object.keys(value)) {
    const key = render(name);
    const item = renderLevel(value[name] as JsonValue, render, depth + 1);
    if (!Object.hasOwn(rendered, key)) setOwnProperty(rendered, key, item);
  }
  return rendered;
}

function renderString(source: string, scope: Scope, compile: (source: string) => Template): string {
  if (!source.includes("{")) return source;
  const template = compile(source);
  return template.isLiteral
    ? source
    : evaluateRoot(codeOf(template), newContext(scope, compile), true) as string;
}

/** Templates that took too long for the thread of the server. */
const slow = new WeakSet<CompiledTemplate>();

/** Evaluates a template here, or takes what another thread made of it. */
function evaluateRoot(code: CompiledTemplate, context: Context, isText: boolean): JsonValue {
  const { scope } = context, { elsewhere } = scope;
  const evaluate = isText ? renderCode : valueOf;
  if (!elsewhere) return run(code, context, evaluate);
  const found = elsewhere.find(code.source, isText, scope);
  if (found) return found.value;
  if (slow.has(code)) scope.time?.shortenTurn();
  try {
    return run(code, context, evaluate);
  } catch (error) {
    if (!(error instanceof TurnOver)) throw error;
    slow.add(code);
    const { source, variableNames } = code;
    return elsewhere.request({ source, variableNames, isText }, scope);
  }
}

function renderCode(code: CompiledTemplate, context: Context): string {
  return code.render(context);
}

function valueOf(code: CompiledTemplate, context: Context): JsonValue {
  return code.value ? code.value(context) : code.render(context);
}

function newContext(scope: Scope, compile: (source: string) => Template): Context {
  return new Context(scope, (context, source, pass) => {
    context.spend(source.length >>> 4);
    if (!source.includes("{")) return source;
    const template = context.memo(`template:${source}`, () => compile(source));
    return template.isLiteral ? source : renderNested(codeOf(template), context, pass);
  });
}

function run<T>(
  code: CompiledTemplate,
  context: Context,
  evaluate: (code: CompiledTemplate, context: Context) => T,
): T {
  try {
    return evaluate(code, context);
  } catch (error) {
    context.scope.time?.pause();
    throw located(error, code, context.at);
  }
}

/** Renders a template within an evaluation: it sees the names at its call, and neither changes them nor adds any. */
function renderNested(code: CompiledTemplate, context: Context, { isInPlace, isData }: Pass): string {
  const { frame, at, pass } = context;
  context.enterCall("Too many rendering attempts: texts render each other in a circle");
  context.frame = new Frame(frame, "read");
  const nested = { isInPlace, isData, source: code.value && code.source, isNested: true, isOwn: !isData };
  context.pass = nested;
  const text = run(code, context, renderCode);
  context.frame = frame;
  context.pass = pass;
  context.isLastRenderOwn = nested.isOwn && !isInPlace;
  context.at = at;
  context.callDepth--;
  return text;
}
