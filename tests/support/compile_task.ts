/** The arguments of `deno task compile`, from `deno.json`, so that checks build exactly what the task builds. */

const ROOT = new URL("../../", import.meta.url);

/** Folder of the repository. */
export const ROOT_PATH: string = ROOT.pathname;

/** Arguments of `deno` for a build into another file than the task's. */
export async function compileArguments(output: string): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const [program, ...args] = String(tasks.compile.command).split(/\s+/);
  const at = args.indexOf("--output") + 1;
  if (program !== "deno" || at === 0) {
    throw new Error("The task compile must be one `deno compile --output <file> …`");
  }
  return args.with(at, output);
}

/** The run-time half for builds without network by Deno 2.6.8, and `undefined` where there is none. */
export async function findDenort(): Promise<string | undefined> {
  const path = Deno.env.get("DENORT_BIN") ?? new URL("../shared/bin/denort", ROOT).pathname;
  return await Deno.stat(path).then(() => path, () => undefined);
}
