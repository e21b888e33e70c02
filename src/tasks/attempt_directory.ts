/** The directory of this machine that an attempt works in. */
import type { RunContext } from "../model/ports/run_context.ts";

/** Works in the directory of the WorkingDirectory around the task; outside of one as {@link inOwnDirectory}. */
export async function inDirectory<T>(
  context: RunContext,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const { workingDirectory } = context;
  return await (workingDirectory === undefined ? inOwnDirectory(context, work) : work(workingDirectory));
}

/** Works in a directory that is empty, and removed afterwards; what a crash leaves of it goes with the next boot. */
export async function inOwnDirectory<T>(
  context: RunContext,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const { workingDirectories } = context.ports;
  const name = `${context.taskRunId}-${context.attemptNumber}`;
  try {
    return await work(await workingDirectories.make(name));
  } finally {
    workingDirectories.discard(name);
  }
}
