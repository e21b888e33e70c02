/** The arguments of `deno task compile`, from `deno.json`, so that checks build exactly what the task builds. */

const ROOT = new URL("../../../", import.meta.url);

/** Folder of the repository. */
export const ROOT_PATH: string = ROOT.pathname;

/** Builds the UI as the task does; gives the arguments of `deno` for a build into another file than the task's. */
export async function compileArguments(output: string): Promise<string[]> {
  await buildUi();
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const [, command = ""] = String(tasks.compile.command).split(" && ");
  const [program, ...args] = command.split(/\s+/);
  const at = args.indexOf("--output") + 1;
  if (program !== "deno" || at === 0) {
    throw new Error("The task compile must end with one `deno compile --output <file> …`");
  }
  return args.with(at, output);
}

async function buildUi(): Promise<void> {
  const args = ["run", "-A", "--no-check", "src/ui/build.ts"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT_PATH }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** The run-time half for builds without network by Deno 2.6.8, and `undefined` where there is none. */
export async function findDenort(): Promise<string | undefined> {
  const path = Deno.env.get("DENORT_BIN") ?? new URL("../shared/bin/denort", ROOT).pathname;
  return await Deno.stat(path).then(() => path, () => undefined);
}
