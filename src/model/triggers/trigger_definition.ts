/**
 * The interface of trigger types that are declared with `defineTrigger`: those of `src/integrations/` and of plugin files.
 * A trigger either polls, or holds a connection (`realtime`).
 */
import type { JsonObject } from "../../base/json.ts";
import type { TriggerKey } from "../flows/flow.ts";
import type { PropertySchemas } from "../flows/schema.ts";
import type { TypeExample } from "../flows/type_declaration.ts";
import type { TaskDefinition, WorkContext } from "../tasks/task_definition.ts";

/** Small data that polls of a trigger keep, such as the position of the last record; at most 16 KiB as JSON. */
interface TriggerMemory {
  /** What was set last; `undefined` at first and after a reset of the trigger. */
  get(): JsonObject | undefined;
  /** Replaces it. Durable together with the evaluation of the poll; nothing is kept if the poll fails. @throws Error it is too large */
  set(state: JsonObject): void;
}

/**
 * What a poll reads, and the only ways by which it affects anything outside itself. Log lines and stored files belong to the
 * execution that the poll starts, and are discarded if it starts none.
 */
export interface TriggerContext extends WorkContext {
  readonly trigger: TriggerKey & { readonly tenant: string };
  readonly state: TriggerMemory;
  /**
   * Registers what is done once the evaluation of the poll, with the execution that it starts, is durable: messages are
   * confirmed then. It is left out if the poll fails; its own error becomes the reason of an evaluation. A state that it sets
   * is stored afterwards: after a crash in between the next poll reads the state of the evaluation.
   */
  whenDurable(confirm: () => Promise<void>): void;
  /** Registers what is done last, whatever became of the poll: a connection is closed that a confirmation needs. */
  whenOver(close: () => Promise<void>): void;
}

/** A polling trigger. */
export interface TriggerDefinition {
  /** Canonical name, for example `jdbc.postgresql.Trigger`. */
  readonly type: string;
  /** Further names. */
  readonly aliases?: readonly string[];
  readonly title?: string;
  /** One or two sentences, Markdown. */
  readonly description: string;
  /** Expressions are allowed in all properties but those with `dynamic: false`. Each polling type has `interval` in addition. */
  readonly properties: PropertySchemas;
  /** What expressions read as `trigger.<name>`. */
  readonly outputs?: PropertySchemas;
  readonly examples?: readonly TypeExample[];
  /** As of a task: only for plugin files. */
  readonly permissions?: TaskDefinition["permissions"];
  /** Polls once. Outputs start an execution, `undefined` does not. A thrown error is the reason of the evaluation. */
  poll(context: TriggerContext): Promise<JsonObject | undefined>;
}

/** A message of another system. */
export interface TriggerMessage {
  /** What expressions read as `trigger.<name>`. */
  readonly variables: JsonObject;
  /**
   * What identifies the message at its sender. Of the last 100 messages of the trigger with an identity, none starts an
   * execution twice, even if a crash comes between the start and the acknowledgement.
   */
  readonly identity?: string;
}

/**
 * What a realtime trigger reads, and the only ways by which it affects anything outside itself. Log lines belong to the
 * execution that is started next.
 */
export interface RealtimeContext extends Pick<WorkContext, "properties" | "connectAddress" | "http" | "log"> {
  /** Aborted when the connection must end: change of the flow, disabling, shutdown of the server. */
  readonly signal: AbortSignal;
  readonly trigger: TriggerKey & { readonly tenant: string };
  /** To be called when the connection works: if it does for some time, later failures count anew. */
  connected(): void;
  /**
   * Starts an execution with these outputs, one after the other. Resolves once that is durable, or once it is decided that
   * they start none: only then may the message be acknowledged. @throws Error the message must be delivered again
   */
  emit(outputs: JsonObject, options?: Pick<TriggerMessage, "identity">): Promise<void>;
}

/** A trigger that holds a connection and starts an execution for each message. */
export interface RealtimeDefinition extends Omit<TriggerDefinition, "poll"> {
  /**
   * Connects and receives until the signal is aborted, then ends within a second. An end before, or an error, is the reason of an
   * evaluation; then it is called again, after 1 second at first and 60 at last.
   */
  realtime(context: RealtimeContext): Promise<void>;
}

/** Declares a trigger that polls; returns it unchanged. */
export function defineTrigger(definition: TriggerDefinition): TriggerDefinition;
/** Declares a trigger that holds a connection; returns it unchanged. */
export function defineTrigger(definition: RealtimeDefinition): RealtimeDefinition;
export function defineTrigger<T>(definition: T): T {
  return definition;
}
