/**
 * Messages between the server and the process of a plugin, one line of JSON each. Bytes are base64. The process passes them
 * on to the thread that runs the code of the plugin.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type { TaskAttempt } from "../../model/tasks/task_definition.ts";
import type { TriggerContext } from "../../model/triggers/trigger_definition.ts";

/** Code that is run with properties. */
interface RunCode {
  readonly fileName: string;
  /** JavaScript. */
  readonly code: string;
  /** Hosts that the code may connect to. */
  readonly net: readonly string[];
  readonly properties: JsonObject;
}

interface WithDirectory {
  /** The only directory that the code may read and change. */
  readonly directory: string;
  /** Bytes of the largest file that it may store. */
  readonly maxFileBytes: number;
}

interface WithTrigger {
  readonly trigger: TriggerContext["trigger"];
}

/** Runs an attempt of a task. */
export type RunWork = RunCode & WithDirectory & { readonly type: "run"; readonly attempt: TaskAttempt };

/** Polls once. */
export type PollWork = RunCode & WithDirectory & WithTrigger & {
  readonly type: "poll";
  /** What an earlier poll has set last. */
  readonly state?: JsonObject;
};

/** Receives events until it is aborted. */
export type RealtimeWork = RunCode & WithTrigger & { readonly type: "realtime" };

/** The first message: what to do with the code. */
export type PluginWork =
  /** Reads the definition. `source` is the file as it is. */
  | { readonly type: "describe"; readonly fileName: string; readonly source: string }
  | RunWork
  | PollWork
  | RealtimeWork;

/** To the process of a plugin. */
export type ToPlugin =
  | PluginWork
  | { readonly type: "reply"; readonly id: number; readonly value?: JsonValue; readonly error?: string }
  /** Does what a poll has registered for the time when its result is durable; the reply is `done`. */
  | { readonly type: "confirm" }
  | { readonly type: "abort" };

/** Calls of the context that have a result. */
export type PluginCallName =
  | "http"
  | "connectAddress"
  | "fetchFile"
  | "bodyOf"
  | "storeFile"
  | "execution"
  | "emit";

/** What a file declares. */
export interface DescribedPlugin {
  /** The default export without its functions. */
  readonly definition: JsonValue;
  /** Names of these functions. */
  readonly functions: readonly string[];
  /** Whether it was declared with `defineTrigger`. */
  readonly isTrigger: boolean;
  /** Types of all definitions of the file. */
  readonly declared: readonly string[];
  /** JavaScript. */
  readonly code: string;
}

/** The end of the work. */
export interface PluginDone {
  readonly type: "done";
  /** What the code returned; null: nothing. */
  readonly outputs: JsonValue;
  /** The state that a poll or its confirmation has set. */
  readonly state?: JsonObject;
  /** Whether a poll waits for `confirm`. */
  readonly isConfirming?: boolean;
}

/** From the process of a plugin. */
export type FromPlugin =
  | ({ readonly type: "described" } & DescribedPlugin)
  | {
    readonly type: "call";
    readonly id: number;
    readonly name: PluginCallName;
    readonly argument: JsonValue;
  }
  | { readonly type: "log"; readonly level: LogLevel; readonly message: string }
  | { readonly type: "metric"; readonly name: string; readonly value: number; readonly options: JsonObject }
  | { readonly type: "connected" }
  | PluginDone
  | { readonly type: "failed"; readonly message: string };
