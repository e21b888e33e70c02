/** Renders the properties of tasks, conditions and flow outputs of one execution. Compiled templates are kept for each plan. */
import type { Clock } from "../base/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import {
  compileTemplate,
  renderDeep,
  renderText,
  renderValue,
  type Scope,
  type Template,
} from "../expr/mod.ts";
import type { Execution, TaskRun } from "../model/execution.ts";
import type { Output, Task } from "../model/flow.ts";
import type { TaskType } from "../model/task_catalog.ts";
import { HostCalls, type HostValues } from "./host_functions.ts";
import { ExecutionVariables, type ServerVariables, type TaskScope } from "./variables.ts";

/** What rendering needs from the server. */
export interface RenderDeps {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly random: () => number;
  readonly hostValues: HostValues;
  readonly server: ServerVariables;
}

/** A property whose value depends on the execution. */
interface DynamicProperty {
  readonly name: string;
  readonly template?: Template;
  readonly value: JsonValue;
}

/** A task prepared for rendering: constant properties once, the others as templates. */
interface CompiledTask {
  readonly constants: JsonObject;
  readonly dynamic: readonly DynamicProperty[];
}

/** Templates and prepared tasks of the plans in use; a plan's go with it. */
export class TemplateCache {
  readonly #templates = new WeakMap<FlowPlan, Map<string, Template>>();
  readonly #tasks = new WeakMap<Task, CompiledTask>();

  /** The compiled template. @throws ExpressionError */
  template(plan: FlowPlan, source: string): Template {
    let templates = this.#templates.get(plan);
    if (!templates) this.#templates.set(plan, templates = new Map());
    let template = templates.get(source);
    if (!template) templates.set(source, template = compileTemplate(source));
    return template;
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

/** Renders for one execution. */
export class Renderer {
  readonly hostCalls: HostCalls;
  readonly #plan: FlowPlan;
  readonly #cache: TemplateCache;
  readonly #deps: RenderDeps;
  readonly #variables: ExecutionVariables;

  constructor(plan: FlowPlan, execution: Execution, cache: TemplateCache, deps: RenderDeps) {
    this.#plan = plan;
    this.#cache = cache;
    this.#deps = deps;
    this.#variables = new ExecutionVariables(plan.flow, execution, deps.server);
    this.hostCalls = new HostCalls(deps.hostValues, {
      tenant: execution.tenant,
      namespace: execution.namespace,
    });
  }

  /** The properties of a task for one attempt. @throws ExpressionError, or an error of a host function */
  properties(task: Task, type: TaskType, taskRun: TaskRun): JsonObject | Promise<JsonObject> {
    const { constants, dynamic } = this.#cache.task(this.#plan, task, type);
    if (dynamic.length === 0) return constants;
    const scope = this.#scope({ task, taskRun });
    return this.hostCalls.run(() => {
      const properties = { ...constants };
      for (const property of dynamic) {
        setOwnProperty(properties, property.name, this.#property(property, scope));
      }
      return properties;
    });
  }

  /** The text of a template of a task, such as `runIf`. @throws as {@link properties} */
  text(source: string, scope?: TaskScope): string | Promise<string> {
    const template = this.#cache.template(this.#plan, source);
    return this.hostCalls.run(() => renderText(template, this.#scope(scope)));
  }

  /** The flow's outputs by id. @throws as {@link properties} */
  outputs(outputs: readonly Output[]): JsonObject | Promise<JsonObject> {
    return this.hostCalls.run(() => {
      const rendered: JsonObject = {};
      const scope = this.#scope();
      for (const { id, value } of outputs) setOwnProperty(rendered, id, this.#value(value, scope));
      return rendered;
    });
  }

  #property({ template, value }: DynamicProperty, scope: Scope): JsonValue {
    return template ? renderText(template, scope) : this.#value(value, scope);
  }

  #value(value: JsonValue, scope: Scope): JsonValue {
    const compile = (source: string) => this.#cache.template(this.#plan, source);
    return typeof value === "string" ? renderValue(compile(value), scope) : renderDeep(value, scope, compile);
  }

  #scope(task?: TaskScope): Scope {
    const { clock, timeZone, random } = this.#deps;
    const { hostCalls } = this;
    return {
      variable: (name) => this.#variables.get(name, task),
      get functions() {
        return hostCalls.functions;
      },
      now: clock.now(),
      timeZone,
      random,
    };
  }
}

function compileTask(task: Task, type: TaskType, compile: (source: string) => Template): CompiledTask {
  const constants: JsonObject = {};
  const dynamic: DynamicProperty[] = [];
  for (const [name, schema] of Object.entries(type.properties)) {
    const value = ownProperty(task.properties, name) ?? schema.default;
    if (value === undefined) continue;
    const isConstant = !schema.dynamic || !mayHoldTemplate(value);
    if (isConstant) setOwnProperty(constants, name, value);
    else if (typeof value === "string") addTemplate(dynamic, constants, name, compile(value));
    else dynamic.push({ name, value });
  }
  return { constants, dynamic };
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

function mayHoldTemplate(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes("{");
  if (Array.isArray(value)) return value.some(mayHoldTemplate);
  return isJsonObject(value) &&
    Object.entries(value).some(([name, item]) => name.includes("{") || mayHoldTemplate(item));
}
