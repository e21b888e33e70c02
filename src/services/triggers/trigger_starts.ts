/** Executions that triggers start: their labels and inputs rendered, the execution made. Stores nothing. */
import type { Clock, Instant } from "../../base/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { createExecution } from "../../engine/create.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { addLogLine, type Execution } from "../../model/executions/execution.ts";
import type { Trigger } from "../../model/flows/flow.ts";
import {
  checkStartLabels,
  CORRELATION_LABEL,
  isSystemLabel,
  type Label,
  mergeLabels,
  readLabels,
} from "../../model/flows/label.ts";
import { move } from "../../model/executions/state.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { StartChecks } from "../starts/start_checks.ts";
import { givenValues } from "../starts/subflows.ts";

/** What is needed to make executions. */
interface TriggerStartsDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly checks: StartChecks;
  readonly renderer: TriggerRenderer;
}

/** What a trigger starts an execution with. */
export interface TriggerStart {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  /** What expressions read as `trigger`. */
  readonly variables: JsonObject;
  /** What they read beside it. */
  readonly beside?: JsonObject;
  /** What is stored in place of `variables`, where something in them must not be kept in clear. */
  readonly kept?: JsonObject;
  /** Given already where files belong to it. */
  readonly id?: string;
  /** Labels and inputs beside those of the trigger; they win. */
  readonly labels?: readonly Label[];
  readonly inputs?: JsonObject;
  readonly scheduleDate?: Instant;
}

/** An execution that a trigger starts; when it could not be made, one that has failed, and why. */
export interface MadeStart {
  readonly execution: Execution;
  readonly error?: string;
}

/** Makes executions for triggers. */
export class TriggerStarts {
  readonly #deps: TriggerStartsDeps;

  constructor(deps: TriggerStartsDeps) {
    this.#deps = deps;
  }

  /** An execution in state CREATED. @throws DomainError invalid_entity, or an error of rendering */
  async make(start: TriggerStart): Promise<Execution> {
    return await this.#make(start);
  }

  /** As {@link make}; when that cannot be done, an execution that has failed and says why. At once when there is nothing to render. */
  makeOrFail(start: TriggerStart): MadeStart | Promise<MadeStart> {
    const failed = (error: unknown): MadeStart => {
      const { message } = error as Error;
      return { execution: this.fail(start, message), error: message };
    };
    try {
      const made = this.#make(start);
      return made instanceof Promise
        ? made.then((execution) => ({ execution }), failed)
        : { execution: made };
    } catch (error) {
      return failed(error);
    }
  }

  /** An execution that has failed before it began. */
  fail(start: TriggerStart, message: string): Execution {
    const execution = this.#create(start, { labels: start.labels ?? [] });
    const now = this.#deps.clock.now();
    addLogLine(execution, { level: "ERROR", at: now, message });
    move("execution", execution.history, "FAILED", now);
    return execution;
  }

  #make(start: TriggerStart): Execution | Promise<Execution> {
    const { properties } = start.trigger;
    const isPlain = !Object.hasOwn(properties, "labels") && !Object.hasOwn(properties, "inputs");
    return isPlain ? this.#makeOf(start, {}) : this.#render(start);
  }

  async #render(start: TriggerStart): Promise<Execution> {
    const { plan: { flow }, trigger: { properties }, beside, variables } = start;
    const render = async (name: string) => {
      const given = ownProperty(properties, name) ?? null;
      const value = await this.#deps.renderer.value(flow, given, { ...beside, trigger: variables });
      return structureIn(value, name);
    };
    const labels = readLabels(await render("labels")).filter(isUsable);
    const inputs = await render("inputs");
    return await this.#makeOf(start, { labels, inputs: isJsonObject(inputs) ? inputs : undefined });
  }

  /** Labels and inputs are those that the trigger declares. */
  #makeOf(
    start: TriggerStart,
    own: Pick<TriggerStart, "labels" | "inputs">,
  ): Execution | Promise<Execution> {
    const { flow } = start.plan;
    const labels = mergeLabels(own.labels ?? [], start.labels ?? []);
    checkStartLabels(labels);
    const given = givenValues({ ...own.inputs, ...start.inputs });
    return this.#deps.checks.reading(flow, (checks) => {
      const execution = this.#create(start, { labels, inputs: checks.inputs(flow, given) });
      checks.evaluateChecks(flow, execution, this.#deps.clock.now());
      return execution;
    });
  }

  #create(
    { plan, trigger, variables, kept, id, scheduleDate }: TriggerStart,
    { labels, inputs }: { readonly labels: readonly Label[]; readonly inputs?: JsonObject },
  ): Execution {
    const now = this.#deps.clock.now();
    return createExecution(plan.flow, {
      id: id ?? this.#deps.ids.next(now),
      inputs,
      labels,
      trigger: { id: trigger.id, type: trigger.type, variables: kept ?? variables },
      kind: "NORMAL",
      scheduleDate,
    }, now);
  }
}

/** What expressions give no value, and what only the server sets, is left out: it must not keep the flow from starting. */
function isUsable({ key, value }: Label): boolean {
  return value !== "" && (!isSystemLabel(key) || key === CORRELATION_LABEL);
}

/** An expression gives the whole as its JSON. @throws Error it is neither a list nor an object */
function structureIn(value: JsonValue, name: string): JsonValue {
  const structure = readStructure(value);
  if (typeof structure === "object") return structure;
  throw new Error(`Cannot read the ${name} of the trigger: "${structure}" is no map`);
}
