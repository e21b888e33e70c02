/** Searches the texts of flows without parsing them: for templates, calls with effects, and calls of `secret()`. */
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { Flow, Task } from "../model/flows/flow.ts";
import { EFFECT_FUNCTIONS } from "./host_functions/mod.ts";

/** Also matches mentions that are no call: such a task is committed once more than necessary. */
const CALL = new RegExp(`\\b(?:${[...EFFECT_FUNCTIONS].join("|")})\\s*\\(`);
/** Evaluates a text that is not part of the template. */
const RENDER = /\brender(?:Once)?\s*\(/;
/** A second argument of `render`, or what looks like one: data is rendered, which may hold any call. */
const RECURSIVE = /,(?!\s*recursive\s*=\s*false\b)|\(\s*recursive\b/;

type FlowVariables = Pick<Flow, "variables" | "inherited">;
type TaskProperties = Pick<Task, "properties">;

/** Tasks whose rendering may have an effect outside, such as a call of `http()`; remembered for each task in use. */
export class EffectCalls {
  readonly #tasks = new WeakMap<TaskProperties, boolean>();
  readonly #variables = new WeakMap<FlowVariables, boolean>();

  /** True when a template of the task, or a variable of its flow or namespace that it renders, may call a function with an effect: it must not be rendered before it is durable. */
  mayHappen(flow: FlowVariables, task: TaskProperties): boolean {
    let known = this.#tasks.get(task);
    if (known === undefined) this.#tasks.set(task, known = this.#look(flow, task));
    return known;
  }

  #look(flow: FlowVariables, { properties }: TaskProperties): boolean {
    if (holds(properties, mayCall)) return true;
    return holds(properties, (text) => RENDER.test(text)) && this.#inVariables(flow);
  }

  #inVariables(flow: FlowVariables): boolean {
    let known = this.#variables.get(flow);
    if (known === undefined) {
      const { variables, inherited } = flow;
      known = holds(variables, mayCall) || inherited !== undefined && holds(inherited.variables, mayCall);
      this.#variables.set(flow, known);
    }
    return known;
  }
}

function mayCall(text: string): boolean {
  if (CALL.test(text)) return true;
  const at = text.search(RENDER);
  return at >= 0 && RECURSIVE.test(text.slice(at));
}

function holds(value: JsonValue, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return value.includes("{") && test(value);
  if (Array.isArray(value)) return value.some((item) => holds(item, test));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, item]) => holds(name, test) || holds(item, test));
}

/** A call whose arguments contain no other call. */
const SECRET_CALL = /\bsecret\s*\([^()]*\)/g;

/**
 * Every distinct call of `secret()` in the texts of a flow's document and of what it inherits, each as a template: an
 * execution that is read back renders them to know what to mask.
 */
export function secretCalls(
  { definition, inherited }: Pick<Flow, "definition" | "inherited">,
): readonly string[] {
  const found = new Set<string>();
  collect(definition, found);
  if (inherited) collect([inherited.variables, ...inherited.pluginDefaults], found);
  return [...found];
}

function collect(value: JsonValue, found: Set<string>): void {
  if (typeof value === "string") {
    for (const [call] of value.matchAll(SECRET_CALL)) found.add(`{{ ${call} }}`);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      collect(name, found);
      collect(item, found);
    }
  }
}

/** True when a text within the value may be a template. */
export function mayHoldTemplate(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes("{");
  if (Array.isArray(value)) return value.some(mayHoldTemplate);
  return isJsonObject(value) &&
    Object.entries(value).some(([name, item]) => name.includes("{") || mayHoldTemplate(item));
}
