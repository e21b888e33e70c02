/** Renders the properties of tasks, conditions and flow outputs of one execution. Compiled templates are kept for each plan. */
import { type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { renderDeep, renderText, renderValue, type Scope, type Template } from "../expr/mod.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import type { Flow, Output, Task } from "../model/flows/flow.ts";
import { type PropertySchema, withJsonTexts } from "../model/flows/schema.ts";
import type { TaskCatalog, TaskType } from "../model/tasks/task_catalog.ts";
import { EffectCalls, mayHoldTemplate, secretCalls } from "./text_search.ts";
import { HostCalls, type HostValues, isRenderError } from "./host_functions/mod.ts";
import { KeptTemplates } from "./kept_templates.ts";
import type { OuterContext } from "./loop_contexts.ts";
import { authoredBy, createScope, type ScopeDeps, withVariables } from "./scope.ts";
import { ExecutionVariables, type ServerVariables, type TaskScope } from "./variables.ts";
import { WorkPaths } from "./work_paths.ts";

/** What rendering needs from the server. */
export interface RenderDeps extends ScopeDeps {
  readonly hostValues: HostValues;
  readonly server: ServerVariables;
  /** For a pass of a Loop. */
  readonly outer?: OuterContext;
  /** The rendered outputs converted to their types, or why the execution fails. */
  readonly convertOutputs: (
    flow: Flow,
    rendered: JsonObject,
  ) => { readonly outputs: JsonObject } | { readonly problem: string };
  /** The outputs of a flow with those of type SECRET encrypted for another flow. */
  readonly handOver: (flow: Flow, outputs: JsonObject, receiver: Flow) => JsonObject;
}

/** A property to be rendered for each attempt. */
interface DynamicProperty {
  readonly name: string;
  readonly template?: Template;
  readonly value: JsonValue;
  /** Absent for a text. */
  readonly schema?: PropertySchema;
}

/** A task prepared for rendering. */
interface CompiledTask {
  readonly constants: JsonObject;
  readonly dynamic: readonly DynamicProperty[];
}

/**
 * Characters of the templates that are kept of a plan, beside four times those of its source. Tasks of plugins
 * and templated tasks can render another text in each execution.
 */
const MAX_TEMPLATE_CHARS = 128 * 1024;

/** Compiled templates and prepared tasks; collected together with their plan. */
export class TemplateCache {
  readonly effects = new EffectCalls();
  readonly #templates = new WeakMap<FlowPlan, KeptTemplates>();
  readonly #tasks = new WeakMap<Task, CompiledTask>();

  /** Prepares the first level of tasks, so that the first execution of a flow does not wait for it. @throws ExpressionError */
  prepare(plan: FlowPlan, catalog: TaskCatalog): void {
    for (const task of plan.flow.tasks) {
      const type = catalog.find(task.kind);
      if (!type) continue;
      this.task(plan, task, type);
      this.effects.mayHappen(plan.flow, task);
    }
  }

  /** The compiled template. @throws ExpressionError */
  template(plan: FlowPlan, source: string): Template {
    let templates = this.#templates.get(plan);
    if (!templates) this.#templates.set(plan, templates = templatesOf(plan));
    return templates.compiled(source);
  }

  /** The prepared task. @throws ExpressionError */
  task(plan: FlowPlan, task: Task, type: TaskType): CompiledTask {
    let compiled = this.#tasks.get(task);
    if (!compiled) {
      this.#tasks.set(
        task,
        compiled = compileTask(task, type, (source) => this.template(plan, source)),
      );
    }
    return compiled;
  }
}

function templatesOf({ flow }: FlowPlan): KeptTemplates {
  return new KeptTemplates(MAX_TEMPLATE_CHARS + 4 * flow.source.length);
}

/** The outputs of a flow or why the execution fails, and why optional ones are left out. */
export interface RenderedOutputs {
  readonly converted: ReturnType<RenderDeps["convertOutputs"]>;
  readonly ignored: readonly string[];
}

/** Renders for one execution. */
export class Renderer {
  readonly hostCalls: HostCalls;
  readonly workPaths: WorkPaths | undefined;
  readonly #plan: FlowPlan;
  readonly #cache: TemplateCache;
  readonly #deps: RenderDeps;
  readonly #variables: ExecutionVariables;
  readonly #authored: JsonObject;

  constructor(plan: FlowPlan, execution: Execution, cache: TemplateCache, deps: RenderDeps) {
    this.#plan = plan;
    this.#cache = cache;
    this.#deps = deps;
    const { pathOf } = deps.server;
    this.workPaths = pathOf && new WorkPaths(plan, execution, pathOf);
    this.#variables = new ExecutionVariables(plan.flow, execution, deps.server, this.workPaths);
    this.#variables.outer = deps.outer;
    this.#authored = authoredBy(plan.flow);
    const { tenant, namespace } = execution;
    const inputSecrets = () => this.#variables.inputSecrets;
    const now = () => deps.clock.now();
    const recall = execution.taskRuns.length > 0 ? () => this.#secretRenders() : undefined;
    const caller = { tenant, namespace, execution, now, inputSecrets, recall };
    this.hostCalls = new HostCalls(deps.hostValues, caller);
  }

  /** The outer executions of a pass of a Loop. */
  get outer(): OuterContext | undefined {
    return this.#variables.outer;
  }

  /** A root variable as a task run sees it, or the execution without one. */
  variable(name: string, task?: TaskScope): JsonValue | undefined {
    return this.#variables.get(name, task);
  }

  /** The properties of a task for one attempt. @throws ExpressionError, or an error of a host function */
  properties(task: Task, type: TaskType, taskRun: TaskRun): JsonObject | Promise<JsonObject> {
    const { constants, dynamic } = this.#cache.task(this.#plan, task, type);
    if (dynamic.length === 0) return constants;
    const scope = this.#scope({ task, taskRun });
    return this.hostCalls.run(() => {
      const properties = { ...constants };
      for (const property of dynamic) {
        const { name, schema } = property, value = this.#property(property, scope);
        setOwnProperty(properties, name, schema ? withJsonTexts(value, schema) : value);
      }
      return properties;
    });
  }

  /** True when rendering the task may have an effect outside: it must not begin before the attempt is durable. */
  hasEffect(task: Task): boolean {
    return this.#cache.effects.mayHappen(this.#plan.flow, task);
  }

  /** The text of a template of a task, such as `runIf`. @throws as {@link properties} */
  text(source: string, scope?: TaskScope): string | Promise<string> {
    const template = this.#cache.template(this.#plan, source);
    return this.hostCalls.run(() => renderText(template, this.#scope(scope)));
  }

  /** These properties of a flowable task, whether its type declares them or not. @throws as {@link properties} */
  members(names: readonly string[], given: TaskScope): JsonObject | Promise<JsonObject> {
    if (names.length === 0) return {};
    const { properties } = given.task;
    const present = names.filter((name) => ownProperty(properties, name) !== undefined);
    const scope = this.#scope(given);
    return this.hostCalls.run(() => {
      const rendered: JsonObject = {};
      for (const name of present) {
        const value = ownProperty(properties, name) as JsonValue;
        setOwnProperty(
          rendered,
          name,
          typeof value === "string" ? this.#text(value, scope) : this.#value(value, scope),
        );
      }
      return rendered;
    });
  }

  /** The value of a template with further root variables. @throws as {@link properties} */
  value(source: string, task: TaskScope, variables: JsonObject = {}): JsonValue | Promise<JsonValue> {
    const template = this.#cache.template(this.#plan, source);
    const variable = withVariables(variables, (name) => this.variable(name, task));
    const scope = createScope(this.#deps, this.hostCalls, { variable, authored: this.#authored });
    return this.hostCalls.run(() => renderValue(template, scope));
  }

  /** An object with every text in it rendered with the variables of the execution. @throws as {@link properties} */
  object(value: JsonObject): JsonObject | Promise<JsonObject> {
    return this.hostCalls.run(() => this.#value(value, this.#scope()) as JsonObject);
  }

  /** The members of an object, rendered as a task run sees them; one that is a single print keeps its type. @throws as {@link properties} */
  values(named: JsonObject, task?: TaskScope): JsonObject | Promise<JsonObject> {
    return this.hostCalls.run(() => {
      const scope = this.#scope(task);
      const rendered: JsonObject = {};
      for (const [name, value] of Object.entries(named)) {
        setOwnProperty(rendered, name, this.#value(value, scope));
      }
      return rendered;
    });
  }

  /** Marks task runs as changed, before the execution clears its set of changed ones. */
  noteChanges(touched: Iterable<number>): void {
    this.#variables.note(touched);
  }

  /** The outputs of the flow by id; an optional one that cannot be rendered has no value. @throws as {@link properties} */
  outputs(): RenderedOutputs | Promise<RenderedOutputs> {
    const { flow } = this.#plan;
    return this.hostCalls.run(() => {
      const rendered: JsonObject = {};
      const ignored: string[] = [];
      const scope = this.#scope();
      for (const output of flow.outputs) {
        const value = this.#output(output, scope, ignored);
        if (value !== undefined) setOwnProperty(rendered, output.id, value);
      }
      const converted = this.#deps.convertOutputs(flow, rendered);
      return { converted: "problem" in converted ? this.#masked(converted) : converted, ignored };
    });
  }

  #masked({ problem }: { readonly problem: string }): { readonly problem: string } {
    return { problem: this.hostCalls.mask(problem) };
  }

  /** Outputs of the flow as an execution of another flow may read them. */
  outputsFor(receiver: Flow, outputs: JsonObject): JsonObject {
    return this.#deps.handOver(this.#plan.flow, outputs, receiver);
  }

  #output({ id, value, required }: Output, scope: Scope, ignored: string[]): JsonValue | undefined {
    if (required) return this.#value(value, scope);
    try {
      return this.#value(value, scope);
    } catch (error) {
      if (!isRenderError(error)) throw error;
      ignored.push(
        this.hostCalls.mask(
          `Failed to render optional flow output '${id}'. Output is ignored. ${error.message}`,
        ),
      );
      return undefined;
    }
  }

  #secretRenders(): (() => unknown)[] {
    const { flow, mentionsSecrets } = this.#plan;
    if (!mentionsSecrets) return [];
    return secretCalls(flow).map((source) => () => this.#value(source, this.#scope()));
  }

  #property({ template, value }: DynamicProperty, scope: Scope): JsonValue {
    return template ? renderText(template, scope) : this.#value(value, scope);
  }

  #text(source: string, scope: Scope): string {
    return renderText(this.#cache.template(this.#plan, source), scope);
  }

  #value(value: JsonValue, scope: Scope): JsonValue {
    const compile = (source: string) => this.#cache.template(this.#plan, source);
    return typeof value === "string" ? renderValue(compile(value), scope) : renderDeep(value, scope, compile);
  }

  #scope(task?: TaskScope): Scope {
    return createScope(this.#deps, this.hostCalls, {
      variable: (name) => this.variable(name, task),
      authored: this.#authored,
    });
  }
}

function compileTask(task: Task, type: TaskType, compile: (source: string) => Template): CompiledTask {
  const constants: JsonObject = {};
  const dynamic: DynamicProperty[] = [];
  for (const [name, schema] of Object.entries(type.properties)) {
    const value = givenValue(task.properties, name, schema) ?? schema.default;
    if (value === undefined) continue;
    const isConstant = !schema.dynamic || !mayHoldTemplate(value);
    if (isConstant) setOwnProperty(constants, name, withJsonTexts(value, schema));
    else if (typeof value === "string") addTemplate(dynamic, constants, name, compile(value));
    else dynamic.push({ name, value, schema });
  }
  return { constants, dynamic };
}

/** The value under the name of a property or an alias. */
function givenValue(
  properties: JsonObject,
  name: string,
  { aliases = [] }: PropertySchema,
): JsonValue | undefined {
  for (const candidate of [name, ...aliases]) {
    const value = ownProperty(properties, candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function addTemplate(
  dynamic: DynamicProperty[],
  constants: JsonObject,
  name: string,
  template: Template,
): void {
  if (template.isLiteral) setOwnProperty(constants, name, template.source);
  else dynamic.push({ name, template, value: template.source });
}
