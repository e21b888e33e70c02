/** Commands of other languages, run to their end. */

/** How a command ended. */
export interface CommandResult {
  readonly success: boolean;
  /** Standard output, then standard error. */
  readonly text: string;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command; one that is not installed fails with that as its text. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env }: CommandOptions = {},
): Promise<CommandResult> {
  try {
    const options: Deno.CommandOptions = {
      args: [...args],
      cwd,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
    };
    const { success, stdout, stderr } = await new Deno.Command(command, options).output();
    const decoder = new TextDecoder();
    return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { success: false, text: `${command} is not installed` };
    throw error;
  }
}

/** The last line of a text that says something. */
export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
