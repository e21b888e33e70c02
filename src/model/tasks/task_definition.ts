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

/** Trust and identity of a connection, PEM texts. */
export interface TaskTls {
  /** Certificates of authorities, in place of those of the machine. */
  readonly ca?: string;
  /** Certificate of the client, with its `key`. */
  readonly certificate?: string;
  readonly key?: string;
  /** Accepts any certificate of the server. */
  readonly isInsecure?: boolean;
}

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
  /** A file, sent as a stream with its size, instead of `body`: a path of the attempt's directory, or what {@link WorkContext.bodyOf} gave. */
  readonly bodyFile?: string;
  /** The part of `bodyFile` that is sent, in bytes. */
  readonly bodyPart?: { readonly offset: number; readonly length: number };
  /** Name of a file in the attempt's directory that a body of status 2xx is written to, up to {@link WorkContext.maxFileBytes}. */
  readonly saveTo?: string;
  /** Default is true. */
  readonly followRedirects?: boolean;
  /** Trust and identity of an `https` connection; a request with it follows no redirect. */
  readonly tls?: TaskTls;
  /** Longest wait for the connection and for the next bytes of the response; default is 30 seconds. */
  readonly timeoutMs?: number;
  /** Largest response in bytes that is kept in memory; default is 10 MiB. */
  readonly maxBytes?: number;
}

/** A stored file as the body of requests. */
export interface FileBody {
  /** For {@link TaskRequest.bodyFile}. */
  readonly bodyFile: string;
  /** Bytes. */
  readonly size: number;
}

/** The response to a {@link TaskRequest}, whatever its status. */
export interface TaskResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a body that was saved. */
  readonly bytes: Uint8Array;
  /** The body as text. */
  readonly text: string;
  /** Path of the saved body. */
  readonly path?: string;
  /** Bytes of the saved body. */
  readonly size?: number;
}

/** An address that a connection may be opened to. */
export interface ConnectAddress {
  /** An IP address. */
  readonly hostname: string;
  readonly port: number;
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

/** What the attempt of a task and the poll of a trigger have in common. */
export interface WorkContext {
  /** Rendered, with defaults, each with the declared type. */
  readonly properties: JsonObject;
  /** Aborted when the work must stop: kill, timeout or shutdown of the server. */
  readonly signal: AbortSignal;
  /** Adds a line to the log of the attempt, or of the execution that the poll starts. */
  log(level: LogLevel, message: string): void;
  /** Sends a request once, within the network policy of the server. @throws Error no response; the message names the host alone */
  http(request: TaskRequest): Promise<TaskResponse>;
  /**
   * The address for a package that opens its connections itself: the name is resolved once, and the result is checked by the
   * network policy. Of several addresses it is the first that accepts a connection. A TLS connection must still verify the
   * certificate for the name. @throws Error the name has no address, or none that may be reached
   */
  connectAddress(host: string, port: number): Promise<ConnectAddress>;
  /** Copies a stored file into the directory of the work; returns its path. @throws Error it does not exist */
  fetchFile(uri: string): Promise<string>;
  /**
   * A stored file for the body of requests, which read it from the storage without a copy. Its content is that of this moment for
   * all of them. @throws Error it does not exist
   */
  bodyOf(uri: string): Promise<FileBody>;
  /** Absolute path of a directory of this work alone, which it may read and change; made at the first call. */
  directory(): Promise<string>;
  /** Stores a file of that directory; returns its storage URI. @throws Error it has more than {@link maxFileBytes} */
  storeFile(path: string): Promise<string>;
  /** Bytes of the largest file that can be stored. What comes from another server must end there: it may send without an end. */
  readonly maxFileBytes: number;
}

/** What an attempt reads, and the only ways by which it affects anything outside itself. */
export interface TaskContext extends WorkContext {
  readonly attempt: TaskAttempt;
  /** Reports a metric; a timer is in milliseconds. */
  metric(
    name: string,
    value: number,
    options?: { readonly type?: MetricType; readonly tags?: Readonly<Record<string, string>> },
  ): void;
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
