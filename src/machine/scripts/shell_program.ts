/** Short shell programs of the server: they read and write what the server itself has no access to, below `/proc` and `/sys`. */

/**
 * The output of a program; `undefined` if it failed or could not be started: without a shell, without permission, with too many
 * processes on the machine. Never rejects.
 */
export async function shellOutput(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", program, "sluice", ...args],
      env,
      clearEnv: true,
      detached: true,
      stdin: "null",
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch {
    return undefined;
  }
}
