/** Creates the executions that triggers start, with rendered labels and inputs. Stores nothing. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { createExecution } from "../../engine/create.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { throwDatabaseFault } from "../../model/errors.ts";
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
import { SecretMask } from "../../rendering/secret_mask.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import { type StartChecks, withLabels } from "../starts/start_checks.ts";
import { givenValues } from "../starts/subflows.ts";

interface TriggerStartsDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly checks: StartChecks;
  readonly renderer: TriggerRenderer;
}

/** The start of an execution by a trigger. */
export interface TriggerStart {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  /** The variable `trigger` of expressions. */
  readonly variables: JsonObject;
  /** Further root variables of expressions. */
  readonly rootVariables?: JsonObject;
  /** Stored instead of `variables` where those hold secrets in clear text. */
  readonly storedVariables?: JsonObject;
  /** Masked in the messages of the start. */
  readonly secrets?: readonly string[];
  /** Id of the execution where files were stored for it before. */
  readonly id?: string;
  /** Override the labels and inputs of the trigger. */
  readonly labels?: readonly Label[];
  readonly inputs?: JsonObject;
  readonly scheduleDate?: Instant;
}

/** The execution of a start; FAILED when there is an error. */
export interface StartResult {
  readonly execution: Execution;
  readonly error?: string;
}

/** Creates executions for triggers. */
export class TriggerStarts {
  readonly #deps: TriggerStartsDeps;

  constructor(deps: TriggerStartsDeps) {
    this.#deps = deps;
  }

  /**
   * An execution in state CREATED. A label that cannot be rendered is left out, and the log says so.
   * @throws DomainError invalid_entity, or an error of rendering
   */
  async create(start: TriggerStart): Promise<Execution> {
    return await this.#createRendered(start);
  }

  /**
   * As {@link create}, but an error gives a FAILED execution that logs it. Synchronous when there is nothing to render.
   * @throws DomainError the database cannot be read: a later try may start
   */
  createOrFail(start: TriggerStart): StartResult | Promise<StartResult> {
    const failed = (error: unknown): StartResult => {
      throwDatabaseFault(error);
      const message = masked((error as Error).message, start);
      return { execution: this.fail(start, message), error: message };
    };
    try {
      const created = this.#createRendered(start);
      return created instanceof Promise
        ? created.then((execution) => ({ execution }), failed)
        : { execution: created };
    } catch (error) {
      return failed(error);
    }
  }

  /** A FAILED execution that logs the message and runs nothing. */
  fail(start: TriggerStart, message: string): Execution {
    const execution = this.#create(start, { labels: start.labels ?? [] });
    const now = this.#deps.clock.now();
    addLogLine(execution, { level: "ERROR", at: now, message });
    move("execution", execution.history, "FAILED", now);
    return execution;
  }

  #createRendered(start: TriggerStart): Execution | Promise<Execution> {
    const { properties } = start.trigger;
    const isPlain = !Object.hasOwn(properties, "labels") && !Object.hasOwn(properties, "inputs");
    return isPlain ? this.#createChecked(start, {}) : this.#render(start);
  }

  async #render(start: TriggerStart): Promise<Execution> {
    const { plan: { flow }, trigger: { properties }, rootVariables, variables } = start;
    const render = async (name: string, given = ownProperty(properties, name) ?? null) => {
      const value = await this.#deps.renderer.value(flow, given, { ...rootVariables, trigger: variables });
      return structureIn(value, name);
    };
    const parts = singleLabels(ownProperty(properties, "labels"));
    const { labels, leftOut } = await renderEach(parts, (part) => render("labels", part));
    const inputs = await render("inputs");
    const own = { labels: labels.filter(isUsable), inputs: isJsonObject(inputs) ? inputs : undefined };
    const execution = await this.#createChecked(start, own);
    const at = this.#deps.clock.now();
    for (const message of leftOut) {
      addLogLine(execution, { level: "WARN", at, message: masked(message, start) });
    }
    return execution;
  }

  /** `own` are the labels and inputs that the trigger declares. */
  #createChecked(
    start: TriggerStart,
    own: Pick<TriggerStart, "labels" | "inputs">,
  ): Execution | Promise<Execution> {
    const labels = mergeLabels(own.labels ?? [], start.labels ?? []);
    checkStartLabels(labels, labels.filter(({ value }) => value === ""));
    const flow = withLabels(start.plan.flow, labels);
    const given = givenValues({ ...own.inputs, ...start.inputs });
    return this.#deps.checks.reading(flow, (checks) => {
      const execution = this.#create(start, { labels, inputs: checks.triggerInputs(flow, given) });
      checks.evaluateChecks(flow, execution, this.#deps.clock.now());
      return execution;
    });
  }

  #create(
    { plan, trigger, variables, storedVariables, id, scheduleDate }: TriggerStart,
    { labels, inputs }: { readonly labels: readonly Label[]; readonly inputs?: JsonObject },
  ): Execution {
    const now = this.#deps.clock.now();
    return createExecution(plan.flow, {
      id: id ?? this.#deps.ids.next(now),
      inputs,
      labels,
      trigger: { id: trigger.id, type: trigger.type, variables: storedVariables ?? variables },
      kind: "NORMAL",
      scheduleDate,
    }, now);
  }
}

function masked(text: string, { secrets = [] }: TriggerStart): string {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask.apply(text);
}

/** Each label of a map or list as a map of its own; a text gives all of them. */
function singleLabels(labels: JsonValue | undefined): (JsonObject | string)[] {
  return typeof labels === "string"
    ? [labels]
    : readLabels(labels).map(({ key, value }) => ({ [key]: value }));
}

/** The labels that can be rendered, and a message for each other one. @throws Error a text cannot be rendered, or the database cannot be read */
async function renderEach(
  parts: readonly (JsonObject | string)[],
  render: (part: JsonObject | string) => Promise<JsonValue>,
): Promise<{ readonly labels: Label[]; readonly leftOut: readonly string[] }> {
  const labels: Label[] = [], leftOut: string[] = [];
  for (const part of parts) {
    try {
      labels.push(...readLabels(await render(part)));
    } catch (error) {
      throwDatabaseFault(error);
      if (typeof part === "string") throw error;
      const names = Object.keys(part).join(", ");
      leftOut.push(`Label "${names}" of the trigger is left out: ${(error as Error).message}`);
    }
  }
  return { labels: mergeLabels(labels), leftOut };
}

/** System labels are dropped, so that they do not prevent the start. */
function isUsable({ key }: Label): boolean {
  return !isSystemLabel(key) || key === CORRELATION_LABEL;
}

/** Reads the JSON that an expression gave for the whole property. @throws Error it is neither a list nor an object */
function structureIn(value: JsonValue, name: string): JsonValue {
  const structure = readStructure(value);
  if (typeof structure === "object") return structure;
  throw new Error(`Cannot read the ${name} of the trigger: "${structure}" is no map`);
}
