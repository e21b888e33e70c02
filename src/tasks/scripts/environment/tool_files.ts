/** Programs and modules that scripts find in their environment: one read-only copy for all tasks of the server. */
import command from "../tools/command.sh" with { type: "text" };
import fetchProgram from "../tools/fetch.py" with { type: "text" };
import kestra from "../tools/kestra.py" with { type: "text" };
import libs from "../tools/libs.cjs" with { type: "text" };
import libsLoader from "../tools/libs_loader.mjs" with { type: "text" };
import packageIndex from "../tools/package_index.py" with { type: "text" };
import packages from "../tools/packages.py" with { type: "text" };
import pip from "../tools/pip.py" with { type: "text" };
import pipArguments from "../tools/pip_arguments.py" with { type: "text" };
import type { RunContext } from "../../../model/ports/run_context.ts";
import type { SharedDirectory } from "../../../model/ports/working_directories.ts";

const KEY = "tools of scripts";
const READ_ALL = 0o644;
const RUN_ALL = 0o755;
const LIBS = "node/@kestra-io/libs";
const LIBS_PACKAGE = '{"name": "@kestra-io/libs", "version": "2.0.0", "main": "index.js"}\n';

/** Content by path. Programs of the folder `bin` are commands of scripts. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["bin/pip", command],
  ["bin/pip3", command],
  ["bin/uv", command],
  ["bin/uvx", command],
  ["programs/fetch.py", fetchProgram],
  ["programs/package_index.py", packageIndex],
  ["programs/packages.py", packages],
  ["programs/pip_arguments.py", pipArguments],
  ["reports/kestra.py", kestra],
  ["modules/pip.py", pip],
  [`${LIBS}/index.js`, libs],
  [`${LIBS}/package.json`, LIBS_PACKAGE],
  ["node/libs_loader.mjs", libsLoader],
]);

/** Where the tools are, below one directory. */
export class ToolFiles {
  readonly #directory: SharedDirectory;

  constructor(directory: SharedDirectory) {
    this.#directory = directory;
  }

  /** Folder of the commands. */
  get bin(): string {
    return `${this.#directory.path}/bin`;
  }

  /** Folder of the module `pip`. */
  get pipModule(): string {
    return `${this.#directory.path}/modules`;
  }

  /** Folder of the module `kestra`. */
  get kestraModule(): string {
    return `${this.#directory.path}/reports`;
  }

  /** Folder of Node.js packages. */
  get nodeModules(): string {
    return `${this.#directory.path}/node`;
  }

  /** A module that lets ES modules import these packages. */
  get nodeLoader(): string {
    return `${this.nodeModules}/libs_loader.mjs`;
  }

  /** The Python program that runs pip and uv. */
  get packages(): string {
    return `${this.#directory.path}/programs/packages.py`;
  }

  /** Ends their use. */
  release(): void {
    this.#directory.release();
  }
}

/** Variables that our programs need. */
export function toolVariables({ ports }: RunContext, cache: string): [string, string][] {
  return [
    ["SLUICE_CACHE", cache],
    ...(ports.server.isOffline ? [["SLUICE_OFFLINE", "1"] as [string, string]] : []),
  ];
}

/** The tools; `undefined` if the attempt was stopped. */
export async function useToolFiles(context: RunContext): Promise<ToolFiles | undefined> {
  const { ports, signal } = context;
  const request = { key: KEY, now: context.now(), signal, fill: writeTools };
  const directory = await ports.workingDirectories.share(request);
  return directory && new ToolFiles(directory);
}

async function writeTools(directory: string): Promise<boolean> {
  for (const [name, content] of FILES) {
    const path = `${directory}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, content, { mode: name.startsWith("bin/") ? RUN_ALL : READ_ALL });
  }
  return true;
}
