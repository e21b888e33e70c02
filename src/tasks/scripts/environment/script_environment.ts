/**
 * The environment of one script: commands, modules and packages of its own. `pip install`, `npm install -g` and the like change
 * this environment only, not the machine and not another task.
 */
import { publicTenantId } from "../../../model/access/tenant.ts";
import type { RunContext } from "../../../model/ports/run_context.ts";
import { shellWord } from "../../../base/text/shell_word.ts";
import { makePythonEnvironment } from "./python_environment.ts";
import type { PythonInterpreter } from "./python_interpreter.ts";
import { type ToolFiles, toolVariables } from "./tool_files.ts";

/** A language whose packages an environment holds. */
export type EnvironmentLanguage = "python" | "node";

/** Parts of an environment. */
interface EnvironmentParts {
  readonly context: RunContext;
  /** Environment variables of the flow. */
  readonly env: ReadonlyMap<string, string>;
  readonly tools: ToolFiles;
  /** Empty at first, of this attempt alone. */
  readonly directory: string;
  /** Cache of the tenant. */
  readonly cache: string;
  readonly hasNode: boolean;
  /** Whether the script imports `@kestra-io/libs` as an ES module. */
  readonly importsLibs: boolean;
  /** Folder of `node`, if it is not the one on the PATH. */
  readonly nodeBin?: string;
  /** Absent: no Python, or none that works. */
  readonly interpreter?: PythonInterpreter;
}

/** Name of the directory of an attempt. */
export function environmentName({ taskRunId, attemptNumber }: RunContext): string {
  return `${taskRunId}-${attemptNumber}-packages`;
}

/** The environment of an attempt. */
export class ScriptEnvironment {
  readonly #parts: EnvironmentParts;
  readonly #shared: string[] = [];
  #isBegun = false;

  constructor(parts: EnvironmentParts) {
    this.#parts = parts;
  }

  /** Directory that commands may change. */
  get directory(): string {
    return this.#parts.directory;
  }

  /** The Python of the environment. */
  get interpreter(): PythonInterpreter | undefined {
    return this.#parts.interpreter;
  }

  /** Variables of the flow, without those of the environment. */
  get given(): ReadonlyMap<string, string> {
    return this.#parts.env;
  }

  /** Folders of commands, the first one first on the PATH. */
  get bins(): readonly string[] {
    const { directory, tools, interpreter, nodeBin } = this.#parts;
    const shared = this.#shared.map((path) => `${path}/bin`);
    const node = nodeBin === undefined ? [] : [nodeBin];
    return [`${directory}/bin`, ...shared, ...(interpreter ? [tools.bin] : []), ...node];
  }

  /** Makes packages of a shared directory importable; they were installed by {@link installCommands}. */
  addShared(directory: string): void {
    if (this.#isBegun) throw new Error("Cannot add packages: the environment has begun");
    this.#shared.push(directory);
  }

  /** Fills the directory of the environment. Afterwards only commands change it: the server must not follow links there. */
  begin(): void {
    const { interpreter, directory, tools } = this.#parts;
    if (interpreter && !this.#isBegun) {
      makePythonEnvironment(directory, interpreter, { tools, parents: this.#shared });
    }
    this.#isBegun = true;
  }

  /** Prepares an empty shared directory for {@link installCommands}. */
  prepareShared(directory: string): void {
    const { interpreter, tools } = this.#parts;
    if (interpreter) makePythonEnvironment(directory, interpreter, { tools });
  }

  /** Shell commands that install Python packages in an environment. */
  installCommands(directory: string, packages: readonly string[]): string[] {
    const words = [`${directory}/bin/python3`, this.#parts.tools.packages, "pip", "install", "--quiet"];
    return [[...words, ...packages].map(shellWord).join(" ")];
  }

  /** Variables of commands. Those of the flow win. */
  get variables(): ReadonlyMap<string, string> {
    const { context, cache } = this.#parts;
    const { ports: { server }, tenant } = context;
    return new Map([
      ...toolVariables(context, cache),
      ["KESTRA_TENANT", publicTenantId(tenant)],
      ...(server.url === undefined ? [] : [["KESTRA_HOSTNAME", server.url] as const]),
      ...this.#pythonVariables(),
      ...this.#nodeVariables(),
    ]);
  }

  #pythonVariables(): [string, string][] {
    const { interpreter, directory } = this.#parts;
    return interpreter ? [["SLUICE_PYTHON", directory], ["VIRTUAL_ENV", directory]] : [];
  }

  /** npm is quiet: a notice on the error stream would end the task with a warning. */
  #nodeVariables(): [string, string][] {
    const { hasNode, importsLibs, directory, cache, tools, env } = this.#parts;
    if (!hasNode) return [];
    const given = env.get("NODE_PATH");
    return [
      ...(importsLibs ? [["NODE_OPTIONS", `--import=file://${tools.nodeLoader}`] as [string, string]] : []),
      ["NODE_PATH", given ? `${given}:${tools.nodeModules}` : tools.nodeModules],
      ["npm_config_prefix", directory],
      ["npm_config_cache", `${cache}/npm`],
      ["npm_config_loglevel", "error"],
      ["npm_config_update_notifier", "false"],
      ["npm_config_fund", "false"],
      ["npm_config_audit", "false"],
    ];
  }

  /** Removes the environment. */
  close(): void {
    const { context, directory, tools } = this.#parts;
    tools.release();
    try {
      Deno.removeSync(directory);
    } catch {
      // Not empty.
      context.ports.workingDirectories.discard(environmentName(context));
    }
  }
}
