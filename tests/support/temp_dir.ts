/** Temporary folders for tests. */

/** Calls `use` with a new folder; removes the folder afterwards, also after an error. */
export async function withTempDir<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const path = await Deno.makeTempDir({ prefix: "sluice-test-" });
  try {
    return await use(path);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}
