/** Temporary folders for tests. */

const REMOVAL_TRIES = 10;

/** Calls `use` with a new folder; removes the folder afterwards, also after an error. */
export async function withTempDir<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const path = await Deno.makeTempDir({ prefix: "sluice-test-" });
  try {
    return await use(path);
  } finally {
    await removeFolder(path);
  }
}

/** A program that ends may still write a file into a folder while that is removed; a later try removes that, too. */
async function removeFolder(path: string): Promise<void> {
  for (let tries = REMOVAL_TRIES;; tries--) {
    try {
      return await Deno.remove(path, { recursive: true });
    } catch (error) {
      if (tries === 1 || (error as { readonly code?: string }).code !== "ENOTEMPTY") throw error;
    }
  }
}

/**
 * Writes a program, by another process: nobody can run a file that is open for writing, and a process that another test starts
 * has all that is open in this one until it becomes its program.
 */
export async function writeProgram(path: string, content: string): Promise<void> {
  const args = ["-c", 'printf %s "$1" > "$2" && chmod 755 "$2"', "sh", content, path];
  const { success } = await new Deno.Command("/bin/sh", { args }).output();
  if (!success) throw new Error(`Cannot write "${path}"`);
}
