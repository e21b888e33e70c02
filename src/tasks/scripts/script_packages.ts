/** Packages of a script task: installed once for all attempts with the same packages, or in the directory of one attempt. */
import { stringifyJson } from "../../base/json.ts";
import type { ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { SharedDirectory } from "../../model/ports/working_directories.ts";
import type { LocalPlace } from "../local_files.ts";
import { remembered, retryTurn } from "./environment/machine_programs.ts";
import type { ScriptEnvironment } from "./environment/script_environment.ts";
import type { KnownImage } from "./known_images.ts";
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
  /** Variables of the flow. */
  readonly env: ReadonlyMap<string, string>;
  /** The environment of the task, if its packages go there. */
  readonly environment?: ScriptEnvironment;
  /** Its packages are installed if they can be. */
  readonly image?: KnownImage;
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
  /NewConnectionError|ConnectTimeoutError|NameResolutionError|Failed to establish a new connection|name resolution|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|Failed to fetch|could not be fetched/;
const NOT_FOUND = 127;

/** The packages of one attempt. */
export class ScriptPackages {
  readonly #options: ScriptPackagesOptions;
  readonly #made: string[] = [];
  #directory: string | undefined;
  readonly #shared: SharedDirectory[] = [];
  #exitCode = 0;
  #isUnreachable = false;

  constructor(options: ScriptPackagesOptions) {
    this.#options = options;
  }

  /** Absolute paths of the folders of commands that belong to the packages. */
  get bins(): readonly string[] {
    const { program: { packageBin }, environment } = this.#options;
    const own = this.#directory === undefined || packageBin === undefined
      ? []
      : [`${this.#directory}/${packageBin}`];
    return [...own, ...(environment?.bins ?? [])];
  }

  /** Exit code of the failed installer. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Installs the packages; returns false on a failure, see {@link problem}. */
  async install(): Promise<boolean> {
    const { packages, program, environment } = this.#options;
    if (environment?.interpreter) return await this.#installInEnvironment(environment);
    environment?.begin();
    if (packages.length === 0 || !program.install) return true;
    return await this.#installBeside();
  }

  /** Packages of the image come first: those of the task may be other versions, and are found first. */
  async #installInEnvironment(environment: ScriptEnvironment): Promise<boolean> {
    const { packages, image, isCached } = this.#options;
    const isShared = isCached && packages.length > 0 && packages.every(isRegistered);
    if (isShared && !await this.#share(environment, packages)) return false;
    if (image?.packages) await this.#installImage(environment, image, image.packages);
    environment.begin();
    if (isShared || packages.length === 0) return true;
    const { directory } = environment;
    return await this.#run(environment.installCommands(directory, packages), this.#options.place.directory);
  }

  async #share(environment: ScriptEnvironment, packages: readonly string[]): Promise<boolean> {
    const { context } = this.#options.place;
    const shared = await context.ports.workingDirectories.share({
      key: this.#key(packages),
      now: context.now(),
      signal: context.signal,
      fill: (path) => {
        environment.prepareShared(path);
        return this.#run(environment.installCommands(path, packages), path);
      },
    });
    if (!shared) return false;
    this.#shared.push(shared);
    environment.addShared(shared.path);
    return true;
  }

  /** A failure is a warning, and is not repeated by each task. */
  async #installImage(
    environment: ScriptEnvironment,
    { name }: KnownImage,
    packages: readonly string[],
  ): Promise<void> {
    const { context } = this.#options.place;
    const key = ["image", this.#key(packages), retryTurn({ context })];
    const failure = await remembered({ context }, key, async () => {
      const isInstalled = await this.#share(environment, packages);
      return isInstalled || context.signal.aborted ? undefined : { exitCode: this.#exitCode };
    });
    if (failure === undefined) return;
    context.log(
      "WARN",
      `Cannot install the packages "${packages.join(" ")}" of the image "${name}" on this machine ` +
        `(exit code ${failure.exitCode}): scripts find only those that the machine has; ` +
        "install them there, set the address of a package index in `env`, or let the task run in a container",
    );
    await context.logged();
  }

  /** In the directory of the task, or linked there. */
  async #installBeside(): Promise<boolean> {
    const { packages, program, place: { directory, context } } = this.#options;
    const fill = (path: string) => this.#run(program.install?.(packages) ?? [], path);
    if (!await this.#isShareable()) {
      this.#directory = directory;
      this.#made.push(...(program.packageFolders ?? []));
      return await fill(directory);
    }
    const shared = await context.ports.workingDirectories.share({
      key: this.#key(packages),
      now: context.now(),
      signal: context.signal,
      fill,
    });
    if (!shared) return false;
    this.#shared.push(shared);
    this.#directory = shared.path;
    await this.#link(shared.path);
    return true;
  }

  get #installer(): string {
    const { program, environment } = this.#options;
    return environment?.interpreter ? "pip" : program.installer ?? "the installer";
  }

  /** Reason of the failure and its remedy, with the exit code. */
  get problem(): string {
    const { packages } = this.#options;
    const installer = this.#installer;
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
    for (const shared of this.#shared.splice(0)) shared.release();
  }

  async #run(commands: readonly string[], directory: string): Promise<boolean> {
    const command = ["/bin/sh", "-c", ["set -e", ...commands].join("\n")];
    this.#exitCode = await this.#options.execute(command, directory, ({ text }) => {
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
    if (!packages.every(isRegistered)) return false;
    if (!program.linkedFolders) return true;
    return context.workingDirectory === undefined && !await holdsAny(directory, program.packageFiles ?? []);
  }

  #key(packages: readonly string[]): string {
    const { place: { context }, env, environment } = this.#options;
    const settings = [...env].filter(([name]) => INSTALLING.test(name)).sort(([a], [b]) => a < b ? -1 : 1);
    const { path = "", version = "" } = environment?.interpreter ?? {};
    const names = [...new Set(packages)].sort();
    return stringifyJson([context.tenant, this.#installer, path, version, names, settings]);
  }
}

function isRegistered(name: string): boolean {
  return REGISTERED.test(name) && !ARCHIVE.test(name);
}

async function holdsAny(directory: string, names: readonly string[]): Promise<boolean> {
  for await (const { name } of Deno.readDir(directory)) if (names.includes(name)) return true;
  return false;
}
