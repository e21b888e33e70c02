/**
 * The interface of types that run a program of this machine, such as those of DuckDB. It is not offered to plugin files.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { TriggerContext, TriggerDefinition } from "../triggers/trigger_definition.ts";
import type { TaskContext, TaskDefinition, WorkContext } from "./task_definition.ts";

/** A program to run, with the rights of scripts. */
export interface ProgramCommand {
  /** Name or path of the program, and its arguments. */
  readonly command: readonly string[];
  /** Added to the variables of scripts. */
  readonly env?: Readonly<Record<string, string>>;
  /** How to get the program: the end of the message where it is missing. */
  readonly wayOut: string;
}

/** How a program ended. */
export interface ProgramEnd {
  /** 128 plus the signal number if a signal ended it. */
  readonly exitCode: number;
  /** Its output on both streams; the end of it, if it is long. */
  readonly output: string;
}

/** Files and programs. */
interface Programs {
  /** The directory of the enclosing WorkingDirectory, else `directory()`. Programs run in it. */
  workingDirectory(): Promise<string>;
  /**
   * Runs a program in that directory, within the policy of scripts. @throws Error the policy forbids it, or the program is
   * missing
   */
  runProgram(command: ProgramCommand): Promise<ProgramEnd>;
  /**
   * Creates files of that directory by relative name: the URI of a stored file is fetched, any other text is the content.
   * @throws Error a name leaves the directory, or a file is missing
   */
  createFiles(files: JsonValue | undefined): Promise<void>;
  /** Stores the files of that directory that match one of the globs; returns their URIs by relative name. */
  storeFiles(globs: readonly string[]): Promise<JsonObject>;
  /** Removes a file or a folder of that directory. */
  removeFile(name: string): Promise<void>;
}

/** The work of such a type. */
export interface ProgramWork extends WorkContext, Programs {}

/** The attempt of such a task. */
export interface ProgramTaskContext extends TaskContext, Programs {}

/** The poll of such a trigger, whose working directory is its own. */
interface ProgramTriggerContext extends TriggerContext, Programs {}

interface ProgramTaskDefinition extends TaskDefinition {
  run(context: ProgramTaskContext): Promise<JsonObject | void>;
}

interface ProgramTriggerDefinition extends TriggerDefinition {
  poll(context: ProgramTriggerContext): Promise<JsonObject | undefined>;
}

/** Declares such a task type; returns it unchanged. */
export function defineProgramTask(definition: ProgramTaskDefinition): TaskDefinition {
  return definition;
}

/** Declares such a trigger; returns it unchanged. */
export function defineProgramTrigger(definition: ProgramTriggerDefinition): TriggerDefinition {
  return definition;
}
