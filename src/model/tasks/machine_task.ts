/**
 * The interface of types that use programs and files of this machine, such as those of DuckDB and SQLite. It is not offered to
 * plugin files.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ContainerPlace } from "../ports/containers.ts";
import type { Evaluator } from "../ports/evaluators.ts";
import type { LocalFiles } from "../ports/local_files.ts";
import type { SqliteDatabase } from "../ports/sqlite.ts";
import type {
  TaskContext,
  TaskDefinition,
  TaskRequest,
  TaskResponse,
  WorkContext,
} from "./task_definition.ts";

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

/** A program that is used while it runs. */
export interface OpenedProgram extends Pick<ProgramCommand, "command" | "env"> {
  /** The container that it runs in, with the command as arguments; absent: it is a process of this machine. */
  readonly container?: Pick<ContainerPlace, "image" | "volumes">;
  /** How to get the program: the end of the message where it is missing. */
  readonly wayOut: string;
}

/** A running program; its error output is logged. Disposal ends it. */
export interface RunningProgram extends AsyncDisposable {
  /** Sends a line. @throws Error it has ended */
  send(line: string): Promise<void>;
  /** The next line of its output. @throws Error it has ended, or the line is too long */
  receive(): Promise<string>;
}

/** A running program that is used with bytes; its error output is logged. Disposal ends it. */
export interface ProgramPipe extends AsyncDisposable {
  /** Sends bytes. @throws Error it has ended */
  send(bytes: Uint8Array): Promise<void>;
  /** The next bytes of its output. @throws Error it has ended */
  receive(): Promise<Uint8Array>;
}

/** Files, programs, and requests after a stop. */
export interface Machine {
  /** As `http`, but also when the work must stop: to end what runs elsewhere. It fails after 5 seconds. */
  lastRequest(request: TaskRequest): Promise<TaskResponse>;
  /** The directory of the enclosing WorkingDirectory, else `directory()`. Machine run in it. */
  workingDirectory(): Promise<string>;
  /**
   * Runs a program in that directory, within the policy of scripts. @throws Error the policy forbids it, or the program is
   * missing
   */
  runProgram(command: ProgramCommand): Promise<ProgramEnd>;
  /**
   * Starts a program in that directory, within the policy of scripts. @throws Error the policy forbids it, or the program is
   * missing
   */
  openProgram(program: OpenedProgram): Promise<RunningProgram>;
  /** As {@link Machine.openProgram}, for a program that reads and writes bytes. */
  pipeProgram(program: ProgramCommand): Promise<ProgramPipe>;
  /**
   * Creates files of that directory by relative name: the URI of a stored file is fetched, any other text is the content.
   * @throws Error a name leaves the directory, or a file is missing
   */
  createFiles(files: JsonValue | undefined): Promise<void>;
  /** Sorted names of the files of that directory that match one of the globs; links are left out. @throws Error there are too many */
  findFiles(globs: readonly string[]): Promise<string[]>;
  /** The content of such a file. @throws Error it is missing, a link, or has more than 100 MiB */
  readFile(name: string): Promise<Uint8Array>;
  /** Stores the files of that directory that match one of the globs; returns their URIs by relative name. */
  storeFiles(globs: readonly string[]): Promise<JsonObject>;
  /**
   * Opens a database of SQLite in that directory, in a process that reaches no other one. @throws Error the name leaves the
   * directory, or a link is there
   */
  openSqlite(file: string): Promise<SqliteDatabase>;
  /** Starts an evaluator of an expression; `operation` is verb and object for messages. @throws Error the work must stop */
  startEvaluator(expression: JsonObject, operation: string): Promise<Evaluator>;
  /** Files of the machine in the folders that the operator allows. @throws Error there are none */
  localFiles(): LocalFiles;
  /** Removes a file or a folder of that directory. */
  removeFile(name: string): Promise<void>;
}

/** The work of such a type. */
export interface MachineWork extends WorkContext, Machine {}

/** The attempt of such a task. */
export interface MachineTaskContext extends TaskContext, Machine {
  /** `undefined` while further log lines fit, else settles when they do: to be awaited between lines of which there may be many. */
  logged(): Promise<void> | undefined;
}

interface MachineTaskDefinition extends TaskDefinition {
  run(context: MachineTaskContext): Promise<JsonObject | void>;
}

/** Declares such a task type; returns it unchanged. */
export function defineMachineTask(definition: MachineTaskDefinition): TaskDefinition {
  return definition;
}
