/** Starts the processes of plugins and serves their calls. */
import type { Clock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { sourceUrl } from "../../base/source_url.ts";
import type { MetricType } from "../../model/executions/metric.ts";
import type { TaskContext, TaskRequest } from "../../model/tasks/task_definition.ts";
import { FairSlots } from "../scripts/process_slots.ts";
import { killHostProcess, readErrors, startHostProcess } from "../host_process.ts";
import { readLines } from "../json_lines.ts";
import type { FromPlugin, PluginCallName, PluginWork, ToPlugin } from "./messages.ts";

/** Time that code has to stop by itself. */
const STOP_MS = 500;
/** Time to read a definition; a file does nothing else when it is loaded. */
const DESCRIBE_MS = 10_000;
/** A response of 10 MiB as base64 and as text fits. */
const MAX_MESSAGE_CHARS = 64 * 1024 * 1024;
const HOST = Object.freeze({
  command: "plugin-host",
  module: sourceUrl("machine/plugins/host.ts"),
  permissions: ["--allow-net", "--allow-read", "--allow-write"],
});

/** The definition of a file as it was read. */
type Described = Extract<FromPlugin, { readonly type: "described" }>;

/** Runs the code of plugins, each attempt in a process of its own. */
export class PluginProcesses {
  readonly #clock: Clock;
  /** A process takes some 70 MB and one processor. */
  readonly #slots = new FairSlots(Math.max(4, 2 * navigator.hardwareConcurrency));

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads a definition. @throws Error the file is wrong; the message names file, line and reason */
  async describe(fileName: string, source: string): Promise<Described> {
    const limit = new AbortController();
    const reason = `${fileName}: it did not load within ${DESCRIBE_MS / 1_000} seconds`;
    const cancel = this.#clock.setTimer(DESCRIBE_MS, () => limit.abort());
    try {
      const last = await this.#exchange({ type: "describe", fileName, source }, { signal: limit.signal });
      if (last.type === "described") return last;
      throw new Error(limit.signal.aborted ? reason : messageOf(last));
    } finally {
      cancel();
    }
  }

  /** Runs an attempt; returns its outputs. @throws Error what the code threw, or how its process ended */
  async run(work: PluginWork & { readonly type: "run" }, context: TaskContext): Promise<JsonObject> {
    const last = await this.#exchange(work, { signal: context.signal, context });
    if (last.type === "done") return last.outputs;
    throw new Error(messageOf(last));
  }

  async #exchange(
    work: PluginWork,
    { signal, context }: { readonly signal: AbortSignal; readonly context?: TaskContext },
  ): Promise<FromPlugin> {
    const release = await this.#slots.acquire(context?.attempt.tenant ?? "", signal);
    if (!release) return STOPPED;
    try {
      await using process = new PluginProcess(this.#clock, signal);
      return await process.exchange(work, context);
    } finally {
      release();
    }
  }
}

const STOPPED: FromPlugin = { type: "failed", message: "The plugin was stopped" };

function messageOf(last: FromPlugin): string {
  return last.type === "failed" ? last.message : `Unexpected message "${last.type}" of the plugin`;
}

/** One process. */
class PluginProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #errors: Promise<string>;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #cancelKill = () => {};
  readonly #stop = () => {
    this.#send({ type: "abort" });
    this.#cancelKill = this.#clock.setTimer(STOP_MS, () => killHostProcess(this.#child));
  };

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#child = startHostProcess(HOST);
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // The end of the process is seen at its output.
    this.#errors = readErrors(this.#child.stderr);
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Sends the work and serves calls; returns the last message. */
  async exchange(work: PluginWork, context: TaskContext | undefined): Promise<FromPlugin> {
    this.#send(work);
    for await (const line of readLines(this.#child.stdout, MAX_MESSAGE_CHARS)) {
      const message = parseJson(line) as unknown as FromPlugin;
      if (message.type === "call") void this.#reply(message, context);
      else if (message.type === "log") context?.log(message.level, String(message.message));
      else if (message.type === "metric") {
        context?.metric(message.name, Number(message.value), optionsOf(message));
      } else return message;
    }
    if (this.#signal.aborted) return STOPPED;
    const { code, signal } = await this.#child.status;
    const [, reason = ""] = /^(?:error: )?(.*\S)/m.exec(await this.#errors) ?? [];
    return {
      type: "failed",
      message: `The process of the plugin ended with ${signal ?? `code ${code}`}: ${reason}`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#cancelKill();
    killHostProcess(this.#child);
    await this.#input.abort().catch(() => {});
    await this.#child.stdout.cancel().catch(() => {});
    await this.#errors;
    await this.#child.status;
  }

  async #reply(
    { id, name, argument }: Extract<FromPlugin, { readonly type: "call" }>,
    context: TaskContext | undefined,
  ): Promise<void> {
    try {
      if (!context) throw new Error(`Cannot use ${name} while a plugin is loaded`);
      this.#send({ type: "reply", id, value: await CALLS[name](argument, context) });
    } catch (error) {
      this.#send({ type: "reply", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #send(message: ToPlugin): void {
    this.#input.write(new TextEncoder().encode(`${stringifyJson(message)}\n`)).catch(() => {});
  }
}

function optionsOf(
  { options }: Extract<FromPlugin, { readonly type: "metric" }>,
): Parameters<TaskContext["metric"]>[2] {
  return options as { readonly type?: MetricType; readonly tags?: Record<string, string> };
}

const CALLS: Readonly<
  Record<PluginCallName, (argument: JsonValue, context: TaskContext) => Promise<JsonValue>>
> = Object.freeze({
  http: sendRequest,
  connectAddress,
  fetchFile: (argument, context) => context.fetchFile(String(argument)),
  bodyOf: async (argument, context) => ({ ...await context.bodyOf(String(argument)) }),
  storeFile: (argument, context) => context.storeFile(String(argument)),
  execution: async (argument, context) =>
    ({ ...await context.execution(String(argument)) }) as unknown as JsonObject,
});

async function sendRequest(argument: JsonValue, context: TaskContext): Promise<JsonValue> {
  if (!isJsonObject(argument)) throw new Error("Cannot send a request: it must be an object with a url");
  const { base64, ...request } = argument;
  const body = typeof base64 === "string" ? Uint8Array.fromBase64(base64) : undefined;
  const { bytes, headers, ...rest } = await context.http({ ...request, body } as unknown as TaskRequest);
  return { ...rest, headers: { ...headers }, base64: bytes.toBase64() };
}

async function connectAddress(argument: JsonValue, context: TaskContext): Promise<JsonValue> {
  const { host, port } = isJsonObject(argument) ? argument : {};
  return { ...await context.connectAddress(String(host), Number(port)) };
}
