/** What a task type does beside running its commands. */
import type { JsonObject } from "../../base/json.ts";
import type { ContainerPlace } from "../../model/ports/containers.ts";
import type { ProcessEnd } from "../../model/ports/processes.ts";
import type { LocalPlace } from "../local_files.ts";
import type { LineReader } from "./script_output.ts";

/** Steps of a type before, during and after the run of its commands. */
export interface ScriptHooks {
  /** What the rendered properties add to the run. `folder` is the absolute path of the auxiliary folder. */
  readonly additions?: (properties: JsonObject, folder: string) => ScriptAdditions;
  /** Changes the rendered properties when all files of the task are in its directory. @throws Error the task fails */
  readonly prepare?: (work: HookWork) => Promise<JsonObject>;
  /** Reads the lines of its program. */
  readonly reader?: (properties: JsonObject) => LineReader;
  /** Reads what the commands have left, whatever their exit code; auxiliary files are still there. */
  readonly finish?: (work: HookWork, end: ScriptEnd) => Promise<ScriptFindings>;
  /** The container of the commands, from the rendered properties; absent: properties of script tasks decide. */
  readonly place?: (properties: JsonObject) => ContainerPlace;
}

/** What is known when commands have ended. */
interface ScriptEnd extends Pick<ProcessEnd, "containerId"> {
  /** Outputs that they have reported. */
  readonly vars: JsonObject;
}

/** The attempt of a task with hooks. */
export interface HookWork extends LocalPlace {
  /** Rendered. */
  readonly properties: JsonObject;
}

/** What runs with the commands. */
export interface ScriptAdditions {
  /** Variables; those of the task replace them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Content of files by name, in the auxiliary folder: they are there only while the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands between `beforeCommands` and `commands`. */
  readonly commands?: readonly string[];
}

/** What a type adds to the outputs of its task. */
export interface ScriptFindings {
  /** Beside those of every script, which they may replace. */
  readonly outputs?: JsonObject;
  /** Storage URIs by name, for `outputFiles`. */
  readonly files?: JsonObject;
}
