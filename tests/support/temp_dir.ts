/** A folder of its own for one test. */

/** Calls `use` with a new folder and removes it afterwards, whatever happened. */
export async function withTempDir<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const path = await Deno.makeTempDir({ prefix: "sluice-test-" });
  try {
    return await use(path);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}
