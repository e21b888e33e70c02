/**
 * The command that runs another one in a container. Nothing that a flow gives reaches the program itself: its environment is that
 * of the server, and what a flow chooses is the value of an option or stands after all options.
 */
import { shellWord } from "../../base/text/shell_word.ts";
import type { ScriptLimits } from "../../config/mod.ts";
import type { ContainerOptions, ContainerPlace } from "../../model/ports/containers.ts";
import type { ProcessCommand } from "../../model/ports/processes.ts";
import type { ContainerRuntime } from "./container_runtimes.ts";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const SHELL_VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The programs read an environment file by lines of at most 64 KiB. */
const MAX_LINE_CHARS = 16_000;
/** Names of files in the private folder of a run. */
export const ENV_FILE = "env";
export const LOGIN_FILE = "config.json";
/** Prefix of the variables of the program that hold values for the container; nothing else reads them. */
const VALUE_PREFIX = "SLUICE_VALUE_";

/** How the variables of a flow get into a container. Values are in no argument, which all users of the machine see. */
interface ContainerVariables {
  /** Content of an environment file. */
  readonly file: string;
  /** Values with line breaks, which that file cannot hold, by the name of the variable in the container. */
  readonly others: ReadonlyMap<string, string>;
}

/** Distributes the variables. @throws Error a container cannot have a variable of that name */
export function containerVariables(env: ReadonlyMap<string, string>): ContainerVariables {
  const lines: string[] = [];
  const others = new Map<string, string>();
  for (const [name, value] of env) {
    const isLine = value.length <= MAX_LINE_CHARS && !/[\r\n]/.test(value);
    if (!(isLine ? VARIABLE : SHELL_VARIABLE).test(name)) {
      throw new Error(
        `Cannot run commands in a container: "${name}" cannot be a variable there; ` +
          "use letters, digits and underscores in the names of `env`",
      );
    }
    if (isLine) lines.push(`${name}=${value}\n`);
    else others.set(name, value);
  }
  return { file: lines.join(""), others };
}

/** The variables of the program that hold {@link ContainerVariables.others}. */
export function clientVariables({ others }: ContainerVariables): Record<string, string> {
  return Object.fromEntries([...others.values()].map((value, index) => [VALUE_PREFIX + index, value]));
}

/** The content of `config.json` with the credentials of registries; `undefined` without any. */
export function loginFile({ logins }: Pick<ContainerOptions, "logins">): string | undefined {
  return logins && JSON.stringify({ auths: Object.fromEntries(logins) });
}

/** What a command in a container consists of. */
export interface ContainerRun {
  readonly runtime: ContainerRuntime;
  readonly place: ContainerPlace;
  /** Of the container, unique on the machine. */
  readonly name: string;
  /** Private folder of the run, with the environment file. */
  readonly folder: string;
  readonly variables: ContainerVariables;
  /** Upper bounds of the server. */
  readonly limits: ScriptLimits;
  /** By name. */
  readonly labels: ReadonlyMap<string, string>;
}

/**
 * The command that runs `command` in a container. {@link removalProgram} must follow: with `--rm`, Docker 28 on a service of
 * podman 4.3 returns 0 whatever the exit code. @throws Error the runtime cannot use another service
 */
export function containerCommand(command: ProcessCommand, run: ContainerRun): readonly string[] {
  const { place, name } = run;
  const client = clientCommand(run);
  const { workingDirectory: directory } = command;
  if (place.isDetached) return detachedCommand(command, run);
  if (!place.copiesFiles) {
    return [...client, "run", `--volume=${directory}:${directory}`, ...runArguments(command, run)];
  }
  const call = (...words: readonly string[]) => [...client, ...words].map(shellWord).join(" ");
  const program = [
    // A volume without a name: the directory must exist before files are copied there.
    `${call("create", `--volume=${directory}`, ...runArguments(command, run))} >/dev/null || exit`,
    `${call("cp", `${directory}/.`, `${name}:${directory}`)} >/dev/null || exit`,
    call("start", "--attach", name),
    "code=$?",
    `${call("cp", `${name}:${directory}/.`, directory)} >/dev/null || exit`,
    "exit $code",
  ];
  return ["/bin/sh", "-c", program.join("\n")];
}

/** Starts a container and leaves it behind; it is removed if that fails. */
function detachedCommand(command: ProcessCommand, run: ContainerRun): readonly string[] {
  const { workingDirectory: directory } = command;
  const { name } = run;
  const call = (...words: readonly string[]) => [...clientCommand(run), ...words].map(shellWord).join(" ");
  const copy = call("cp", `${directory}/.`, `${name}:${directory}`);
  const program = [
    // The directory of the task is removed with it.
    `${call("create", `--volume=${directory}`, ...runArguments(command, run))} >/dev/null || exit`,
    `${copy} >/dev/null && ${call("start", name)} >/dev/null && exit`,
    "code=$?",
    call("rm", "--force", "--volumes", name),
    "exit $code",
  ];
  return ["/bin/sh", "-c", program.join("\n")];
}

/** The shell program that ends a run in whatever state: removes the container, or kills it if it is kept, and the folder. */
export function removalProgram(run: Pick<ContainerRun, "runtime" | "place" | "name" | "folder">): string {
  const folder = `rm -rf ${shellWord(run.folder)}`;
  if (run.place.isDetached) return folder;
  return `${folder}; ${[...clientCommand(run), ...removalArguments(run)].map(shellWord).join(" ")}`;
}

/** The arguments that end a container. */
export function removalArguments(
  { runtime: { removalOptions = [] }, place, name }: Pick<ContainerRun, "runtime" | "place" | "name">,
): readonly string[] {
  return place.isKept ? ["kill", name] : ["rm", "--force", "--volumes", ...removalOptions, name];
}

/** The program with the options that choose its service. @throws Error the runtime cannot use another service */
export function clientCommand(
  { runtime, place }: Pick<ContainerRun, "runtime"> & { readonly place: Pick<ContainerOptions, "host"> },
): string[] {
  if (place.host === undefined) return [runtime.name];
  if (!runtime.hostOptions) {
    throw new Error(
      `Cannot run commands in a container: ${runtime.name} cannot use "${place.host}"; leave out \`host\``,
    );
  }
  return [runtime.name, ...runtime.hostOptions(place.host)];
}

/** The arguments of `run` and `create`. */
function runArguments({ command, workingDirectory, input }: ProcessCommand, run: ContainerRun): string[] {
  const { place, variables, labels } = run;
  const keepsEntryPoint = place.keepsEntryPoint === true && place.entryPoint === undefined;
  if (keepsEntryPoint && variables.others.size > 0) {
    throw new Error(
      "Cannot run a container: values of `env` with line breaks need an `entryPoint`, such as [sh, -c]",
    );
  }
  const words = [...place.entryPoint ?? [], ...withOthers(command, variables.others)];
  const [program = "", ...args] = keepsEntryPoint ? ["", ...words] : words;
  return [
    // Pulling an image is no error output.
    ...[`--name=${run.name}`, "--quiet"],
    ...place.keepsDirectory ? [] : [`--workdir=${workingDirectory}`],
    ...input ? ["--interactive"] : [],
    `--env-file=${run.folder}/${ENV_FILE}`,
    ...[...variables.others.keys()].map((_, index) => `--env=${VALUE_PREFIX}${index}`),
    ...[...labels].map(([name, value]) => `--label=${name}=${value}`),
    ...limitOptions(place, run.limits),
    ...placeOptions(place),
    ...(place.devices ?? []).flatMap((request) => run.runtime.deviceOptions(request)),
    ...keepsEntryPoint ? [] : [`--entrypoint=${program}`],
    ...["--", place.image, ...args],
  ];
}

function placeOptions(place: ContainerPlace): string[] {
  const one = (name: string, value: string | undefined) => value === undefined ? [] : [`--${name}=${value}`];
  const each = (name: string, values: readonly string[] = []) => values.map((value) => `--${name}=${value}`);
  const { sharedMemoryBytes: shared } = place;
  return [
    ...one("pull", place.pull),
    ...one("user", place.user),
    ...one("network", place.network),
    ...each("add-host", place.extraHosts),
    ...each("publish", place.ports),
    ...each("volume", place.volumes),
    ...one("shm-size", shared === undefined ? undefined : `${shared}b`),
    ...(place.isPrivileged ? ["--privileged"] : []),
  ];
}

/** Most bytes of memory that the container may use: the smaller limit of task and server. */
export function memoryLimitOf(
  { memory }: ContainerOptions,
  { memoryBytes }: ScriptLimits,
): number | undefined {
  return smaller(memory?.limitBytes, memoryBytes);
}

/** What a task chooses is bounded by the limits of the server. */
function limitOptions(place: ContainerPlace, limits: ScriptLimits): string[] {
  const { processes } = limits;
  const cpus = smaller(place.cpus, limits.cpus);
  return [
    ...memoryOptions(place, limits),
    ...(cpus === undefined ? [] : [`--cpus=${cpus}`]),
    ...(processes === undefined ? [] : [`--pids-limit=${processes}`]),
  ];
}

function memoryOptions(place: ContainerPlace, limits: ScriptLimits): string[] {
  const bytes = memoryLimitOf(place, limits);
  const { swapBytes, reservationBytes, swappiness, isOomKillDisabled } = place.memory ?? {};
  // A limit of the server holds for memory and swap together.
  const swap = limits.memoryBytes === undefined || bytes === undefined
    ? swapBytes
    : Math.max(bytes, Math.min(limits.memoryBytes, swapBytes ?? bytes));
  return [
    ...(bytes === undefined ? [] : [`--memory=${bytes}b`]),
    ...(swap === undefined ? [] : [swap < 0 ? "--memory-swap=-1" : `--memory-swap=${swap}b`]),
    ...(reservationBytes === undefined ? [] : [`--memory-reservation=${smaller(reservationBytes, bytes)}b`]),
    ...(swappiness === undefined ? [] : [`--memory-swappiness=${swappiness}`]),
    ...(isOomKillDisabled ? ["--oom-kill-disable"] : []),
  ];
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** Lets a shell of the container give the values their names. */
function withOthers(command: readonly string[], others: ReadonlyMap<string, string>): readonly string[] {
  if (others.size === 0) return command;
  const names = [...others.keys()];
  const exports = names.map((name, index) => `${name}="$${VALUE_PREFIX}${index}"`).join(" ");
  const unsets = names.map((_, index) => `${VALUE_PREFIX}${index}`).join(" ");
  return ["/bin/sh", "-c", `export ${exports}; unset ${unsets}; exec "$@"`, "sh", ...command];
}
