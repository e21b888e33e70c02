/**
 * Virtual environments, made by hand: links to the interpreter and a configuration file, which takes about a millisecond.
 * `python -m venv` takes 44 ms, and its module is missing on plain Debian.
 */
import type { PythonInterpreter } from "./python_interpreter.ts";
import type { ToolFiles } from "./tool_files.ts";

/** The file that adds folders to the module path of an environment. */
const PATHS_FILE = "sluice.pth";

/** What an environment sees beside its own packages and those of the machine. */
interface EnvironmentOptions {
  /** Its modules come after packages that the task installs. */
  readonly tools: ToolFiles;
  /** Environments whose packages are importable. */
  readonly parents?: readonly string[];
}

/** Makes an environment in an empty directory. Synchronous, which is faster than calls in other threads. */
export function makePythonEnvironment(
  directory: string,
  interpreter: PythonInterpreter,
  options: EnvironmentOptions,
): void {
  const { path, version } = interpreter;
  const home = path.slice(0, path.lastIndexOf("/"));
  Deno.mkdirSync(`${directory}/bin`);
  Deno.symlinkSync(path, `${directory}/bin/python3`);
  Deno.symlinkSync("python3", `${directory}/bin/python`);
  Deno.symlinkSync("python3", `${directory}/bin/python${minorVersion(version)}`);
  Deno.mkdirSync(packagesOf(directory, interpreter), { recursive: true });
  Deno.writeTextFileSync(
    `${directory}/pyvenv.cfg`,
    `home = ${home}\ninclude-system-site-packages = true\nversion = ${version}\n`,
  );
  writePaths(directory, interpreter, options);
}

/** Sets what an environment sees beside its own packages. */
function writePaths(
  directory: string,
  interpreter: PythonInterpreter,
  { tools, parents = [] }: EnvironmentOptions,
): void {
  const folders = [
    ...parents.map((parent) => packagesOf(parent, interpreter)),
    ...interpreter.packageFolders,
  ];
  // `addsitedir` also reads the `.pth` files there, as of packages in development.
  const added = folders.map((folder) => `import site; site.addsitedir(${JSON.stringify(folder)})\n`);
  // A package of the machine comes before ours.
  const own = [tools.pipModule, ...(interpreter.hasKestra ? [] : [tools.kestraModule])];
  Deno.writeTextFileSync(
    `${packagesOf(directory, interpreter)}/${PATHS_FILE}`,
    [...added, ...own.map((folder) => `${folder}\n`)].join(""),
  );
}

function packagesOf(directory: string, { version }: PythonInterpreter): string {
  return `${directory}/lib/python${minorVersion(version)}/site-packages`;
}

function minorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
