/** A whole server in the test's process: memory store, fake clock, no port. */
import { Assembly } from "../../src/server/assembly.ts";
import type { AssemblyOptions } from "../../src/server/options.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { parseJson } from "../../src/base/json.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType, TaskType } from "../../src/model/tasks/task_catalog.ts";
import { MemoryStore } from "./memory_store.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock, settle } from "./fake_clock.ts";
import { yaml } from "./request_bodies.ts";

/** What an effect does in one attempt. */
export type Effect = (
  properties: JsonObject,
  context: RunContext,
) => AttemptOutcome | Promise<AttemptOutcome>;

/** How a harness differs from the default. */
export interface HarnessOptions extends Partial<AssemblyOptions> {
  /** Wraps the memory store, for example to inject faults. */
  readonly wrap?: (store: MemoryStore) => Store;
  /** What `harness.Effect` tasks do; by default they succeed at once. */
  readonly effect?: Effect;
}

/** Type of the task with a side effect; its property `name` is dynamic. */
export const EFFECT_TYPE = "io.svc.plugin.harness.Effect";

/** A running server and its clock. */
export class Harness implements AsyncDisposable {
  readonly assembly: Assembly;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly #options: HarnessOptions;
  /** Ends the effects under way. */
  readonly #endEffects: () => void;
  #isGone = false;

  private constructor(
    assembly: Assembly,
    { clock, store, options, endEffects }: {
      readonly clock: FakeClock;
      readonly store: MemoryStore;
      readonly options: HarnessOptions;
      readonly endEffects: () => void;
    },
  ) {
    this.assembly = assembly;
    this.clock = clock;
    this.store = store;
    this.#options = options;
    this.#endEffects = endEffects;
  }

  /** Starts a server; over `store` when given, as after a crash. */
  static async start(
    options: HarnessOptions = {},
    store?: MemoryStore,
    clock = new FakeClock(),
  ): Promise<Harness> {
    const memory = store ?? new MemoryStore(clock);
    const over = Promise.withResolvers<AttemptOutcome>();
    let chance = 0;
    const assembly = await Assembly.create({
      store: options.wrap?.(memory) ?? memory,
      clock,
      logger: silentLogger(clock),
      randomBytes: (buffer) =>
        void buffer.forEach((_, index) => buffer[index] = chance = (chance * 31 + 7) % 241),
      random: () => 0.5,
      encryptionKey: new Uint8Array(32).fill(7),
      host: "127.0.0.1",
      port: 8080,
      maxUploadBytes: 10_000_000,
      timeZone: "UTC",
      secrets: new Map(),
      envs: new Map(),
      version: "0.0.0",
      noAuthExplicit: true,
      extraTasks: [effectTask(over.promise, options.effect), ...(options.extraTasks ?? [])],
      ...withoutOwn(options),
    });
    await assembly.start();
    const endEffects = () => over.resolve({ state: "KILLED" });
    return new Harness(assembly, { clock, store: memory, options, endEffects });
  }

  /** Sends a request to the tenant `main`, path below `/api/v1/main` unless it is one of the root. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const full = /^\/(api|ui|ping|health|openapi|swagger|prometheus)/.test(path)
      ? path
      : `/api/v1/main${path}`;
    return await this.assembly.fetch(new Request(`http://127.0.0.1:8080${full}`, { method, ...init }));
  }

  /** As {@link request}; the answer's JSON. @throws Error for a status of 400 or more */
  async json(method: string, path: string, init: RequestInit = {}): Promise<JsonValue> {
    const response = await this.request(method, path, init);
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : parseJson(text);
  }

  /** A page of a list. */
  async page<Item = JsonObject>(path: string): Promise<PageResponse<Item>> {
    return await this.json("GET", path) as unknown as PageResponse<Item>;
  }

  /** Saves a flow. */
  async save(source: string): Promise<JsonObject> {
    return await this.json("POST", "/flows", yaml(source)) as JsonObject;
  }

  /** Starts a flow of namespace `demo`; the start's answer. */
  async start(flowId: string, form: Readonly<Record<string, string>> = {}, query = ""): Promise<JsonObject> {
    const body = Object.keys(form).length > 0 ? new URLSearchParams(form) : undefined;
    return await this.json("POST", `/executions/demo/${flowId}${query}`, { body }) as JsonObject;
  }

  /** An execution as stored. */
  async execution(id: JsonValue | undefined): Promise<ExecutionResponse> {
    return await this.json("GET", `/executions/${id}`) as unknown as ExecutionResponse;
  }

  /** Saves a flow, starts it, lets it settle; the execution. */
  async run(source: string, form: Readonly<Record<string, string>> = {}): Promise<ExecutionResponse> {
    const flow = await this.save(source);
    const { id } = await this.start(String(flow.id), form);
    await settle();
    return await this.execution(id);
  }

  /** Moves the clock. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** The server is gone without any good-bye; a new one starts over what was durable. */
  async crash(options: HarnessOptions = this.#options): Promise<Harness> {
    this.#isGone = true;
    const clock = new FakeClock(this.clock.now());
    return await Harness.start(options, this.store.reopen(clock), clock);
  }

  /** Stops in good order and starts again. */
  async restart(): Promise<Harness> {
    await this[Symbol.asyncDispose]();
    const clock = new FakeClock(this.clock.now());
    return await Harness.start(this.#options, this.store.reopen(clock), clock);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    const stopped = this.assembly.stop();
    await settle(); // Interrupted by the end of the server; whoever does not hear it is ended here.
    this.#endEffects();
    await stopped;
  }
}

/** What tests read of a page. */
export interface PageResponse<Item> {
  readonly results: readonly Item[];
  readonly total: number;
  /** There, and false, where not all was counted. */
  readonly isTotalExact?: boolean;
  /** Where the next page of log lines begins. */
  readonly cursor?: string;
}

/** What tests read of an execution. */
export interface ExecutionResponse {
  readonly id: string;
  readonly state: StateResponse;
  readonly taskRunList: readonly TaskRunResponse[];
  readonly [name: string]: unknown;
}

/** What tests read of a state. */
export interface StateResponse {
  readonly current: string;
  readonly histories: readonly { readonly state: string; readonly date: string }[];
}

/** What tests read of a task run. */
export interface TaskRunResponse {
  readonly id: string;
  readonly taskId: string;
  readonly state: StateResponse;
  readonly attempts?: readonly { readonly state: StateResponse }[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** States of a history, in a line. */
export function statesOf(answer: { readonly state: StateResponse }): string {
  return answer.state.histories.map(({ state }) => state).join(" ");
}

function effectTask(
  over: Promise<AttemptOutcome>,
  effect: Effect = () => ({ state: "SUCCESS", outputs: {} }),
): TaskType {
  const type: RunnableTaskType = {
    form: "runnable",
    type: "harness.Effect",
    aliases: [],
    description: "Does what the test says.",
    pure: false,
    properties: { name: { type: "string", dynamic: true, description: "Handed to the effect." } },
    run: (properties, context) => {
      const outcome = effect(properties, context);
      return outcome instanceof Promise ? Promise.race([outcome, over]) : outcome;
    },
  };
  return type;
}

function withoutOwn({ wrap: _wrap, effect: _effect, extraTasks: _extra, ...options }: HarnessOptions) {
  return options;
}
