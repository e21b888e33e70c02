/** What a plugin works with when it is tried without a server. */
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { HttpClient } from "../../machine/http_client/http_client.ts";
import { secureRandom } from "../../machine/secure_random.ts";
import type { TaskContext, WorkContext } from "../../model/tasks/task_definition.ts";
import type { RealtimeContext, TriggerContext } from "../../model/triggers/trigger_definition.ts";
import { connectAddress, sendRequest } from "../../tasks/definition/send_request.ts";

/** Contexts with a folder that is removed at the end. */
export interface Trial extends AsyncDisposable {
  readonly work: WorkContext;
  /** Ends the work. */
  stop(): void;
}

/** Log lines and metrics are printed. Storage URIs are paths of local files. */
export function startTrial(properties: JsonObject, print: (line: string) => void): Trial {
  const http = new HttpClient({ clock: systemClock, random: secureRandom, userAgent: "sluice-plugin-test" });
  const stopping = new AbortController(), { signal } = stopping;
  let made: Promise<string> | undefined;
  const directory = () => made ??= Deno.makeTempDir({ prefix: "sluice-plugin-" });
  const work: WorkContext = {
    properties,
    signal,
    log: (level, message) => print(`${level} ${message}`),
    http: (request) => sendRequest(request, { http, signal, directory }),
    connectAddress: (host, port) => connectAddress(host, port, { http, signal }),
    directory,
    maxFileBytes: Number.MAX_SAFE_INTEGER,
    async fetchFile(path) {
      const copy = `${await directory()}/${path.slice(path.lastIndexOf("/") + 1)}`;
      await Deno.copyFile(path.replace(/^file:\/\//, ""), copy);
      return copy;
    },
    async bodyOf(path) {
      const bodyFile = await work.fetchFile(path);
      return { bodyFile, size: (await Deno.stat(bodyFile)).size };
    },
    async storeFile(path) {
      const { size } = await Deno.stat(path);
      print(`stored ${path} (${size} bytes)`);
      return `sluice:///trial/${path.slice(path.lastIndexOf("/") + 1)}`;
    },
  };
  return {
    work,
    stop: () => stopping.abort(),
    async [Symbol.asyncDispose]() {
      if (made) await Deno.remove(await made, { recursive: true });
    },
  };
}

const FLOW = Object.freeze({ tenant: "main", namespace: "trial", flowId: "trial" });
const TRIGGER = Object.freeze({ ...FLOW, triggerId: "trial" });

/** For an attempt of a task. */
export function taskTrial({ work }: Trial, print: (line: string) => void): TaskContext {
  return {
    ...work,
    attempt: { ...FLOW, executionId: "trial", taskId: "trial", taskRunId: "trial", attemptNumber: 1 },
    metric: (name, value) => print(`metric ${name} = ${value}`),
    execution: () => Promise.reject(new Error("Cannot read an execution without a server")),
  };
}

/** A poll, and what it has set and registered. */
export class PollTrial implements AsyncDisposable {
  readonly context: TriggerContext;
  readonly #confirmations: (() => Promise<void>)[] = [];
  readonly #closings: (() => Promise<void>)[] = [];
  state: JsonObject | undefined;

  constructor({ work }: Trial, state: JsonObject | undefined) {
    this.state = state;
    this.context = {
      ...work,
      trigger: TRIGGER,
      state: { get: () => this.state, set: (next) => this.state = next },
      whenDurable: (confirm) => void this.#confirmations.push(confirm),
      whenOver: (close) => void this.#closings.push(close),
    };
  }

  /** Whether something is left to do once the result is durable. */
  get hasConfirmation(): boolean {
    return this.#confirmations.length > 0;
  }

  /** Does it. */
  async confirm(): Promise<void> {
    for (const confirm of this.#confirmations) await confirm();
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closings) await close();
  }
}

/** For a realtime trigger; each event is `taken`. */
export function realtimeTrial({ work }: Trial, taken: (event: JsonObject) => void): RealtimeContext {
  return { ...work, trigger: TRIGGER, connected: () => {}, emit: (event) => Promise.resolve(taken(event)) };
}
