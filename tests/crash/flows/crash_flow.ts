/** What flows of the crash tests are made of. */

/** Namespace of everything that a crash run stores. */
export const NAMESPACE = "crash.test";
/** How long tasks that wait do so. */
export const WAIT_MS = 300;
/** The task that leaves a line outside of the server. */
export const ACT = "{id: act, type: io.svc.plugin.crash.Effect}";
/** Begins the types of tasks and triggers. */
export const CORE = "io.svc.plugin.core";

/** Outputs of a task run. */
export type Outputs = Readonly<Record<string, unknown>>;

/** What is known of a task run. */
export interface RunFacts {
  readonly attempts?: readonly unknown[];
  readonly outputs?: Outputs;
}

/** A flow, and what its executions must have done in the end. */
export interface CrashFlow {
  /** Lines before its tasks. */
  readonly head?: string;
  readonly tasks: readonly string[];
  readonly triggers?: readonly string[];
  /** How long it waits at least. */
  readonly waitMs?: number;
  /** A trigger or another execution starts it, not a start that is counted. */
  readonly isCaused?: boolean;
  /** Task runs with a line that others have taken the place of, when all goes well. */
  readonly replaced?: number;
  /** Task runs that share a directory: with a crash others take the place of all of them. */
  readonly shared?: number;
  /** Outputs of the task runs of a successful execution, as far as they do not depend on chance. */
  readonly outputs: (name: string, runs: readonly RunFacts[]) => Outputs[];
}

/** A task that returns a text. */
export function returns(id: string, format: string): string {
  return `{id: ${id}, type: ${CORE}.debug.Return, format: "${format}"}`;
}

/** Its outputs. */
export function value(text: string): Outputs {
  return { value: text };
}

/** The effect puts out the number of the attempt that succeeded. */
export function acted(run: RunFacts | undefined): Outputs {
  return { attempt: attemptsOf(run) };
}

/** Number of attempts of a task run. */
export function attemptsOf(run: RunFacts | undefined): number {
  return run?.attempts?.length ?? 0;
}

/** Whatever it has put out. */
export function same(run: RunFacts | undefined): Outputs {
  return run?.outputs ?? {};
}
