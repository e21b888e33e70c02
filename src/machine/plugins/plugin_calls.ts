/** What the code of a plugin reaches of the server: its calls, log lines and metrics, by the context of its work. */
import { flattenString } from "../../base/text/flatten_string.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { MetricType } from "../../model/executions/metric.ts";
import type { TaskContext, TaskRequest, WorkContext } from "../../model/tasks/task_definition.ts";
import type { RealtimeContext } from "../../model/triggers/trigger_definition.ts";
import type { FromPlugin, PluginCallName } from "./messages.ts";

/** The server as one process of a plugin sees it. */
export interface PluginServer {
  readonly calls: Readonly<Partial<Record<PluginCallName, (argument: JsonValue) => Promise<JsonValue>>>>;
  /** Receives what has no result. */
  receive(message: FromPlugin): void;
}

/** While a definition is read. */
export const NO_SERVER: PluginServer = Object.freeze({ calls: {}, receive: () => {} });

/** A line of a trigger waits in memory for the execution that it belongs to. */
const MAX_WAITING_CHARS = 16 * 1024;

function cutLine(message: string): string {
  return message.length <= MAX_WAITING_CHARS
    ? message
    : flattenString(`${message.slice(0, MAX_WAITING_CHARS - 2)} …`);
}

/** For a poll. */
export function pollServer(context: WorkContext): PluginServer {
  const { calls, receive } = workServer(context);
  return {
    calls,
    receive: (message) =>
      receive(message.type === "log" ? { ...message, message: cutLine(String(message.message)) } : message),
  };
}

function workServer(context: WorkContext): PluginServer {
  return {
    calls: {
      ...connectionCalls(context),
      fetchFile: (uri) => context.fetchFile(String(uri)),
      bodyOf: async (uri) => jsonOf({ ...await context.bodyOf(String(uri)) }),
      storeFile: (path) => context.storeFile(String(path)),
    },
    receive: (message) => {
      if (message.type === "log") context.log(message.level, String(message.message));
    },
  };
}

/** For an attempt of a task. */
export function taskServer(context: TaskContext): PluginServer {
  const { calls, receive } = workServer(context);
  const execution = async (id: JsonValue) => jsonOf({ ...await context.execution(String(id)) });
  return {
    calls: { ...calls, execution },
    receive: (message) => {
      if (message.type !== "metric") return receive(message);
      const options = message.options as {
        readonly type?: MetricType;
        readonly tags?: Record<string, string>;
      };
      context.metric(message.name, Number(message.value), options);
    },
  };
}

/** For a realtime trigger. What was emitted shows that its connection works. */
export function realtimeServer(context: RealtimeContext): PluginServer {
  return {
    calls: {
      ...connectionCalls(context),
      emit: async (argument) => {
        const { outputs, identity } = isJsonObject(argument) ? argument : {};
        if (!isJsonObject(outputs)) throw new Error("Invalid event: it must be an object");
        await context.emit(outputs, typeof identity === "string" ? { identity } : {});
        context.connected();
        return null;
      },
    },
    receive: (message) => {
      if (message.type === "log") context.log(message.level, cutLine(String(message.message)));
      else if (message.type === "connected") context.connected();
    },
  };
}

function connectionCalls(context: Pick<WorkContext, "http" | "connectAddress">): PluginServer["calls"] {
  return {
    http: (request) => sendRequest(request, context),
    connectAddress: async (argument) => {
      const { host, port } = isJsonObject(argument) ? argument : {};
      return jsonOf({ ...await context.connectAddress(String(host), Number(port)) });
    },
  };
}

async function sendRequest(argument: JsonValue, context: Pick<WorkContext, "http">): Promise<JsonValue> {
  if (!isJsonObject(argument)) throw new Error("Cannot send a request: it must be an object with a url");
  const { base64, ...request } = argument;
  const body = typeof base64 === "string" ? Uint8Array.fromBase64(base64) : undefined;
  const { bytes, headers, ...rest } = await context.http({ ...request, body } as unknown as TaskRequest);
  return jsonOf({ ...rest, headers: { ...headers }, base64: bytes.toBase64() });
}

function jsonOf(value: object): JsonObject {
  return value as JsonObject;
}
