/** Polls: runs polling triggers and starts an execution when one has found something. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { readDuration } from "../../base/time/duration.ts";
import { type JsonObject, ownProperty, setOwnProperty, stringifyJson } from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { isDatabaseFault, throwDatabaseFault, thrownMessage } from "../../model/errors.ts";
import type { Flow, TenantId, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import type { PollFinding, PollingTriggerType } from "../../model/triggers/trigger_catalog.ts";
import type { TaskPorts } from "../../model/ports/task_ports.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import {
  flowOf,
  triggerName,
  type TriggerState,
  withEvaluation,
} from "../../model/triggers/trigger_state.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { Executor } from "../../runtime/executor.ts";
import { SecretMask } from "../../rendering/secret_mask.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { Quotas } from "../access/quotas.ts";
import { PollWork } from "./poll_work.ts";
import { renderedProperties } from "./rendered_properties.ts";
import type { EvaluationBuffer } from "./evaluation_buffer.ts";
import type { DueTrigger } from "./scheduler.ts";
import type { TriggerStarts } from "./trigger_starts.ts";
import type { TriggerStates } from "./trigger_states.ts";

/** What polls, and the connections of realtime triggers, work with. */
export interface PollsDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly states: TriggerStates;
  readonly starts: TriggerStarts;
  readonly conditions: Conditions;
  readonly renderer: TriggerRenderer;
  readonly executor: Pick<Executor, "begin">;
  readonly buffer: EvaluationBuffer;
  readonly timeZone: string;
  readonly quotas?: Pick<Quotas, "refusalOf">;
}

/** A polling trigger as its flow declares it. */
export interface DeclaredPoll {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  readonly type: PollingTriggerType;
}

/** Result of a poll; with an `error` the execution that it starts fails. */
type Finding =
  | PollFinding & { readonly isFired: true; readonly error?: string }
  | { readonly isFired: false; readonly reason: string };

const DEFAULT_INTERVAL_MS = 60_000;
/** A shorter interval is that long: each poll reads and writes the state of its trigger, and asks another system. */
const MIN_INTERVAL_MS = 1_000;

function isSameState(left: JsonObject = {}, right: JsonObject = {}): boolean {
  return stringifyJson(left) === stringifyJson(right);
}

/** Time from the end of one poll to the next. */
export function pollIntervalMs({ properties }: Trigger): number {
  const ms = readDuration(ownProperty(properties, "interval"));
  return ms === undefined || ms <= 0 ? DEFAULT_INTERVAL_MS : Math.max(ms, MIN_INTERVAL_MS);
}

/** The use cases of polling triggers. */
export class Polls {
  readonly #deps: PollsDeps;
  readonly #closing = new AbortController();
  /** Begin of each poll that is under way. */
  readonly #running = new Map<string, Instant>();
  /** Polls with their confirmations: until these have ended, the next poll would find the same once more. */
  readonly #underWay = new KeyedLock();
  #startedPorts: TaskPorts | undefined;

  constructor(deps: PollsDeps) {
    this.#deps = deps;
  }

  /** Gives polls access to the outside; before the first poll. */
  start(ports: TaskPorts): void {
    this.#startedPorts = ports;
  }

  get #ports(): TaskPorts {
    if (this.#startedPorts) return this.#startedPorts;
    throw new Error("Cannot poll: not started");
  }

  /** Aborts the running polls. */
  stop(): void {
    this.#closing.abort();
  }

  /** When the poll of a trigger that is under way began. */
  runningSince(tenant: TenantId, key: TriggerKey): Instant | undefined {
    return this.#running.get(triggerName(tenant, key));
  }

  /** Polls once, after the poll of the trigger before; resolves once the result is durable and confirmed. */
  poll(due: DueTrigger, declared: DeclaredPoll, isRunning: boolean): Promise<void> {
    const name = triggerName(due.tenant, due.trigger);
    return this.#underWay.run(name, () => this.#pollOnce(due, declared, isRunning));
  }

  async #pollOnce(due: DueTrigger, declared: DeclaredPoll, isRunning: boolean): Promise<void> {
    const before = await this.#deps.states.get(due.tenant, due.trigger);
    // While it waited, the trigger may have been disabled or polled otherwise.
    if (before?.dueAt !== due.dueAt) return;
    await using work = this.#workOf(due, declared, before.pollState);
    const isSkipped = isRunning && !isFlagSet(ownProperty(declared.trigger.properties, "allowConcurrent"));
    const reason = isSkipped
      ? "The previous execution is still running"
      : await this.#deps.quotas?.refusalOf(due.tenant, "executions");
    const finding: Finding = reason === undefined
      ? await this.#watched(due, declared, work)
      : { isFired: false, reason };
    const isSettled = await this.#deps.states.exclusively(due.tenant, flowOf(due.trigger), async () => {
      const state = await this.#deps.states.get(due.tenant, due.trigger);
      if (state?.dueAt !== due.dueAt) return false;
      await this.#settle(due, { state, declared, finding, work });
      return true;
    });
    if (isSettled) await this.#confirm(due, work);
  }

  /** A failure is an evaluation: the other system delivers the same again. */
  async #confirm({ tenant, trigger }: DueTrigger, work: PollWork): Promise<void> {
    const stored = work.state;
    try {
      await work.confirm();
    } catch (error) {
      const reason = thrownMessage(error);
      this.#deps.buffer.add(tenant, trigger, { at: this.#deps.clock.now(), outcome: "SKIPPED", reason });
    }
    if (work.state !== stored) await this.#keepState({ tenant, trigger }, stored, work.state);
  }

  /** Stores what a confirmation has set, unless the state was changed since: it may have been reset. */
  async #keepState(
    { tenant, trigger }: Pick<DueTrigger, "tenant" | "trigger">,
    stored: JsonObject | undefined,
    pollState: JsonObject | undefined,
  ): Promise<void> {
    const { states } = this.#deps;
    await states.exclusively(tenant, flowOf(trigger), async () => {
      const previous = await states.get(tenant, trigger);
      if (!previous || !isSameState(previous.pollState, stored)) return;
      await states.save({ tenant, previous, next: { ...previous, pollState } });
    });
  }

  #workOf({ tenant, trigger }: DueTrigger, { plan: { flow } }: DeclaredPoll, state?: JsonObject): PollWork {
    const { ids, clock } = this.#deps;
    return new PollWork(
      { ...trigger, tenant, flowRevision: flow.revision, executionId: ids.next(clock.now()) },
      { clock, state },
    );
  }

  async #watched({ tenant, trigger }: DueTrigger, declared: DeclaredPoll, work: PollWork): Promise<Finding> {
    const name = triggerName(tenant, trigger);
    this.#running.set(name, this.#deps.clock.now());
    return await this.#find(declared, work).finally(() => this.#running.delete(name));
  }

  async #settle(
    { tenant }: DueTrigger,
    { state, declared, finding, work }: {
      readonly state: TriggerState;
      readonly declared: DeclaredPoll;
      readonly finding: Finding;
      readonly work: PollWork;
    },
  ): Promise<void> {
    const { plan, trigger } = declared;
    const now = this.#deps.clock.now();
    const dueAt = now + pollIntervalMs(trigger);
    const { id } = work;
    const rescheduled = { ...state, pollState: work.state, dueAt, nextDate: dueAt, updatedAt: now };
    if (!finding.isFired) {
      const evaluation: Evaluation = { at: now, outcome: "SKIPPED", reason: finding.reason };
      const next = withEvaluation(rescheduled, evaluation);
      return await this.#deps.states.save({ tenant, previous: state, next });
    }
    const { starts } = this.#deps;
    const { variables, secrets: names = [] } = finding;
    const storedVariables = this.#sealed(plan.flow, finding);
    const secrets = names.map((name) => String(ownProperty(variables, name) ?? ""));
    const start = { plan, trigger, id, variables, storedVariables, secrets };
    const { execution, error } = finding.error === undefined
      ? await starts.createOrFail(start)
      : { execution: starts.fail(start, finding.error), error: finding.error };
    work.addLog(execution);
    const outcome = error === undefined ? "STARTED" : "FAILED";
    const evaluated = withEvaluation(rescheduled, { at: now, outcome, reason: error, executionId: id });
    const change = { tenant, previous: state, next: { ...evaluated, date: now, executionId: id } };
    const mutations = [...this.#deps.states.mutationsOf(change), ...work.takeFiles()];
    await this.#deps.executor.begin(execution, plan, mutations);
    this.#deps.states.applied(change);
    await work.committed();
  }

  async #find({ plan: { flow }, trigger, type }: DeclaredPoll, work: PollWork): Promise<Finding> {
    const { renderer } = this.#deps;
    const mask = new SecretMask();
    try {
      const found = await type.poll(await renderedProperties(renderer, { flow, trigger, type }, mask), {
        signal: this.#closing.signal,
        ports: this.#ports,
        keeper: work.keeper,
        state: work.state,
        setState: (state) => work.set(state),
        whenDurable: (confirm) => work.whenDurable(() => masked(confirm(), mask)),
        whenOver: (close) => work.whenOver(close),
        log: (level, message) => work.log(level, mask.apply(message)),
        hide: (secret) => mask.add(secret),
        render: (template, given) => renderer.value(flow, template, given, mask),
      });
      if (!found) return { isFired: false, reason: "Its condition is false" };
      return await this.#evaluate({ flow, trigger }, found, mask);
    } catch (error) {
      const message = mask.apply(thrownMessage(error));
      work.reset();
      const isStopping = this.#closing.signal.aborted;
      // After a fault of the database the next poll finds the same again.
      const isFailure = !isStopping && !isDatabaseFault(error) &&
        isFlagSet(ownProperty(trigger.properties, "failOnTriggerError"));
      return isFailure
        ? { isFired: true, variables: {}, error: message }
        : { isFired: false, reason: message };
    }
  }

  /** Conditions that cannot be evaluated fail the start, as for a schedule. */
  async #evaluate(
    { flow, trigger }: { readonly flow: Flow; readonly trigger: Trigger },
    found: PollFinding,
    mask: SecretMask,
  ): Promise<Finding> {
    const { conditions, clock, timeZone } = this.#deps;
    const facts = { flow, date: clock.now(), timeZone, variables: { trigger: found.variables } };
    try {
      const refusal = await conditions.refusal(trigger, facts);
      return refusal === undefined ? { isFired: true, ...found } : { isFired: false, reason: refusal };
    } catch (error) {
      throwDatabaseFault(error);
      return { isFired: true, ...found, error: mask.apply((error as Error).message) };
    }
  }

  /** The variables as they are stored: secrets are encrypted. */
  #sealed({ tenant, namespace, id: flowId }: Flow, { variables, secrets = [] }: PollFinding): JsonObject {
    const stored = { ...variables };
    for (const name of secrets) {
      const text = String(ownProperty(variables, name) ?? "");
      setOwnProperty(stored, name, this.#ports.cipher.seal({ tenant, namespace, flowId }, text));
    }
    return stored;
  }
}

async function masked(work: Promise<void>, mask: SecretMask): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new Error(mask.apply(thrownMessage(error)), { cause: error });
  }
}
