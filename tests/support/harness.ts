/** A complete server in the test process, with a memory store and a fake clock, without a port. */
import { Assembly } from "../../src/server/assembly.ts";
import type { AssemblyOptions } from "../../src/server/options.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { parseJson } from "../../src/base/json.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType, TaskType } from "../../src/model/tasks/task_catalog.ts";
import { MemoryStore } from "./fakes/memory_store.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock, settle } from "./fakes/fake_clock.ts";
import { describedResponse } from "./checks/described_responses.ts";
import { yaml } from "./flows/request_bodies.ts";

/** The side effect of a `harness.Effect` task in one attempt. */
export type Effect = (
  properties: JsonObject,
  context: RunContext,
) => AttemptOutcome | Promise<AttemptOutcome>;

/** Options of a {@link Harness}. */
export interface HarnessOptions extends Partial<AssemblyOptions> {
  /** Wraps the memory store, for example to inject faults. */
  readonly wrap?: (store: MemoryStore) => Store;
  /** The effect of `harness.Effect` tasks; by default they succeed immediately. */
  readonly effect?: Effect;
}

/** Type of the task with a side effect; its property `name` is dynamic. */
export const EFFECT_TYPE = "io.svc.plugin.harness.Effect";

/** Options of a server over the store, without chance and without a machine. */
export function harnessOptions(store: Store, clock: Clock): AssemblyOptions {
  let chance = 0;
  return {
    store,
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
    containerRuntime: "none",
    hashWork: { cost: 2, passes: 1 },
  };
}

/** A running server and its clock. */
export class Harness implements AsyncDisposable {
  readonly assembly: Assembly;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly #options: HarnessOptions;
  /** Ends running effects. */
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

  /** Starts a server; with `store` it continues from that store, as after a crash. */
  static async start(
    options: HarnessOptions = {},
    store?: MemoryStore,
    clock = new FakeClock(),
  ): Promise<Harness> {
    const memory = store ?? new MemoryStore(clock);
    const over = Promise.withResolvers<AttemptOutcome>();
    const assembly = await Assembly.create({
      ...harnessOptions(options.wrap?.(memory) ?? memory, clock),
      extraTasks: [effectTask(over.promise, options.effect), ...(options.extraTasks ?? [])],
      ...withoutOwn(options),
    });
    await assembly.start();
    const endEffects = () => over.resolve({ state: "KILLED" });
    return new Harness(assembly, { clock, store: memory, options, endEffects });
  }

  /** Sends a request to tenant `main`, and checks the response by the OpenAPI description: `path` is relative to `/api/v1/main` unless it is a root path. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const handle = (each: Request) => this.assembly.fetch(each);
    return await describedResponse(requestOf(method, path, init), handle, this.#options.durations);
  }

  /** Like {@link request}, without reading the body: the response is not checked. */
  async open(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    return await this.assembly.fetch(requestOf(method, path, init));
  }

  /** Like {@link request}; returns the JSON of the response. @throws Error for a status of 400 or more */
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

  /** Starts a flow of namespace `demo`; returns the response. */
  async start(flowId: string, form: Readonly<Record<string, string>> = {}, query = ""): Promise<JsonObject> {
    const body = Object.keys(form).length > 0 ? new URLSearchParams(form) : undefined;
    return await this.json("POST", `/executions/demo/${flowId}${query}`, { body }) as JsonObject;
  }

  /** Reads an execution. */
  async execution(id: JsonValue | undefined): Promise<ExecutionResponse> {
    return await this.json("GET", `/executions/${id}`) as unknown as ExecutionResponse;
  }

  /** Saves a flow, starts it and waits until its work settles; returns the execution. */
  async run(source: string, form: Readonly<Record<string, string>> = {}): Promise<ExecutionResponse> {
    const flow = await this.save(source);
    const { id } = await this.start(String(flow.id), form);
    await settle();
    return await this.execution(id);
  }

  /** Advances the clock. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** Simulates a crash: drops the server and starts a new one from its durable data. */
  async crash(options: HarnessOptions = this.#options): Promise<Harness> {
    this.#isGone = true;
    const clock = new FakeClock(this.clock.now());
    return await Harness.start(options, this.store.reopen(clock), clock);
  }

  /** Stops the server cleanly and starts a new one. */
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
    await settle(); // The stop aborts effects; those that ignore the abort end here.
    this.#endEffects();
    await stopped;
    this.store.close();
    await this.assembly.closed();
  }
}

/** The members of a page that tests read. */
export interface PageResponse<Item> {
  readonly results: readonly Item[];
  readonly total: number;
  /** Present, and false, when the total is not exact. */
  readonly isTotalExact?: boolean;
  /** Start of the next page of log lines. */
  readonly cursor?: string;
}

/** The members of an execution that tests read. */
export interface ExecutionResponse {
  readonly id: string;
  readonly state: StateResponse;
  readonly taskRunList: readonly TaskRunResponse[];
  readonly [name: string]: unknown;
}

/** The members of a state that tests read. */
export interface StateResponse {
  readonly current: string;
  readonly histories: readonly { readonly state: string; readonly date: string }[];
}

/** The members of a task run that tests read. */
export interface TaskRunResponse {
  readonly id: string;
  readonly taskId: string;
  readonly state: StateResponse;
  readonly attempts?: readonly { readonly state: StateResponse }[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The states of a history, separated by spaces. */
export function statesOf(response: { readonly state: StateResponse }): string {
  return response.state.histories.map(({ state }) => state).join(" ");
}

function effectTask(
  over: Promise<AttemptOutcome>,
  effect: Effect = () => ({ state: "SUCCESS", outputs: {} }),
): TaskType {
  const type: RunnableTaskType = {
    form: "runnable",
    type: "harness.Effect",
    aliases: [],
    description: "Runs the effect that the test defines.",
    pure: false,
    properties: { name: { type: "string", dynamic: true, description: "Passed to the effect." } },
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

function requestOf(method: string, path: string, init: RequestInit): Request {
  const isRootPath = /^\/(api|ui|ping|health|openapi|swagger|prometheus)/.test(path);
  return new Request(`http://127.0.0.1:8080${isRootPath ? path : `/api/v1/main${path}`}`, {
    method,
    ...init,
  });
}
