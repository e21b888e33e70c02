/** Starts the processes of plugins and serves their calls. */
import type { Clock } from "../../base/time/clock.ts";
import { parseJson, stringifyJson } from "../../base/json.ts";
import { sourceUrl } from "../../base/source_url.ts";
import { HostProcess } from "../host_process.ts";
import type { FromPlugin, ToPlugin } from "./messages.ts";
import type { PluginServer } from "./plugin_calls.ts";

/** Time that code has to stop by itself. */
const STOP_MS = 500;
/** A response of 10 MiB as base64 and as text fits. */
const MAX_MESSAGE_CHARS = 64 * 1024 * 1024;
const HOST = Object.freeze({
  command: "plugin-host",
  module: sourceUrl("machine/plugins/host.ts"),
  permissions: ["--allow-net", "--allow-read", "--allow-write"],
});

/** What a stopped process gives. */
export const STOPPED: FromPlugin = Object.freeze({ type: "failed", message: "The plugin was stopped" });

/** A time limit. */
interface Limit {
  readonly ms: number;
  /** The error of work that takes longer. */
  readonly reason: string;
}

/** One process. It is stopped by its signal: asked first, and killed half a second later. */
export class PluginProcess implements AsyncDisposable {
  readonly #process = new HostProcess(HOST, { maxLineChars: MAX_MESSAGE_CHARS });
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #cancelKill = () => {};
  readonly #stop = () => {
    this.#send({ type: "abort" });
    this.#cancelKill();
    this.#cancelKill = this.#clock.setTimer(STOP_MS, this.#process.kill);
  };

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Sends work and serves its calls; returns its last message. One after the other. */
  async exchange(message: ToPlugin, server: PluginServer, limit?: Limit): Promise<FromPlugin> {
    let isLate = false;
    const cancel = limit && this.#clock.setTimer(limit.ms, () => {
      isLate = true;
      this.#stop();
    });
    try {
      this.#send(message);
      const last = await this.#serve(server);
      return limit && isLate ? { type: "failed", message: limit.reason } : last;
    } finally {
      cancel?.();
    }
  }

  async #serve(server: PluginServer): Promise<FromPlugin> {
    for (;;) {
      const line = await this.#process.receive();
      if (line === undefined) return await this.#end();
      const message = parseJson(line) as unknown as FromPlugin;
      if (message.type === "call") void this.#reply(message, server);
      else if (ENDS.has(message.type)) return message;
      else server.receive(message);
    }
  }

  async #end(): Promise<FromPlugin> {
    if (this.#signal.aborted) return STOPPED;
    const { cause, errors } = await this.#process.end();
    const [, reason = ""] = /^(?:error: )?(.*\S)/m.exec(errors) ?? [];
    return { type: "failed", message: `The process of the plugin ended with ${cause}: ${reason}` };
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#cancelKill();
    await this.#process[Symbol.asyncDispose]();
  }

  async #reply(
    { id, name, argument }: Extract<FromPlugin, { readonly type: "call" }>,
    { calls }: PluginServer,
  ): Promise<void> {
    try {
      const call = calls[name];
      if (!call) throw new Error(`Cannot use ${name} here`);
      this.#send({ type: "reply", id, value: await call(argument) });
    } catch (error) {
      this.#send({ type: "reply", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #send(message: ToPlugin): void {
    this.#process.send(stringifyJson(message));
  }
}

/** Types of the last message of work. */
const ENDS: ReadonlySet<FromPlugin["type"]> = new Set(["described", "done", "failed"]);
