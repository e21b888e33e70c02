/** Which Python runs: the one that `pythonVersion` names, where the script finds it. */
import { shellWord } from "../../base/shell_word.ts";
import { textOf } from "../property_values.ts";
import type { ProgramRequest, ScriptProgram } from "./script_program.ts";

const DEFAULT = "python3";
const VERSION = /^\d+(?:\.\d+)*$/;
/** Names under which commands call Python. */
const NAMES = ["python", DEFAULT];

/** The program in the version that the task asks for; as it is, with a warning, where that cannot be had. */
export async function fitPython(program: ScriptProgram, request: ProgramRequest): Promise<ScriptProgram> {
  const version = textOf(request.properties, "pythonVersion")?.trim() ?? "";
  const name = `python${version}`;
  if (version === "" || name === DEFAULT) return program;
  const { path, used } = await findPython(VERSION.test(version) ? name : undefined, request);
  if (path === undefined) {
    const runs = used === undefined ? "" : ` (${used})`;
    await request.warn(
      `Cannot run with Python "${version}": no "${name}" works on the PATH of the script, so "${DEFAULT}" runs${runs}; ` +
        "install that version, add its folder to PATH in `env`, or let the task run in a container that has it",
    );
    return program;
  }
  return {
    ...program,
    installer: `${name} with venv and pip`,
    install: (packages) => program.install?.(packages, shellWord(path)) ?? [],
    names: new Map(NAMES.map((each) => [each, path])),
  };
}

/** The path of a Python that starts, or which one the default is: some that are on the PATH only say that they are missing. */
async function findPython(
  name: string | undefined,
  { execute }: ProgramRequest,
): Promise<{ readonly path?: string; readonly used?: string }> {
  const lines: string[] = [];
  const find = `found=$(command -v ${name}) && "$found" --version >/dev/null 2>&1 && echo "$found" && exit 0`;
  const script = [...name === undefined ? [] : [find], `${DEFAULT} --version 2>/dev/null`, "exit 1"].join(
    "\n",
  );
  const exitCode = await execute(["/bin/sh", "-c", script], ({ text }) => void lines.push(text));
  const [line] = lines;
  return exitCode === 0 ? { path: line } : { used: line };
}
