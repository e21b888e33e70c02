/** Commands as processes of the machine, as script tasks run them. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** Where commands run: as processes of this machine, or each in a container. */
export type ProcessPlace =
  | { readonly type: "process" }
  | { readonly type: "docker"; readonly image: string; readonly pull?: string; readonly user?: string };

/** What is run. */
export interface ProcessCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Directory in which it starts; a container gets it under the same name. */
  readonly workingDirectory: string;
  /** Added to the variables that every process gets; none of those holds a secret of the server. */
  readonly env: ReadonlyMap<string, string>;
  readonly place: ProcessPlace;
  /** Asks it, and everything that it has started, to stop, and makes it stop when it does not. */
  readonly signal: AbortSignal;
  /** Takes a line without its end; one beyond {@link MAX_PROCESS_LINE_BYTES} is cut. While it waits nothing more is read. */
  onLine(line: ProcessLine): Promise<void> | void;
}

/** Bytes of a line that are kept. */
export const MAX_PROCESS_LINE_BYTES = 1024 * 1024;

/** A line of output. */
export interface ProcessLine {
  readonly text: string;
  readonly isError: boolean;
  /** Bytes of the line when it was cut. */
  readonly cutFromBytes?: number;
}

/** How it ended. */
export interface ProcessEnd {
  /** 128 and the number of the signal that ended it, as a shell says it. */
  readonly exitCode: number;
}

/** Where the server lets scripts run. */
export interface ProcessPolicy {
  /** `process` lets flows ask for containers too, `docker` makes all run in one. */
  readonly mode: "process" | "docker" | "off";
  /** Why, and what would change it; ends the message of a refusal. */
  readonly reason: string;
}

/** Runs commands. */
export interface ProcessPort {
  /** What holds at the moment. */
  readonly policy: ProcessPolicy;
  /**
   * Runs a command to its end; waits while too many run already. Nothing of it is left when this settles, and nothing is
   * left either when the server dies meanwhile. @throws Error it cannot be started; the message is for the log
   */
  run(attempt: AttemptIdentity, command: ProcessCommand): Promise<ProcessEnd>;
}
