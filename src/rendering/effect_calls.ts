/** Finds tasks whose rendering has an effect outside, such as a call of `http()`: they must not be rendered before they are durable. */
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { Flow, Task } from "../model/flows/flow.ts";
import { EFFECT_FUNCTIONS } from "./host_functions/mod.ts";

/** Looks at texts, not at calls: a task that only mentions one is committed once more than it need be. */
const CALL = new RegExp(`\\b(?:${[...EFFECT_FUNCTIONS].join("|")})\\s*\\(`);
/** Evaluates a text that the template itself does not show. */
const RENDER = /\brender(?:Once)?\s*\(/;

type FlowVariables = Pick<Flow, "variables">;
type TaskProperties = Pick<Task, "properties">;

/** What is known of the tasks of the flows in use. */
export class EffectCalls {
  readonly #tasks = new WeakMap<TaskProperties, boolean>();
  readonly #variables = new WeakMap<FlowVariables, boolean>();

  /** True when a template of the task, or a variable of its flow that it renders, may call a function with an effect. */
  mayHappen(flow: FlowVariables, task: TaskProperties): boolean {
    let known = this.#tasks.get(task);
    if (known === undefined) this.#tasks.set(task, known = this.#look(flow, task));
    return known;
  }

  #look(flow: FlowVariables, { properties }: TaskProperties): boolean {
    if (holds(properties, CALL)) return true;
    return holds(properties, RENDER) && this.#inVariables(flow);
  }

  #inVariables(flow: FlowVariables): boolean {
    let known = this.#variables.get(flow);
    if (known === undefined) this.#variables.set(flow, known = holds(flow.variables, CALL));
    return known;
  }
}

function holds(value: JsonValue, pattern: RegExp): boolean {
  if (typeof value === "string") return value.includes("{") && pattern.test(value);
  if (Array.isArray(value)) return value.some((item) => holds(item, pattern));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, item]) => holds(name, pattern) || holds(item, pattern));
}
