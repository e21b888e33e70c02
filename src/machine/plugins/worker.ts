/**
 * The thread that runs the code of a plugin, with the permissions that the plugin declares. It imports nothing: its modules
 * would need a permission to be read.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type {
  ConnectAddress,
  ExecutionSummary,
  FileBody,
  TaskContext,
  TaskDefinition,
  TaskRequest,
  TaskResponse,
  WorkContext,
} from "../../model/tasks/task_definition.ts";
import type {
  RealtimeContext,
  RealtimeDefinition,
  TriggerContext,
  TriggerDefinition,
} from "../../model/triggers/trigger_definition.ts";
import type {
  FromPlugin,
  PluginCallName,
  PluginDone,
  PluginWork,
  PollWork,
  RealtimeWork,
  RunWork,
  ToPlugin,
} from "./messages.ts";

/** The part of the scope of a worker that is used here. */
interface WorkerScope {
  onmessage: (event: { readonly data: ToPlugin }) => void;
  postMessage(message: FromPlugin): void;
}

/** The messages of a thread: calls that wait for a reply, and the signal of the work. */
class Messages {
  readonly stop = new AbortController();
  /** Does what a poll has registered for the time when its result is durable. */
  confirm = async () => {};
  readonly #scope: WorkerScope;
  readonly #calls = new Map<number, PromiseWithResolvers<JsonValue>>();
  #callCount = 0;

  constructor(scope: WorkerScope) {
    this.#scope = scope;
  }

  post(message: FromPlugin): void {
    this.#scope.postMessage(message);
  }

  log(level: LogLevel, ...values: readonly unknown[]): void {
    this.post({ type: "log", level, message: values.map(textOf).join(" ") });
  }

  async call(name: PluginCallName, argument: unknown): Promise<JsonValue> {
    const id = ++this.#callCount;
    const reply = Promise.withResolvers<JsonValue>();
    this.#calls.set(id, reply);
    // JSON, as the server gets it: a function or a class is not cloned to the other thread.
    this.post({ type: "call", id, name, argument: jsonOf(argument) });
    return await reply.promise;
  }

  receive(message: Exclude<ToPlugin, PluginWork>): void {
    if (message.type === "abort") return this.stop.abort(new Error("The plugin must stop"));
    if (message.type === "confirm") return void this.confirm();
    const { id, value = null, error } = message;
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.message;
  return JSON.stringify(value) ?? String(value);
}

function jsonOf(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

/** What all work has. */
function baseContext(
  { properties }: RunWork | PollWork | RealtimeWork,
  messages: Messages,
): Pick<WorkContext, "properties" | "signal" | "log" | "http" | "connectAddress"> {
  return {
    properties,
    signal: messages.stop.signal,
    log: (level, message) => messages.log(level, message),
    http: (request) => sendRequest(request, messages),
    connectAddress: async (host, port) =>
      await messages.call("connectAddress", { host, port }) as unknown as ConnectAddress,
  };
}

function workContext(work: RunWork | PollWork, messages: Messages): WorkContext {
  return {
    ...baseContext(work, messages),
    fetchFile: async (uri) => String(await messages.call("fetchFile", uri)),
    bodyOf: async (uri) => await messages.call("bodyOf", uri) as unknown as FileBody,
    directory: () => Promise.resolve(work.directory),
    maxFileBytes: work.maxFileBytes,
    storeFile: async (path) => String(await messages.call("storeFile", path)),
  };
}

function taskContext(work: RunWork, messages: Messages): TaskContext {
  return {
    ...workContext(work, messages),
    attempt: work.attempt,
    metric: (name, value, options = {}) =>
      messages.post({ type: "metric", name, value, options: jsonOf(options) as JsonObject }),
    execution: async (id) => await messages.call("execution", id) as unknown as ExecutionSummary,
  };
}

/** A poll: its context, and what was registered and set. */
class Poll {
  readonly context: TriggerContext;
  readonly #confirmations: (() => Promise<void>)[] = [];
  /** What was set since the last message. */
  #fresh: JsonObject | undefined;

  constructor(work: PollWork, messages: Messages) {
    let { state } = work;
    this.context = {
      ...workContext(work, messages),
      trigger: work.trigger,
      state: {
        get: () => state,
        set: (next) => void (this.#fresh = state = jsonOf(next) as JsonObject),
      },
      whenDurable: (confirm) => void this.#confirmations.push(confirm),
      // The process ends then.
      whenOver: () => {},
    };
  }

  async run(definition: TriggerDefinition): Promise<PluginDone> {
    const outputs = jsonOf(await definition.poll(this.context));
    return { ...this.#done(outputs), isConfirming: this.#confirmations.length > 0 };
  }

  async confirm(): Promise<PluginDone> {
    for (const confirm of this.#confirmations) await confirm();
    return this.#done(null);
  }

  #done(outputs: JsonValue): PluginDone {
    const state = this.#fresh;
    this.#fresh = undefined;
    return { type: "done", outputs, state };
  }
}

function realtimeContext(work: RealtimeWork, messages: Messages): RealtimeContext {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...baseContext(work, messages),
    trigger: work.trigger,
    connected: () => messages.post({ type: "connected" }),
    emit: async (outputs, { identity } = {}) => {
      // Events that wait take memory of the plugin, not of the server.
      const sent = last.then(() => messages.call("emit", { outputs, identity }));
      last = sent.catch(() => {});
      await sent;
    },
  };
}

/** The code awaits `emit`, or is a generator that is resumed once the start with its last value is durable. */
async function receiveEvents(definition: RealtimeDefinition, context: RealtimeContext): Promise<void> {
  const events: unknown = await definition.realtime(context);
  if (typeof events !== "object" || events === null || !(Symbol.asyncIterator in events)) return;
  for await (const outputs of events as AsyncIterable<JsonObject>) {
    await context.emit(outputs);
    if (context.signal.aborted) return;
  }
}

async function sendRequest({ body, ...request }: TaskRequest, messages: Messages): Promise<TaskResponse> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const reply = await messages.call("http", { ...request, base64: bytes?.toBase64() }) as {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly base64: string;
    readonly text: string;
    readonly path?: string;
    readonly size?: number;
  };
  const { base64, ...rest } = reply;
  return { ...rest, bytes: Uint8Array.fromBase64(base64) };
}

/** Where in the file an error arose, by the first line of its stack that names the code, and what it says. */
function placeOf(error: unknown, fileName: string): string {
  if (!(error instanceof Error)) return `${fileName}: ${textOf(error)}`;
  const { message, stack = "" } = error;
  const [, line, column] = /data:application\/javascript[^\s)]*?:(\d+):(\d+)/.exec(stack) ?? [];
  const place = line === undefined ? fileName : `${fileName}:${line}:${column}`;
  const [, specifier] = /^Import "(.*?)" not a dependency/.exec(message) ?? [];
  if (specifier !== undefined) return `${place}: Cannot import "${specifier}": a plugin is one file`;
  const [text = ""] = message.replace(/ at data:application\S*$/, "").split("\n");
  const reason = text.replace(/, run again with the --allow-\w+ flag$/, "");
  const isNamed = error.name === "Error" || /^\w*Error: /.test(reason);
  return `${place}: ${isNamed ? "" : `${error.name}: `}${reason}`;
}

async function load(code: string): Promise<unknown> {
  const bytes = new TextEncoder().encode(code);
  const module = await import(`data:application/javascript;base64,${bytes.toBase64()}`);
  return module.default;
}

/** Loads the code and does the work; a poll confirms when it is asked to. */
async function work(given: PluginWork, messages: Messages): Promise<void> {
  const attempted = async (does: () => Promise<FromPlugin>) =>
    messages.post(
      await does().catch((error) => ({ type: "failed", message: placeOf(error, given.fileName) })),
    );
  await attempted(async () => {
    if (given.type === "describe") return describe(await load(given.source), given.source);
    const definition = await load(given.code);
    switch (given.type) {
      case "run": {
        const outputs = await (definition as TaskDefinition).run(taskContext(given, messages));
        return { type: "done", outputs: jsonOf(outputs ?? {}) };
      }
      case "poll": {
        const poll = new Poll(given, messages);
        messages.confirm = () => attempted(() => poll.confirm());
        return await poll.run(definition as TriggerDefinition);
      }
      case "realtime":
        await receiveEvents(definition as RealtimeDefinition, realtimeContext(given, messages));
        return { type: "done", outputs: null };
    }
  });
}

/** Definitions in the order of their declaration; those of triggers. */
const declared: unknown[] = [], triggers = new Set<unknown>();

function describe(definition: unknown, code: string): FromPlugin {
  const members = typeof definition === "object" && definition !== null ? Object.entries(definition) : [];
  return {
    type: "described",
    definition: jsonOf(definition),
    functions: members.filter(([, member]) => typeof member === "function").map(([name]) => name),
    isTrigger: triggers.has(definition),
    declared: declared.map((each) => String((each as { readonly type?: unknown } | null)?.type)),
    code,
  };
}

function declare<T>(definition: T): T {
  declared.push(definition);
  return definition;
}

/** Sets what code of plugins finds in its global scope. */
function prepareScope(messages: Messages): void {
  const log = (level: LogLevel) => (...values: readonly unknown[]) => messages.log(level, ...values);
  const refuseExit = () => {
    throw new Error("A plugin cannot end its process: return, or throw an error");
  };
  const [debug, info] = [log("DEBUG"), log("INFO")];
  Object.assign(globalThis, {
    defineTask: (definition: TaskDefinition) => declare(definition),
    defineTrigger: (definition: TriggerDefinition) => {
      triggers.add(definition);
      return declare(definition);
    },
    // The process sends its messages over the standard output.
    console: { ...console, trace: debug, debug, log: info, info, warn: log("WARN"), error: log("ERROR") },
    close: refuseExit,
  });
  // Without an event the process would wait for ever.
  Object.defineProperty(Deno, "exit", { value: refuseExit });
}

function serve(scope: WorkerScope): void {
  const messages = new Messages(scope);
  prepareScope(messages);
  scope.onmessage = ({ data }) => {
    if ("fileName" in data) void work(data, messages);
    else messages.receive(data);
  };
}

serve(globalThis as unknown as WorkerScope);
