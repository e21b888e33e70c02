/** Starts the processes of plugins and serves their calls. */
import type { Clock } from "../../base/time/clock.ts";
import { parseJson, stringifyJson } from "../../base/json.ts";
import { sourceUrl } from "../../base/source_url.ts";
import { killHostProcess, readErrors, startHostProcess } from "../host_process.ts";
import { readLines } from "../json_lines.ts";
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
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string>;
  readonly #errors: Promise<string>;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #cancelKill = () => {};
  readonly #stop = () => {
    this.#send({ type: "abort" });
    this.#cancelKill();
    this.#cancelKill = this.#clock.setTimer(STOP_MS, () => killHostProcess(this.#child));
  };

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#child = startHostProcess(HOST);
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // The end of the process is seen at its output.
    this.#lines = readLines(this.#child.stdout, MAX_MESSAGE_CHARS);
    this.#errors = readErrors(this.#child.stderr);
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
      const { done, value } = await this.#lines.next();
      if (done) return await this.#end();
      const message = parseJson(value) as unknown as FromPlugin;
      if (message.type === "call") void this.#reply(message, server);
      else if (ENDS.has(message.type)) return message;
      else server.receive(message);
    }
  }

  async #end(): Promise<FromPlugin> {
    if (this.#signal.aborted) return STOPPED;
    const { code, signal } = await this.#child.status;
    const [, reason = ""] = /^(?:error: )?(.*\S)/m.exec(await this.#errors) ?? [];
    return {
      type: "failed",
      message: `The process of the plugin ended with ${signal ?? `code ${code}`}: ${reason}`,
    };
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#cancelKill();
    killHostProcess(this.#child);
    await this.#input.abort().catch(() => {});
    await this.#lines.return(undefined).catch(() => {});
    await this.#child.stdout.cancel().catch(() => {});
    await this.#errors;
    await this.#child.status;
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
    this.#input.write(new TextEncoder().encode(`${stringifyJson(message)}\n`)).catch(() => {});
  }
}

/** Types of the last message of work. */
const ENDS: ReadonlySet<FromPlugin["type"]> = new Set(["described", "done", "failed"]);
