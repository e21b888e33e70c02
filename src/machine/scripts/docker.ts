/**
 * Containers, run by the `docker` command. Nothing that a flow gives reaches the command itself: its environment is that of the
 * server, and what a flow chooses is checked, and is the value of an option or stands after all options.
 */
import type { Clock } from "../../base/clock.ts";
import { shellWord } from "../../base/shell_word.ts";
import type { ScriptLimits } from "../../config/mod.ts";
import type { ProcessCommand, ProcessPlace } from "../../model/ports/processes.ts";
import { isImageReference } from "./image_reference.ts";
import { signalGroup } from "./groups.ts";

/** A container to run a command in. */
type ContainerPlace = Extract<ProcessPlace, { readonly type: "docker" }>;

/** Validity of a check. */
const RECHECK_MS = 10_000;
/** Timeout of a check and of a removal: the command may wait minutes for an unreachable Docker host. */
const CALL_MS = 5_000;
const USER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?(?::[A-Za-z0-9_][A-Za-z0-9_.-]*\$?)?$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const SHELL_VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The command reads an environment file by lines of at most 64 KiB. */
const MAX_LINE_CHARS = 16_000;
/** Prefix of the variables of the client that hold values for the container; no program reads them. */
const VALUE_PREFIX = "SLUICE_VALUE_";

/** Checks whether containers can run, and removes them. */
export class Docker {
  readonly #clock: Clock;
  readonly #env: Readonly<Record<string, string>>;
  #problem: Promise<string | undefined> | undefined;
  #checkedMs = 0;

  /** `env`: environment of the command. */
  constructor(clock: Clock, env: Readonly<Record<string, string>>) {
    this.#clock = clock;
    this.#env = env;
  }

  /** Why containers cannot run; `undefined` when they can. */
  problem(): Promise<string | undefined> {
    const now = this.#clock.monotonicMs();
    if (!this.#problem || now - this.#checkedMs > RECHECK_MS) {
      this.#checkedMs = now;
      this.#problem = this.#check();
    }
    return this.#problem;
  }

  /** Removes a container with its processes, if it exists. A failure is ignored: the watchdog tries it again. */
  async remove(name: string): Promise<void> {
    await Promise.allSettled([this.#call(["rm", "--force", name])]);
  }

  async #check(): Promise<string | undefined> {
    try {
      return await this.#call(["version", "--format", "{{.Server.Version}}"]);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "the command is not installed on this machine";
      throw error;
    }
  }

  /** Runs the command; returns the reason of a failure. */
  async #call(args: string[]): Promise<string | undefined> {
    const child = new Deno.Command("docker", {
      args,
      env: this.#env,
      clearEnv: true,
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    let isLate = false;
    const cancel = this.#clock.setTimer(CALL_MS, () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    });
    const [stderr, { success }] = await Promise.all([new Response(child.stderr).text(), child.status]);
    cancel();
    if (isLate) return `no response within ${CALL_MS / 1000} seconds`;
    return success ? undefined : stderr.trim().split("\n").at(-1);
  }
}

/** Why the flow's choice of a container is refused; `undefined` if it is not. */
export function placeProblem({ image, user }: ContainerPlace): string | undefined {
  if (!isImageReference(image)) {
    return `"${image}" is not an image reference such as "python:3.13-slim"; correct \`containerImage\``;
  }
  if (user === undefined || USER.test(user)) return undefined;
  return `"${user}" is not a user such as "1000:1000" or "nobody"; correct \`user\` of the task runner`;
}

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

/** The variables of the client that hold {@link ContainerVariables.others}. */
export function clientVariables({ others }: ContainerVariables): Record<string, string> {
  return Object.fromEntries([...others.values()].map((value, index) => [VALUE_PREFIX + index, value]));
}

interface ContainerOptions {
  readonly name: string;
  readonly envFile: string;
  readonly variables: ContainerVariables;
  readonly limits: ScriptLimits;
}

/**
 * The command that runs another one in a container. {@link dockerRemoval} must follow: with `--rm`, Docker 28 on a service of
 * podman 4.3 returns 0 whatever the exit code.
 */
export function dockerCommand(
  { command, workingDirectory }: ProcessCommand,
  place: ContainerPlace,
  { name, envFile, variables, limits }: ContainerOptions,
): string[] {
  const [program = "", ...args] = withOthers(command, variables.others);
  return [
    ...["docker", "run", `--name=${name}`, `--volume=${workingDirectory}:${workingDirectory}`],
    ...[`--workdir=${workingDirectory}`, `--env-file=${envFile}`],
    ...[...variables.others.keys()].map((_, index) => `--env=${VALUE_PREFIX}${index}`),
    ...limitOptions(limits),
    ...(place.pull === undefined ? [] : [`--pull=${place.pull}`]),
    ...(place.user === undefined ? [] : [`--user=${place.user}`]),
    ...[`--entrypoint=${program}`, "--", place.image, ...args],
  ];
}

function limitOptions({ memoryBytes, cpus, processes }: ScriptLimits): string[] {
  return [
    ...(memoryBytes === undefined ? [] : [`--memory=${memoryBytes}b`, `--memory-swap=${memoryBytes}b`]),
    ...(cpus === undefined ? [] : [`--cpus=${cpus}`]),
    ...(processes === undefined ? [] : [`--pids-limit=${processes}`]),
  ];
}

/** Lets a shell of the container give the values their names. */
function withOthers(command: readonly string[], others: ReadonlyMap<string, string>): readonly string[] {
  if (others.size === 0) return command;
  const names = [...others.keys()];
  const exports = names.map((name, index) => `${name}="$${VALUE_PREFIX}${index}"`).join(" ");
  const unsets = names.map((_, index) => `${VALUE_PREFIX}${index}`).join(" ");
  return ["/bin/sh", "-c", `export ${exports}; unset ${unsets}; exec "$@"`, "sh", ...command];
}

/** The shell command that removes a container and its environment file. */
export function dockerRemoval(name: string, envFile: string): string {
  return `rm -f ${shellWord(envFile)}; docker rm --force ${name}`;
}
