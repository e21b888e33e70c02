/** Triggers that look again and again whether something has happened. */
import type { Clock } from "../../base/clock.ts";
import { parseDuration } from "../../base/duration.ts";
import { type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import { isFlagSet } from "../../base/truthy_text.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import type { PollFinding, PollingTriggerType } from "../../model/triggers/trigger_catalog.ts";
import type { TaskPorts } from "../../model/ports/task_ports.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import { flowOf, type TriggerState, withEvaluation } from "../../model/triggers/trigger_state.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { ExecutorPort } from "../executor_port.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { TriggerStarts } from "./trigger_starts.ts";
import type { DueTrigger, TriggerStates } from "./trigger_states.ts";

/** What polls work with. */
interface PollsDeps {
  readonly clock: Clock;
  readonly states: TriggerStates;
  readonly starts: TriggerStarts;
  readonly conditions: Conditions;
  readonly renderer: TriggerRenderer;
  readonly executor: Pick<ExecutorPort, "begin">;
  readonly timeZone: string;
  /** Asked for when they are used: they are built from the services. */
  readonly ports: () => TaskPorts;
}

/** A polling trigger as its flow declares it. */
export interface DeclaredPoll {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  readonly type: PollingTriggerType;
}

/** What a poll has found; with an `error` the start fails. */
type Finding =
  | PollFinding & { readonly isFired: true; readonly error?: string }
  | { readonly isFired: false; readonly reason: string };

const DEFAULT_INTERVAL_MS = 60_000;

/** Time from one poll to the next. */
export function pollIntervalMs({ properties }: Trigger): number {
  const given = ownProperty(properties, "interval") ?? null;
  const ms = given === null ? undefined : parseDuration(String(given));
  return ms === undefined || ms <= 0 ? DEFAULT_INTERVAL_MS : ms;
}

/** The use cases of polling triggers. */
export class Polls {
  readonly #deps: PollsDeps;
  readonly #closing = new AbortController();

  constructor(deps: PollsDeps) {
    this.#deps = deps;
  }

  /** Ends the polls under way. */
  stop(): void {
    this.#closing.abort();
  }

  /** Looks once; resolves once what follows is durable. */
  async poll(due: DueTrigger, declared: DeclaredPoll, isRunning: boolean): Promise<void> {
    const isPassed = isRunning && !isFlagSet(ownProperty(declared.trigger.properties, "allowConcurrent"));
    const finding: Finding = isPassed
      ? { isFired: false, reason: "The previous execution is still running" }
      : await this.#find(declared);
    await this.#deps.states.alone(due.tenant, flowOf(due.trigger), async () => {
      const state = await this.#deps.states.get(due.tenant, due.trigger);
      if (state?.dueAt === due.dueAt) await this.#settle(due, { state, declared, finding });
    });
  }

  async #settle(
    { tenant }: DueTrigger,
    { state, declared, finding }: {
      readonly state: TriggerState;
      readonly declared: DeclaredPoll;
      readonly finding: Finding;
    },
  ): Promise<void> {
    const { plan, trigger } = declared;
    const now = this.#deps.clock.now();
    const dueAt = now + pollIntervalMs(trigger);
    const standing = { ...state, dueAt, nextDate: dueAt, updatedAt: now };
    if (!finding.isFired) {
      const evaluation: Evaluation = { at: now, outcome: "SKIPPED", reason: finding.reason };
      return await this.#deps.states.save({
        tenant,
        previous: state,
        next: withEvaluation(standing, evaluation),
      });
    }
    const { starts } = this.#deps;
    const start = { plan, trigger, variables: finding.variables, kept: this.#sealed(plan.flow, finding) };
    const { execution, error } = finding.error === undefined
      ? await starts.makeOrFail(start)
      : { execution: starts.fail(start, finding.error), error: finding.error };
    const { id: executionId } = execution;
    const outcome = error === undefined ? "STARTED" : "FAILED";
    const evaluated = withEvaluation(standing, { at: now, outcome, reason: error, executionId });
    const change = { tenant, previous: state, next: { ...evaluated, date: now, executionId } };
    await this.#deps.executor.begin(execution, plan, this.#deps.states.mutationsOf(change));
    this.#deps.states.applied(change);
  }

  async #find({ plan: { flow }, trigger, type }: DeclaredPoll): Promise<Finding> {
    const { renderer, ports } = this.#deps;
    try {
      const found = await type.poll(await this.#properties(flow, trigger, type), {
        signal: this.#closing.signal,
        ports: ports(),
        render: (template, given) => renderer.value(flow, template, given),
      });
      if (!found) return { isFired: false, reason: "Its condition is false" };
      return await this.#evaluate(flow, trigger, found);
    } catch (error) {
      const { message } = error as Error;
      const isStopping = this.#closing.signal.aborted;
      const isTold = !isStopping && isFlagSet(ownProperty(trigger.properties, "failOnTriggerError"));
      return isTold ? { isFired: true, variables: {}, error: message } : { isFired: false, reason: message };
    }
  }

  /** Conditions that cannot be told fail the start, as they do for a schedule. */
  async #evaluate(flow: Flow, trigger: Trigger, found: PollFinding): Promise<Finding> {
    const { conditions, clock, timeZone } = this.#deps;
    const facts = { flow, date: clock.now(), timeZone, variables: { trigger: found.variables } };
    try {
      const refusal = await conditions.refusal(trigger, facts);
      return refusal === undefined ? { isFired: true, ...found } : { isFired: false, reason: refusal };
    } catch (error) {
      return { isFired: true, ...found, error: (error as Error).message };
    }
  }

  /** What is stored of a finding: texts that must not be kept in clear are encrypted. */
  #sealed({ tenant, namespace, id: flowId }: Flow, { variables, secrets = [] }: PollFinding): JsonObject {
    const kept = { ...variables };
    for (const name of secrets) {
      const text = String(ownProperty(variables, name) ?? "");
      setOwnProperty(kept, name, this.#deps.ports().cipher.seal({ tenant, namespace, flowId }, text));
    }
    return kept;
  }

  /** Those that may hold expressions rendered; what is evaluated for each answer stays as it is written. */
  async #properties(flow: Flow, trigger: Trigger, type: PollingTriggerType): Promise<JsonObject> {
    const properties: JsonObject = {};
    for (const [name, schema] of Object.entries(type.properties)) {
      const value = ownProperty(trigger.properties, name) ?? schema.default ?? null;
      if (value === null) continue;
      const rendered = schema.dynamic ? await this.#deps.renderer.value(flow, value, {}) : value;
      setOwnProperty(properties, name, rendered);
    }
    return properties;
  }
}
