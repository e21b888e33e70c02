/** How Python scripts are run, and how the interpreter that `pythonVersion` names is found. */
import { shellWord } from "../../base/shell_word.ts";
import { textOf } from "../property_values.ts";
import type { ProgramRequest, ScriptProgram } from "./script_program.ts";

const DEFAULT = "python3";
const VERSION = /^\d+(?:\.\d+)*$/;
/** Command names that are redirected to the chosen interpreter. */
const NAMES = ["python", DEFAULT];

/** Python; packages are installed in a virtual environment. */
export const PYTHON: ScriptProgram = Object.freeze({
  image: "python:3.13-slim",
  fileName: "script.py",
  command: DEFAULT,
  installer: "python3 with venv and pip",
  install: (packages: readonly string[], program = DEFAULT) => [
    `${program} -m venv .venv`,
    `.venv/bin/python -m pip install --quiet --disable-pip-version-check ${
      packages.map(shellWord).join(" ")
    }`,
  ],
  packageFolders: [".venv"],
  packageBin: ".venv/bin",
  // Unbuffered, so that lines arrive while the script runs. pip writes advice to stderr, which would end the task in WARNING.
  env: { PYTHONUNBUFFERED: "1", PIP_ROOT_USER_ACTION: "ignore", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  fit: fitPython,
});

/** The program with the interpreter of the requested version; unchanged, with a logged warning, if that interpreter is missing. */
async function fitPython(program: ScriptProgram, request: ProgramRequest): Promise<ScriptProgram> {
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

/**
 * The path of the interpreter of that name, or the version of the default one. It is started once: version managers put
 * stubs on the PATH that only print that the version is missing.
 */
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
