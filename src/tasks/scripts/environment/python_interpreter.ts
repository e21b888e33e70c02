/** Finds the Python interpreter of a task and what the environment of a task must know of it. */
import { isJsonObject, ownProperty, tryParseJson } from "../../../base/json.ts";
import { shellWord } from "../../../base/text/shell_word.ts";
import { lastLine, type ProgramRequest, remembered, retryTurn } from "./machine_programs.ts";
import { type ToolFiles, toolVariables } from "./tool_files.ts";

/** An interpreter that works. */
export interface PythonInterpreter {
  /** Absolute path of the program itself, not of a link or of the stub of a version manager. */
  readonly path: string;
  /** As `3.11.7`. */
  readonly version: string;
  /** Further folders of packages, if it belongs to a virtual environment. */
  readonly packageFolders: readonly string[];
  /** Whether the machine has a module `kestra`. */
  readonly hasKestra: boolean;
}

/** What was found. */
interface FoundPython {
  readonly interpreter?: PythonInterpreter;
  /** Why the wanted version is missing. */
  readonly problem?: string;
}

/** What an interpreter is looked for with. */
export interface PythonRequest extends ProgramRequest {
  readonly tools: ToolFiles;
  /** Cache of the tenant. */
  readonly cache: string;
}

const VERSION = /^\d+(?:\.\d+)*$/;
/** Variables that decide which interpreter a name means. */
const DECIDING = ["PATH", "HOME", "PYENV_VERSION", "PYENV_ROOT", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"];

/** Prints what is needed as JSON; fails for another version than `$1`, if that is given. */
const PROBE = `
import sys
# Modules of the working directory must not stand for those of Python.
sys.path = [path for path in sys.path if path]
import importlib.util, json, os, platform, site
wanted = sys.argv[1].split(".") if sys.argv[1:] and sys.argv[1] else []
version = platform.python_version()
if version.split(".")[:len(wanted)] != wanted: sys.exit(3)
base = getattr(sys, "_base_executable", None) or sys.executable
kestra = importlib.util.find_spec("kestra")
print(json.dumps({
  "path": os.path.realpath(base), "version": version,
  "packageFolders": [] if sys.prefix == sys.base_prefix else site.getsitepackages(),
  "hasKestra": bool(kestra and kestra.origin),
}))
`;

/**
 * The interpreter of that version, or the default one. Looked for once a day, and every ten minutes if a version is wanted:
 * starting an interpreter takes longer than making an environment.
 */
export async function findPython(
  version: string | undefined,
  request: PythonRequest,
): Promise<FoundPython> {
  const { env } = request;
  if (version !== undefined && !VERSION.test(version)) return {};
  const settings = DECIDING.map((name) => env.get(name) ?? null);
  const turn = version === undefined ? 0 : retryTurn(request);
  const found = await remembered<FoundPython>(
    request,
    ["python", version ?? null, turn, ...settings],
    () => lookFor(version, request),
  );
  // It may have been removed since it was found.
  const isGone = found?.interpreter !== undefined && !isFile(found.interpreter.path);
  return (isGone ? await lookFor(version, request) : found) ?? {};
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function lookFor(
  version: string | undefined,
  request: PythonRequest,
): Promise<FoundPython | undefined> {
  const interpreter = await probe(candidates(version), version, request);
  if (interpreter) return { interpreter };
  return version === undefined ? undefined : await installPython(version, request);
}

/** Shell words that name interpreters, the best first. */
function candidates(version: string | undefined): string {
  if (version === undefined) return "python3 python";
  const [major, minor] = version.split(".");
  const names = [...new Set([`python${version}`, minor === undefined ? "" : `python${major}.${minor}`])];
  // The stubs of pyenv run only versions that are switched on.
  const versions = `"\${PYENV_ROOT:-$HOME/.pyenv}"/versions/${version}*/bin/python3`;
  return [...names, "python3", "python", versions].join(" ");
}

/** The first candidate that runs: version managers put stubs on the PATH that only print that a version is missing. */
async function probe(
  words: string,
  version: string | undefined,
  request: PythonRequest,
): Promise<PythonInterpreter | undefined> {
  const script = [
    `for name in ${words}; do`,
    `  found=$(command -v "$name") && "$found" -c ${shellWord(PROBE)} ${
      version ?? '""'
    } 2>/dev/null && exit 0`,
    "done",
    "exit 1",
  ].join("\n");
  return readInterpreter(await lastLine(request, script) ?? "");
}

function readInterpreter(text: string): PythonInterpreter | undefined {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return undefined;
  const path = ownProperty(value, "path");
  const version = ownProperty(value, "version");
  const folders = ownProperty(value, "packageFolders");
  if (typeof path !== "string" || !path.startsWith("/") || typeof version !== "string") return undefined;
  return {
    path,
    version,
    packageFolders: Array.isArray(folders) ? folders.map(String) : [],
    hasKestra: ownProperty(value, "hasKestra") === true,
  };
}

/** Another interpreter lets uv install that version. */
async function installPython(version: string, request: PythonRequest): Promise<FoundPython> {
  const installer = await probe(candidates(undefined), undefined, request);
  if (!installer) return {};
  const lines: string[] = [];
  const errors: string[] = [];
  const { execute, tools, context, cache } = request;
  const exitCode = await execute(
    [installer.path, tools.packages, "python", version],
    ({ text, isError }) => void (isError ? errors : lines).push(text),
    toolVariables(context, cache),
  );
  const path = lines.at(-1) ?? "";
  const found = exitCode === 0 && path.startsWith("/")
    ? await probe(shellWord(path), version, request)
    : undefined;
  return found ? { interpreter: found } : { problem: problemOf(errors) };
}

/** What uv says first and last: the failure and its deepest cause. */
function problemOf(errors: readonly string[]): string | undefined {
  const lines = errors.map((line) => line.trim().replace(/^(?:error|cause): /i, "")).filter((line) =>
    line !== ""
  );
  return lines.length === 0 ? undefined : [...new Set([lines[0], lines.at(-1)])].join(": ");
}
