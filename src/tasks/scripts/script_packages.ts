/** Packages of a script task: installed once for all attempts with the same packages, or in the directory of one attempt. */
import { stringifyJson } from "../../base/json.ts";
import type { ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { SharedDirectory } from "../../model/ports/working_directories.ts";
import type { LocalPlace } from "../local_files.ts";
import type { ScriptProgram } from "./script_program.ts";

/** Options of the installation. */
interface ScriptPackagesOptions {
  readonly place: LocalPlace;
  readonly processPlace: ProcessPlace;
  readonly program: ScriptProgram;
  /** As in the flow; may be empty. */
  readonly packages: readonly string[];
  /** Whether they may be shared with other attempts. */
  readonly isCached: boolean;
  readonly env: ReadonlyMap<string, string>;
  /** Runs a command in a directory and logs its output; returns the exit code. */
  readonly execute: (
    command: readonly string[],
    directory: string,
    onLine: (line: ProcessLine) => void,
  ) => Promise<number>;
}

/** A name with or without version. A path or an option may depend on the directory and is not shared. */
const REGISTERED = /^(?:@[\w.-]+\/)?[A-Za-z0-9][^/\\]*$/;
const ARCHIVE = /\.(?:whl|zip|tgz|tar(?:\.\w+)?)$/i;
/** Environment variables that affect an installation. */
const INSTALLING = /^(?:PATH$|HOME$|PIP_|UV_|NPM_CONFIG_|PYTHON|VIRTUAL_ENV$|NODE_|\w+_PROXY$)/i;
/** Output of installers that cannot reach the package index. */
const UNREACHABLE =
  /NewConnectionError|ConnectTimeoutError|NameResolutionError|Failed to establish a new connection|name resolution|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN/;
const NOT_FOUND = 127;

/** The packages of one attempt. */
export class ScriptPackages {
  readonly #options: ScriptPackagesOptions;
  readonly #made: string[] = [];
  #directory: string | undefined;
  #shared: SharedDirectory | undefined;
  #exitCode = 0;
  #isUnreachable = false;

  constructor(options: ScriptPackagesOptions) {
    this.#options = options;
  }

  /** Absolute path of the installed programs; `undefined` if nothing was installed. */
  get bin(): string | undefined {
    const { packageBin } = this.#options.program;
    return this.#directory === undefined || packageBin === undefined
      ? undefined
      : `${this.#directory}/${packageBin}`;
  }

  /** Exit code of the failed installer. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Installs the packages; returns false on a failure, see {@link problem}. */
  async install(): Promise<boolean> {
    const { packages, program, place: { directory, context } } = this.#options;
    if (packages.length === 0 || !program.install) return true;
    if (!await this.#isShareable()) {
      this.#directory = directory;
      this.#made.push(...(program.packageFolders ?? []));
      return await this.#fill(directory);
    }
    this.#shared = await context.ports.workingDirectories.share({
      key: this.#key(),
      now: context.now(),
      signal: context.signal,
      fill: (path) => this.#fill(path),
    });
    this.#directory = this.#shared?.path;
    if (this.#shared) await this.#link(this.#shared.path);
    return this.#shared !== undefined;
  }

  /** Reason of the failure and its remedy, with the exit code. */
  get problem(): string {
    const { packages, program: { installer = "the installer" } } = this.#options;
    const reason = this.#exitCode === NOT_FOUND
      ? `${installer} is missing on this machine; install it, or let the task run in a container`
      : this.#isUnreachable
      ? `${installer} cannot reach the package index; set its address in \`env\`, for example PIP_INDEX_URL or PIP_FIND_LINKS`
      : `${installer} failed, see its output above`;
    return `Cannot install the dependencies "${packages.join(" ")}": ${reason} (exit code ${this.#exitCode})`;
  }

  /** Removes links and folders from the directory of the task and releases shared packages. */
  async release(): Promise<void> {
    const { directory, context } = this.#options.place;
    for (const name of this.#made.splice(0)) {
      await context.ports.workingDirectories.removePath(`${directory}/${name}`);
    }
    this.#shared?.release();
    this.#shared = undefined;
  }

  async #fill(directory: string): Promise<boolean> {
    const { program, packages, execute } = this.#options;
    const commands = program.install?.(packages) ?? [];
    const command = ["/bin/sh", "-c", ["set -e", ...commands].join("\n")];
    this.#exitCode = await execute(command, directory, ({ text }) => {
      this.#isUnreachable ||= UNREACHABLE.test(text);
    });
    return this.#exitCode === 0;
  }

  /** Links shared folders into the directory of the task. */
  async #link(path: string): Promise<void> {
    const { program, place: { directory } } = this.#options;
    for (const name of program.linkedFolders ?? []) {
      await Deno.symlink(`${path}/${name}`, `${directory}/${name}`);
      this.#made.push(name);
    }
  }

  /** A container can access only the directory of its task; tasks in one directory would get conflicting links. */
  async #isShareable(): Promise<boolean> {
    const { isCached, processPlace, packages, program, place: { context, directory } } = this.#options;
    if (!isCached || processPlace.type !== "process") return false;
    if (!packages.every((name) => REGISTERED.test(name) && !ARCHIVE.test(name))) return false;
    if (!program.linkedFolders) return true;
    return context.workingDirectory === undefined && !await holdsAny(directory, program.packageFiles ?? []);
  }

  #key(): string {
    const { place: { context }, program, packages, env } = this.#options;
    const settings = [...env].filter(([name]) => INSTALLING.test(name)).sort(([a], [b]) => a < b ? -1 : 1);
    return stringifyJson([context.tenant, program.installer, [...new Set(packages)].sort(), settings]);
  }
}

async function holdsAny(directory: string, names: readonly string[]): Promise<boolean> {
  for await (const { name } of Deno.readDir(directory)) if (names.includes(name)) return true;
  return false;
}
