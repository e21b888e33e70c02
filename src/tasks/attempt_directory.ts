/** The local directory that an attempt works in. */
import type { RunContext } from "../model/ports/run_context.ts";

/** Runs `work` in the directory of the enclosing WorkingDirectory; without one like {@link inOwnDirectory}. */
export async function inDirectory<T>(
  context: RunContext,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const { workingDirectory } = context;
  if (workingDirectory === undefined) return await inOwnDirectory(context, work);
  await context.ports.workingDirectories.whenFree(workingDirectory);
  return await work(workingDirectory);
}

/** Runs `work` in a new empty directory, which is removed afterwards, or after a crash at the next use. */
export async function inOwnDirectory<T>(
  context: Pick<RunContext, "ports" | "taskRunId" | "attemptNumber">,
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
