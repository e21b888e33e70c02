/** Renders expressions that a caller tries out: on an execution, or with variables of its own. Secrets are masked. */
import { type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { compileTemplate, renderText } from "../expr/mod.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { HostCalls, type HostValues, isRenderError } from "./host_functions/mod.ts";
import type { LoopContexts } from "./loop_contexts.ts";
import { type RenderDeps, Renderer, TemplateCache } from "./renderer.ts";
import { createScope, NO_HOST, type ScopeDeps } from "./scope.ts";
import type { TaskScope } from "./variables.ts";

/** The rendered text of one expression, or the error. */
export type RenderedText = { readonly text: string } | { readonly error: string };

/** Renders one expression outside of executions. */
export type RenderExpression = (
  source: string,
  scope: { readonly tenant: string; readonly namespace?: string; readonly context: JsonObject },
) => Promise<RenderedText>;

/** Renders one expression as a task run of an execution sees it, or as the execution itself does. */
type EvaluateExpression = (
  target: { readonly execution: Execution; readonly plan: FlowPlan; readonly taskRun?: TaskRun },
  source: string,
) => Promise<RenderedText>;

/** The rendered value and how its texts are masked, or the error. */
type RenderedValue =
  | { readonly value: JsonObject; readonly mask: (text: string) => string }
  | { readonly error: string };

/** Renders the members of an object as {@link EvaluateExpression}; those that are a single print keep their types. */
export type EvaluateObject = (
  target: Parameters<EvaluateExpression>[0],
  source: JsonObject,
) => Promise<RenderedValue>;

/** A renderer whose variables are the members of the context; functions that read data need a namespace to read in. */
export function createExpressionRenderer(
  deps: ScopeDeps & { readonly values: HostValues },
): RenderExpression {
  return async (source, { tenant, namespace, context }) => {
    const calls = new HostCalls(deps.values, { tenant, namespace: namespace ?? "" });
    const { elsewhere } = calls;
    const host = namespace === undefined ? { ...NO_HOST, elsewhere } : calls;
    const scope = createScope(deps, host, {
      variable: (name) => ownProperty(context, name),
      // The caller wrote both.
      authored: context,
    });
    return await masked(calls, () => {
      const template = compileTemplate(source);
      return calls.run(() => renderText(template, scope));
    });
  };
}

/**
 * An evaluator of expressions on executions as they are stored. Encrypted values stay so, and stars stand for secrets: the
 * mask knows a value only in full, and an expression could change it.
 */
export function createEvaluator(deps: RenderDeps, contexts: LoopContexts): EvaluateExpression {
  // Expressions that a person evaluates do not count as uses by the flow.
  const hostValues: HostValues = {
    ...deps.hostValues,
    secret: (tenant, namespace, name) => deps.hostValues.secret(tenant, namespace, name),
    hidesSecrets: true,
  };
  const server = { ...deps.server, keepsEncrypted: true };
  return async (target, source) => {
    const { renderer, scope } = await rendererOf(target, { ...deps, server, hostValues }, contexts);
    const calls = renderer.hostCalls;
    return await masked(calls, () => renderer.text(source, scope), (text) => calls.hide(text));
  };
}

/** As {@link createEvaluator}, for objects. The caller masks what it shows. */
export function createObjectEvaluator(deps: RenderDeps, contexts: LoopContexts): EvaluateObject {
  return async (target, source) => {
    const { renderer, scope } = await rendererOf(target, deps, contexts);
    const mask = (text: string) => renderer.hostCalls.mask(text);
    try {
      return { value: await renderer.values(source, scope), mask };
    } catch (error) {
      if (isRenderError(error)) return { error: mask(error.message) };
      throw error;
    }
  };
}

/** What templates see that are rendered beside the tasks of an execution. */
interface ExecutionView {
  readonly variable: (name: string) => JsonValue | undefined;
  readonly calls: HostCalls;
}

/** Views of executions as a task run of them sees it, or as the execution itself does. */
export function createViewer(
  deps: RenderDeps,
  contexts: LoopContexts,
): (target: Parameters<EvaluateExpression>[0]) => Promise<ExecutionView> {
  return async (target) => {
    const { renderer, scope } = await rendererOf(target, deps, contexts);
    return { variable: (name) => renderer.variable(name, scope), calls: renderer.hostCalls };
  };
}

async function rendererOf(
  { execution, plan, taskRun }: Parameters<EvaluateExpression>[0],
  deps: RenderDeps,
  contexts: LoopContexts,
): Promise<{ readonly renderer: Renderer; readonly scope?: TaskScope }> {
  const outer = await contexts.of(execution);
  const renderer = new Renderer(plan, execution, new TemplateCache(), { ...deps, outer });
  const task = taskRun && plan.places.get(taskRun.taskId)?.task;
  return { renderer, scope: taskRun && task && { task, taskRun } };
}

async function masked(
  calls: HostCalls,
  render: () => string | Promise<string>,
  mask = (text: string) => calls.mask(text),
): Promise<RenderedText> {
  try {
    return { text: mask(await render()) };
  } catch (error) {
    if (isRenderError(error)) return { error: calls.mask(error.message) };
    throw error;
  }
}
