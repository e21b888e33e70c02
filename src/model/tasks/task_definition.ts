/**
 * The interface of task types that are declared with `defineTask`: the integrations of `src/integrations/` and the types of
 * plugin files. It holds plain data and asynchronous calls only, so that a type runs in this process or in another one.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ExecutionSummary } from "../executions/execution_summary.ts";
import type { MetricType } from "../executions/metric.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { PropertySchema, PropertySchemas } from "../flows/schema.ts";
import type { MetricDeclaration, TypeExample } from "../flows/type_declaration.ts";

export type { ExecutionSummary } from "../executions/execution_summary.ts";

/** A request of a task. */
export interface TaskRequest {
  /** Absolute, `http` or `https`. */
  readonly url: string;
  /** Default is GET, with a body POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; a text is encoded as UTF-8. */
  readonly body?: string | Uint8Array;
  /** Sent as JSON, instead of `body`. */
  readonly json?: unknown;
  /** Longest wait for the connection and for the next bytes of the response; default is 30 seconds. */
  readonly timeoutMs?: number;
  /** Largest response in bytes; default is 10 MiB. */
  readonly maxBytes?: number;
}

/** The response to a {@link TaskRequest}, whatever its status. */
export interface TaskResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The body as text. */
  readonly text: string;
}

/** The attempt that runs. */
export interface TaskAttempt {
  readonly tenant: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly executionId: string;
  readonly taskId: string;
  readonly taskRunId: string;
  /** From 1. */
  readonly attemptNumber: number;
}

/** What an attempt reads, and the only ways by which it affects anything outside itself. */
export interface TaskContext {
  readonly attempt: TaskAttempt;
  /** Rendered, with defaults, each with the declared type. */
  readonly properties: JsonObject;
  /** Aborted when the attempt must stop: kill, timeout or shutdown of the server. */
  readonly signal: AbortSignal;
  /** Adds a line to the log of the attempt. */
  log(level: LogLevel, message: string): void;
  /** Reports a metric; a timer is in milliseconds. */
  metric(
    name: string,
    value: number,
    options?: { readonly type?: MetricType; readonly tags?: Readonly<Record<string, string>> },
  ): void;
  /** Sends a request once, within the network policy of the server. @throws Error no response; the message names the host alone */
  http(request: TaskRequest): Promise<TaskResponse>;
  /** Copies a stored file into the directory of the attempt; returns its path. @throws Error it does not exist */
  fetchFile(uri: string): Promise<string>;
  /** Absolute path of a directory of the attempt alone, which it may read and change; made at the first call. */
  directory(): Promise<string>;
  /** Stores a file of that directory; returns its storage URI. */
  storeFile(path: string): Promise<string>;
  /** Reads an execution of the tenant. @throws Error it does not exist */
  execution(id: string): Promise<ExecutionSummary>;
}

/** A task type. */
export interface TaskDefinition {
  /** Canonical name, for example `com.example.weather.Forecast`. */
  readonly type: string;
  /** Further names. */
  readonly aliases?: readonly string[];
  readonly title?: string;
  /** One or two sentences, Markdown. */
  readonly description: string;
  /** Expressions are allowed in all properties but those with `dynamic: false`. */
  readonly properties: PropertySchemas;
  readonly outputs?: PropertySchemas;
  readonly metrics?: Readonly<Record<string, MetricDeclaration>>;
  readonly examples?: readonly TypeExample[];
  /** Hosts that the code itself connects to; only for plugin files, whose code has no other permission. */
  readonly permissions?: { readonly net?: readonly string[] };
  /** Runs one attempt and returns its outputs. A thrown error ends it FAILED and logs the message. */
  run(context: TaskContext): Promise<JsonObject | void> | JsonObject | void;
}

/** Declares a task type; returns it unchanged. */
export function defineTask(definition: TaskDefinition): TaskDefinition {
  return definition;
}

/** The properties as the catalog declares them: expressions are allowed unless a property forbids them. */
export function dynamicProperties(properties: PropertySchemas): PropertySchemas {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, PropertySchema] => [
      name,
      { dynamic: true, ...schema },
    ]),
  );
}

/** A value of {@link TaskContext.properties} as text; `undefined` if it is absent or empty. */
export function optionalText(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}
