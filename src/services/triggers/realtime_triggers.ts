/**
 * Realtime triggers: each holds a connection to another system and starts an execution for each message. The due time of its
 * state opens the connection when the flow is saved and when a server starts; changes of the declaration or of the switch end it.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ownProperty } from "../../base/json.ts";
import type { Instant } from "../../base/time/clock.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { throwDatabaseFault, thrownMessage } from "../../model/errors.ts";
import { addLogLine, type LogLine } from "../../model/executions/execution.ts";
import type { TenantId, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import type { TaskPorts } from "../../model/ports/task_ports.ts";
import type { RealtimeTriggerType } from "../../model/triggers/trigger_catalog.ts";
import type { TriggerMessage } from "../../model/triggers/trigger_definition.ts";
import {
  flowOf,
  triggerName,
  type TriggerState,
  withEvaluation,
} from "../../model/triggers/trigger_state.ts";
import { SecretMask } from "../../rendering/secret_mask.ts";
import { CollectedLog } from "./collected_log.ts";
import type { PollsDeps } from "./polls.ts";
import { renderedProperties } from "./rendered_properties.ts";
import type { DueTrigger } from "./scheduler.ts";
import type { StartResult } from "./trigger_starts.ts";

/** A realtime trigger as its flow declares it. */
interface DeclaredRealtime {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  readonly type: RealtimeTriggerType;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A connection has worked if it took a message, or lasted so many times the pause after it, or the longest pause. */
const WORKED_PAUSES = 10;
/** Messages that a trigger remembers; in the stored state each has the characters of a hash. */
const MAX_REMEMBERED = 100;
const HASH_CHARS = 12;

/** A connection that is open, or will be opened again. */
interface Stream {
  readonly tenant: TenantId;
  readonly declared: DeclaredRealtime;
  readonly stopping: AbortController;
  /** Settles when it has ended. */
  ended: Promise<void>;
}

/** The connections of realtime triggers. */
export class RealtimeTriggers {
  readonly #deps: PollsDeps;
  readonly #streams = new Map<string, Stream>();
  /** Streams that end; they use their connections until then. */
  readonly #ending = new Set<Promise<void>>();
  #ports: TaskPorts | undefined;

  constructor(deps: PollsDeps) {
    this.#deps = deps;
    deps.states.listen((tenant, trigger, next) => {
      if (next?.dueAt === undefined) this.#end(triggerName(tenant, trigger));
    });
  }

  /** Gives triggers access to the outside; before the first check. */
  start(ports: TaskPorts): void {
    this.#ports = ports;
  }

  /** Ends all connections and waits for them. */
  async stop(): Promise<void> {
    this.#ports = undefined;
    for (const name of [...this.#streams.keys()]) this.#end(name);
    await Promise.all(this.#ending);
  }

  /** Ends the connections of a deleted tenant. */
  forget(tenant: TenantId): void {
    for (const [name, stream] of [...this.#streams]) if (stream.tenant === tenant) this.#end(name);
  }

  /**
   * Opens the connection of a trigger that is due, unless it is open; under the lock of its flow. The due time stays, in the past:
   * the next start of a server finds it, and nothing is written while the trigger waits for messages.
   */
  check({ tenant }: DueTrigger, state: TriggerState, declared: DeclaredRealtime): Promise<void> {
    const name = triggerName(tenant, state);
    if (!this.#streams.has(name) && this.#ports) this.#open(name, tenant, declared, this.#ports);
    return Promise.resolve();
  }

  #open(name: string, tenant: TenantId, declared: DeclaredRealtime, ports: TaskPorts): void {
    const stopping = new AbortController();
    const stream: Stream = { tenant, declared, stopping, ended: Promise.resolve() };
    stream.ended = this.#run(stream, ports);
    this.#streams.set(name, stream);
  }

  #end(name: string): void {
    const stream = this.#streams.get(name);
    if (!stream) return;
    this.#streams.delete(name);
    stream.stopping.abort();
    this.#ending.add(stream.ended);
    void stream.ended.finally(() => this.#ending.delete(stream.ended));
  }

  /** Connects until the stream is ended. Never rejects. */
  async #run(stream: Stream, ports: TaskPorts): Promise<void> {
    const { signal } = stream.stopping;
    for (let pauseMs = FIRST_RETRY_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)) {
      const mask = new SecretMask();
      let connectedAt: Instant | undefined, hasTaken = false;
      const connected = () => void (connectedAt ??= this.#deps.clock.now());
      const taken = () => void (hasTaken = true);
      const reason = await this.#listen(stream, { ports, mask, connected, taken }).then(
        () => "The connection ended",
        (error: unknown) => mask.apply(thrownMessage(error)),
      );
      if (signal.aborted) return;
      const at = this.#deps.clock.now();
      this.#deps.buffer.add(stream.tenant, keyIn(stream), { at, outcome: "SKIPPED", reason });
      // A message that cannot be taken ends each connection.
      const lastedMs = at - (connectedAt ?? at);
      const hasWorked = hasTaken || lastedMs >= Math.min(pauseMs * WORKED_PAUSES, MAX_RETRY_MS);
      if (hasWorked) pauseMs = FIRST_RETRY_MS;
      await this.#pause(pauseMs, signal);
    }
  }

  async #listen(
    stream: Stream,
    { ports, mask, connected, taken }: {
      readonly ports: TaskPorts;
      readonly mask: SecretMask;
      readonly connected: () => void;
      /** Called for each message that was taken. */
      readonly taken: () => void;
    },
  ): Promise<void> {
    const { tenant, declared: { plan: { flow }, trigger, type }, stopping: { signal } } = stream;
    const waiting = new CollectedLog();
    const properties = await renderedProperties(this.#deps.renderer, { flow, trigger, type }, mask);
    await type.listen(properties, {
      tenant,
      trigger: keyIn(stream),
      signal,
      ports,
      connected,
      log: (level, message) =>
        waiting.add({ level, message: mask.apply(message), at: this.#deps.clock.now() }),
      emit: (message) => this.#emit(stream, message, waiting.take()).then(taken),
    });
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.setTimer(ms, resolve);
    const stop = () => resolve();
    signal.addEventListener("abort", stop, { once: true });
    return promise.finally(() => {
      cancel();
      signal.removeEventListener("abort", stop);
    });
  }

  async #emit(stream: Stream, message: TriggerMessage, lines: readonly LogLine[]): Promise<void> {
    const { tenant } = stream;
    const excess = await this.#deps.quotas?.refusalOf(tenant, "executions");
    if (excess !== undefined) throw new Error(excess);
    const hash = message.identity === undefined ? undefined : await hashOf(message.identity);
    await this.#deps.states.exclusively(tenant, flowOf(keyIn(stream)), async () => {
      const state = await this.#deps.states.get(tenant, keyIn(stream));
      if (!state || stream.stopping.signal.aborted) throw new Error("The trigger is stopped");
      if (hash === undefined || !rememberedIn(state).includes(hash)) {
        await this.#start(stream, state, { variables: message.variables, hash, lines });
      }
    });
  }

  async #start(
    stream: Stream,
    state: TriggerState,
    { variables, hash, lines }: {
      readonly variables: JsonObject;
      readonly hash: string | undefined;
      readonly lines: readonly LogLine[];
    },
  ): Promise<void> {
    const { tenant, declared: { plan, trigger } } = stream;
    const { clock, ids, states, executor, buffer } = this.#deps;
    const now = clock.now();
    const start = { plan, trigger, variables, id: ids.next(now) };
    const created = await this.#created(start);
    if (typeof created === "string") {
      return buffer.add(tenant, keyIn(stream), { at: now, outcome: "SKIPPED", reason: created });
    }
    const { execution, error } = created;
    for (const line of lines) addLogLine(execution, line);
    const outcome = error === undefined ? "STARTED" : "FAILED";
    const evaluated = withEvaluation(state, { at: now, outcome, reason: error, executionId: execution.id });
    const pollState = hash === undefined ? state.pollState : withRemembered(state, hash);
    const change = { tenant, previous: state, next: { ...evaluated, pollState, date: now, updatedAt: now } };
    await executor.begin(execution, plan, states.mutationsOf(change));
    states.applied(change);
  }

  /** The execution, or the reason why it was not started. */
  async #created(start: {
    readonly plan: FlowPlan;
    readonly trigger: Trigger;
    readonly variables: JsonObject;
    readonly id: string;
  }): Promise<StartResult | string> {
    const { conditions, starts, clock, timeZone } = this.#deps;
    const { plan: { flow }, trigger, variables } = start;
    try {
      const facts = { flow, date: clock.now(), timeZone, variables: { trigger: variables } };
      const refusal = await conditions.refusal(trigger, facts);
      return refusal ?? await starts.createOrFail(start);
    } catch (error) {
      throwDatabaseFault(error);
      const { message } = error as Error;
      return { execution: starts.fail(start, message), error: message };
    }
  }
}

function keyIn({ declared: { plan: { flow }, trigger } }: Stream): TriggerKey {
  return { namespace: flow.namespace, flowId: flow.id, triggerId: trigger.id };
}

async function hashOf(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(identity));
  return new Uint8Array(digest).toBase64().slice(0, HASH_CHARS);
}

const SEEN = "seen";

/** Hashes of the last messages, latest first. */
function rememberedIn({ pollState }: TriggerState): readonly JsonValue[] {
  const seen = pollState && ownProperty(pollState, SEEN);
  return Array.isArray(seen) ? seen : [];
}

function withRemembered(state: TriggerState, hash: string): JsonObject {
  return { ...state.pollState, [SEEN]: [hash, ...rememberedIn(state)].slice(0, MAX_REMEMBERED) };
}
