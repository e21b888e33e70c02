/** Runs the code of plugins: each attempt, poll and connection in a process of its own. */
import type { Clock } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import type { RealtimeContext, TriggerContext } from "../../model/triggers/trigger_definition.ts";
import { FairSlots } from "../../base/fair_slots.ts";
import type { DescribedPlugin, FromPlugin, PluginDone, PollWork, RealtimeWork, RunWork } from "./messages.ts";
import { NO_SERVER, pollServer, realtimeServer, taskServer } from "./plugin_calls.ts";
import { PluginProcess, STOPPED } from "./plugin_process.ts";

/** Time to read a definition: a file does nothing else when it is loaded, but a busy machine takes seconds to start a process. */
const DESCRIBE_MS = 30_000;
/** A process takes some 70 MB and one processor. */
const MAX_WORKING = Math.max(4, 2 * navigator.hardwareConcurrency);
/** Connections stay, so they cannot wait for each other. Most of the time they need memory alone: 2 GB. */
const MAX_CONNECTIONS = 32;

/** Runs the code of plugins. */
export class PluginProcesses {
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #attempts = new FairSlots(MAX_WORKING);
  /** Apart from attempts, which may run for hours. */
  readonly #polls = new FairSlots(MAX_WORKING);
  #connections = 0;

  /** `maxConnections`: of realtime triggers. */
  constructor(clock: Clock, { maxConnections = MAX_CONNECTIONS } = {}) {
    this.#clock = clock;
    this.#maxConnections = maxConnections;
  }

  /** Reads a definition. @throws Error the file is wrong; the message names file, line and reason */
  async describe(fileName: string, source: string): Promise<DescribedPlugin> {
    const release = await this.#attempts.acquire("", NEVER);
    try {
      await using process = new PluginProcess(this.#clock, NEVER);
      const reason = `${fileName}: it did not load within ${DESCRIBE_MS / 1_000} seconds`;
      const work = { type: "describe", fileName, source } as const;
      const last = await process.exchange(work, NO_SERVER, { ms: DESCRIBE_MS, reason });
      if (last.type === "described") return last;
      throw failure(last);
    } finally {
      release?.();
    }
  }

  /** Runs an attempt; returns its outputs. @throws Error what the code threw, or how its process ended */
  async run(work: RunWork, context: TaskContext): Promise<JsonValue> {
    const release = await this.#attempts.acquire(context.attempt.tenant, context.signal);
    if (!release) throw failure(STOPPED);
    try {
      await using process = new PluginProcess(this.#clock, context.signal);
      return doneOf(await process.exchange(work, taskServer(context))).outputs;
    } finally {
      release();
    }
  }

  /**
   * Polls once; returns its outputs. The process stays until the poll is over, for what it does when its result is durable.
   * @throws Error what the code threw, how its process ended, or that it took longer than `limitMs`
   */
  async poll(work: PollWork, context: TriggerContext, limitMs: number): Promise<JsonValue> {
    const process = await this.#polls.begin(context.trigger.tenant, context.signal, (release) => {
      const begun = new PluginProcess(this.#clock, context.signal);
      context.whenOver(async () => {
        await begun[Symbol.asyncDispose]();
        release();
      });
      return begun;
    });
    if (!process) throw failure(STOPPED);
    const does = async (message: PollWork | { readonly type: "confirm" }, what: string) => {
      const reason = `${work.fileName}: ${what} took longer than ${limitMs / 1_000} s`;
      const done = doneOf(await process.exchange(message, pollServer(context), { ms: limitMs, reason }));
      if (done.state) context.state.set(done.state);
      return done;
    };
    const { outputs, isConfirming } = await does(work, "the poll");
    if (isConfirming) {
      context.whenDurable(async () => void await does({ type: "confirm" }, "what follows a poll"));
    }
    return outputs;
  }

  /** Receives events until the signal is aborted. @throws Error what the code threw, or how its process ended */
  async realtime(work: RealtimeWork, context: RealtimeContext): Promise<void> {
    if (this.#connections >= this.#maxConnections) {
      throw new Error(`Cannot run: there are ${this.#maxConnections} realtime triggers of plugins already`);
    }
    this.#connections++;
    try {
      await using process = new PluginProcess(this.#clock, context.signal);
      doneOf(await process.exchange(work, realtimeServer(context)));
    } finally {
      this.#connections--;
    }
  }
}

const NEVER: AbortSignal = new AbortController().signal;

/** @throws Error the work failed */
function doneOf(last: FromPlugin): PluginDone {
  if (last.type === "done") return last;
  throw failure(last);
}

function failure(last: FromPlugin): Error {
  return new Error(last.type === "failed" ? last.message : `Unexpected message "${last.type}" of the plugin`);
}
