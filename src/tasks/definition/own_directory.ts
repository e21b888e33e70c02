/** The directory of the work of a defined type. */
import type { RunContext } from "../../model/ports/run_context.ts";
import { inOwnDirectory } from "../attempt_directory.ts";

/** Runs the work; its directory is made when it uses its first local file, and removed afterwards. */
export async function withOwnDirectory<T>(
  owner: Pick<RunContext, "ports" | "taskRunId" | "attemptNumber">,
  work: (directory: () => Promise<string>) => Promise<T> | T,
): Promise<T> {
  const over = Promise.withResolvers<void>();
  let made: Promise<string> | undefined, held: Promise<void> | undefined;
  const make = () => {
    const path = Promise.withResolvers<string>();
    held = inOwnDirectory(owner, (directory) => {
      path.resolve(directory);
      return over.promise;
    });
    held.catch(path.reject);
    return path.promise;
  };
  try {
    return await work(() => made ??= make());
  } finally {
    over.resolve();
    await held;
  }
}
