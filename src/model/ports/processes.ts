/** Processes of script tasks. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { ContainerPlace, ContainerPort, RuntimePlace } from "./containers.ts";

/** Where a script runs: as a process of this machine or in a container. */
export type ProcessPlace = { readonly type: "process" } | ContainerPlace;

/** A command to run. */
export interface ProcessCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Working directory; mounted in a container under the same path. */
  readonly workingDirectory: string;
  /** Another directory that the command may change, such as its packages; only for processes of this machine. */
  readonly packageDirectory?: string;
  /**
   * Added to the default variables, which must not contain secrets of the server. In a container there are only those of its
   * image and these; no program of the server sees them.
   */
  readonly env: ReadonlyMap<string, string>;
  readonly place: ProcessPlace | RuntimePlace;
  /** What the command reads; absent: nothing. */
  readonly input?: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Stops the process and all of its descendants: first gracefully, then by force. */
  readonly signal: AbortSignal;
  /** Receives each line without its end, cut to {@link MAX_PROCESS_LINE_BYTES}. No output is read while the promise is pending. */
  onLine(line: ProcessLine): Promise<void> | void;
  /** Receives the bytes of the output stream instead of its lines. No output is read while the promise is pending. */
  onOutput?(bytes: Uint8Array): Promise<void> | void;
}

/** Maximum bytes of a line. */
export const MAX_PROCESS_LINE_BYTES = 1024 * 1024;

/** A line of output. */
export interface ProcessLine {
  readonly text: string;
  readonly isError: boolean;
  /** Original size if the line was cut. */
  readonly cutFromBytes?: number;
}

/** Result of a command. */
export interface ProcessEnd {
  /** 128 plus the signal number if a signal ended it, as in a shell. */
  readonly exitCode: number;
  /** Why it failed, beyond its own output: the limit that ended it, or a container that could not start. */
  readonly reason?: string;
  /** The container that continues to run. */
  readonly containerId?: string;
}

/** Where the server allows scripts to run. */
export interface ProcessPolicy {
  /** `process` also allows containers, `container` requires them. */
  readonly mode: "process" | "container" | "off";
  /** Reason and remedy; appended to the message of a refusal. */
  readonly reason: string;
  /** Why no container may run where processes may; absent: containers may run. */
  readonly containerRefusal?: string;
  /** The user of processes, if it is not that of the server. */
  readonly user?: string;
}

/** A program of this machine as scripts find it. */
export interface ProgramFacts {
  readonly path: string;
  /** First line of what `--version` prints; empty if the program does not know that option. */
  readonly version: string;
}

/** Runs commands. */
export interface ProcessPort {
  /** The current policy. */
  readonly policy: ProcessPolicy;
  readonly containers: ContainerPort;
  /** Most bytes of output files that a task may store from its directory; absent: no limit. */
  readonly maxFileBytes?: number;
  /**
   * Runs a command to its end; waits while too many are running. The adapter must leave no process behind when this
   * settles, nor when the server crashes. @throws Error it cannot be started; the message is for the log
   */
  run(attempt: AttemptIdentity, command: ProcessCommand): Promise<ProcessEnd>;

  /**
   * The program that a process with that `env` finds under a name. It is started once to read its version, in the place of the
   * script; later calls use what was found. `undefined`: it is missing.
   */
  findProgram(
    attempt: AttemptIdentity,
    name: string,
    place: Pick<ProcessCommand, "env" | "workingDirectory" | "signal">,
  ): Promise<ProgramFacts | undefined>;
}

/** Where scripts may run, for checks of flows. */
export type ScriptPlaces = Pick<ProcessPort, "policy" | "containers">;
