/**
 * The interface of task types that change the server itself, such as those of git. It is not offered to plugin files. All of
 * it is limited to the tenant of the attempt, as for every task: within a tenant any flow may name any namespace.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FlowKey } from "../flows/flow.ts";
import type { DashboardChange, DashboardSource, DashboardWrite } from "../ports/dashboards.ts";
import type { FlowChange, FlowSource, FlowWrite } from "../ports/flows.ts";
import type { Machine } from "./machine_task.ts";
import type { TaskContext, TaskDefinition, TaskRequest, TaskResponse } from "./task_definition.ts";

/** Flows of the tenant. Changes are durable when a method returns. */
export interface ServerFlows {
  /** The flows of a namespace, and with `withChildren` of those below it. */
  list(namespace: string, options: { readonly withChildren: boolean }): Promise<FlowSource[]>;
  /** Creates a flow or its next revision. @throws DomainError invalid_entity, quota_exceeded */
  put(write: FlowWrite): Promise<FlowChange>;
  /** Deletes a flow. @throws DomainError not_found */
  delete(key: FlowKey): Promise<void>;
}

/** Dashboards of the tenant. Changes are durable when a method returns. */
export interface ServerDashboards {
  /** All stored dashboards, ordered by id. */
  list(): Promise<DashboardSource[]>;
  /** Creates or replaces a dashboard; `id` is that of a source that names none. @throws DomainError invalid_entity, too_large, invalid_argument */
  put(write: DashboardWrite): Promise<DashboardChange>;
  /** Deletes a dashboard. @throws DomainError not_found */
  delete(id: string): Promise<void>;
}

/** Namespace files of the tenant. Paths are relative to the namespace. Changes are durable when a method returns. */
export interface ServerFiles {
  /** Sorted paths. @throws DomainError invalid_argument */
  list(namespace: string): Promise<string[]>;
  /** The content; `undefined` if there is no such file. @throws DomainError invalid_argument; Error more than 100 MiB, or `maxBytes` */
  read(namespace: string, path: string, maxBytes?: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Creates a file or its next revision. @throws DomainError invalid_argument, too_large, storage_full */
  write(namespace: string, path: string, content: Uint8Array): Promise<void>;
  /** Deletes a file and parent folders that become empty. @throws DomainError invalid_argument */
  delete(namespace: string, path: string): Promise<void>;
}

/** KV pairs of the namespace of the flow. Changes are durable when a method returns. @throws DomainError invalid_argument */
export interface ServerKvPairs {
  /** The value; `undefined` if there is no such pair. */
  get(key: string): Promise<JsonValue | undefined>;
  /** Sets a text. `ttl`: ISO 8601 duration; without it the pair never expires. */
  set(
    key: string,
    text: string,
    options?: { readonly ttl?: string; readonly description?: string },
  ): Promise<void>;
  /**
   * Sets the text that `change` makes of the value, in one step; description and expiry stay. If it makes `undefined`, the pair
   * stays as it is, and the result is false.
   */
  update(key: string, change: (value: JsonValue | undefined) => string | undefined): Promise<boolean>;
  /** Returns false if there was none. */
  delete(key: string): Promise<boolean>;
}

/** A response that is not kept in memory. A caller that cancels `body` closes the connection. */
export interface StreamedResponse extends Pick<TaskResponse, "status" | "headers"> {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Lines that a program prints elsewhere, read as those of scripts: control lines report outputs, metrics and log lines. */
export interface ProgramLines {
  /** Outputs of control lines. */
  readonly vars: JsonObject;
  /** Logs a line, or applies a control line; the next one must wait for a returned promise. @throws Error too many outputs */
  take(line: { readonly text: string; readonly isError: boolean }): Promise<void> | undefined;
}

/** The context of such a type. */
export interface ServerTaskContext
  extends
    TaskContext,
    Pick<Machine, "createFiles" | "findFiles" | "lastRequest" | "openProgram" | "readFile"> {
  readonly flows: ServerFlows;
  readonly dashboards: ServerDashboards;
  /** Sorted names of the namespaces of the tenant: created ones, those of flows, and those above them. */
  namespaces(): Promise<string[]>;
  readonly namespaceFiles: ServerFiles;
  readonly kvPairs: ServerKvPairs;
  /** Renders a template of a property with `dynamic: false`, with further root variables. @throws Error rendering failed */
  render(template: string, variables?: JsonObject): Promise<JsonValue>;
  /** Sends a request whose response is read while it arrives, such as events; else as `http`. */
  httpStream(request: TaskRequest): Promise<StreamedResponse>;
  /** Reads the lines of one program. */
  programLines(): ProgramLines;
  /**
   * Absolute path of a folder of the enclosing WorkingDirectory, without one of `directory()`; made with its parents. `""` is
   * the directory itself. @throws Error it has files, or a link leads to it
   */
  emptyFolder(path: string): Promise<string>;
}

/** Such a type. */
interface ServerTaskDefinition extends TaskDefinition {
  run(context: ServerTaskContext): Promise<JsonObject | void>;
}

/** Declares such a type; returns it unchanged. */
export function defineServerTask(definition: ServerTaskDefinition): TaskDefinition {
  return definition;
}
