/**
 * Messages between the server and the process of a plugin, one line of JSON each. Bytes are base64. The process passes them
 * on to the thread that runs the code of the plugin.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type { TaskAttempt } from "../../model/tasks/task_definition.ts";

/** The first message: what to do with the code. */
export type PluginWork =
  /** Reads the definition. `source` is the file as it is. */
  | { readonly type: "describe"; readonly fileName: string; readonly source: string }
  /** Runs an attempt. `code` is JavaScript. */
  | {
    readonly type: "run";
    readonly fileName: string;
    readonly code: string;
    /** Hosts that the code may connect to. */
    readonly net: readonly string[];
    /** The only directory that the code may read and change. */
    readonly directory: string;
    readonly properties: JsonObject;
    readonly attempt: TaskAttempt;
  };

/** To the process of a plugin. */
export type ToPlugin =
  | PluginWork
  | { readonly type: "reply"; readonly id: number; readonly value?: JsonValue; readonly error?: string }
  | { readonly type: "abort" };

/** Calls of the context that have a result. */
export type PluginCallName = "http" | "connectAddress" | "fetchFile" | "bodyOf" | "storeFile" | "execution";

/** From the process of a plugin. */
export type FromPlugin =
  | {
    readonly type: "described";
    /** The definition without its functions. */
    readonly definition: JsonValue;
    readonly hasRun: boolean;
    /** JavaScript. */
    readonly code: string;
  }
  | {
    readonly type: "call";
    readonly id: number;
    readonly name: PluginCallName;
    readonly argument: JsonValue;
  }
  | { readonly type: "log"; readonly level: LogLevel; readonly message: string }
  | { readonly type: "metric"; readonly name: string; readonly value: number; readonly options: JsonObject }
  | { readonly type: "done"; readonly outputs: JsonObject }
  | { readonly type: "failed"; readonly message: string };
