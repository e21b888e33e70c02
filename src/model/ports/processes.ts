/** Processes of script tasks. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** Where a command runs: as a process of this machine or in a container. */
export type ProcessPlace =
  | { readonly type: "process" }
  | {
    readonly type: "docker";
    readonly image: string;
    readonly pull?: ImagePull;
    readonly user?: string;
  };

/** When an image is fetched. */
export type ImagePull = "always" | "missing" | "never";

/** A command to run. */
export interface ProcessCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Working directory; mounted in a container under the same path. */
  readonly workingDirectory: string;
  /**
   * Added to the default variables, which must not contain secrets of the server. In a container there are only those of its
   * image and these; no program of the server sees them.
   */
  readonly env: ReadonlyMap<string, string>;
  readonly place: ProcessPlace;
  /** Stops the process and all of its descendants: first gracefully, then by force. */
  readonly signal: AbortSignal;
  /** Receives each line without its end, cut to {@link MAX_PROCESS_LINE_BYTES}. No output is read while the promise is pending. */
  onLine(line: ProcessLine): Promise<void> | void;
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
  /** Which limit ended it, for the log. */
  readonly limit?: string;
}

/** Where the server allows scripts to run. */
export interface ProcessPolicy {
  /** `process` also allows containers, `docker` requires them. */
  readonly mode: "process" | "docker" | "off";
  /** Reason and remedy; appended to the message of a refusal. */
  readonly reason: string;
}

/** Runs commands. */
export interface ProcessPort {
  /** The current policy. */
  readonly policy: ProcessPolicy;
  /** Most bytes of output files that a task may store from its directory; absent: no limit. */
  readonly maxFileBytes?: number;
  /**
   * Runs a command to its end; waits while too many are running. The adapter must leave no process behind when this
   * settles, nor when the server crashes. @throws Error it cannot be started; the message is for the log
   */
  run(attempt: AttemptIdentity, command: ProcessCommand): Promise<ProcessEnd>;
}
