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
} from "../../model/tasks/task_definition.ts";
import type { FromPlugin, PluginCallName, PluginWork, ToPlugin } from "./messages.ts";

/** The part of the scope of a worker that is used here. */
interface WorkerScope {
  onmessage: (event: { readonly data: ToPlugin }) => void;
  postMessage(message: FromPlugin): void;
}

/** The messages of a thread: calls that wait for a reply, and the signal of the attempt. */
class Messages {
  readonly stop = new AbortController();
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
    if (message.type === "abort") return this.stop.abort(new Error("The attempt must stop"));
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

function contextOf(work: PluginWork & { readonly type: "run" }, messages: Messages): TaskContext {
  const { attempt, properties, directory } = work;
  return {
    attempt,
    properties,
    signal: messages.stop.signal,
    log: (level, message) => messages.log(level, message),
    metric: (name, value, options = {}) =>
      messages.post({ type: "metric", name, value, options: jsonOf(options) as JsonObject }),
    http: (request) => sendRequest(request, messages),
    connectAddress: async (host, port) =>
      await messages.call("connectAddress", { host, port }) as unknown as ConnectAddress,
    fetchFile: async (uri) => String(await messages.call("fetchFile", uri)),
    bodyOf: async (uri) => await messages.call("bodyOf", uri) as unknown as FileBody,
    directory: () => Promise.resolve(directory),
    storeFile: async (path) => String(await messages.call("storeFile", path)),
    execution: async (id) => await messages.call("execution", id) as unknown as ExecutionSummary,
  };
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

async function work(given: PluginWork, messages: Messages): Promise<void> {
  const code = given.type === "run" ? given.code : given.source;
  try {
    const definition = await load(code);
    if (given.type === "describe") return describe(definition, code, messages);
    const outputs = await (definition as TaskDefinition).run(contextOf(given, messages));
    messages.post({ type: "done", outputs: jsonOf(outputs ?? {}) as JsonObject });
  } catch (error) {
    messages.post({ type: "failed", message: placeOf(error, given.fileName) });
  }
}

function describe(definition: unknown, code: string, messages: Messages): void {
  const hasRun = typeof (definition as { readonly run?: unknown } | undefined)?.run === "function";
  messages.post({ type: "described", definition: jsonOf(definition), hasRun, code });
}

/** Sets what code of plugins finds in its global scope. */
function prepareScope(messages: Messages): void {
  const log = (level: LogLevel) => (...values: readonly unknown[]) => messages.log(level, ...values);
  const refuseExit = () => {
    throw new Error("A plugin cannot end its process: return, or throw an error");
  };
  const [debug, info] = [log("DEBUG"), log("INFO")];
  Object.assign(globalThis, {
    defineTask: (definition: TaskDefinition) => definition,
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
    if (data.type === "describe" || data.type === "run") void work(data, messages);
    else messages.receive(data);
  };
}

serve(globalThis as unknown as WorkerScope);
