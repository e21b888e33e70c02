/** Containers, run by the `docker` command. */
import type { Clock } from "../../base/clock.ts";
import type { ProcessCommand, ProcessPlace } from "../../model/ports/processes.ts";
import { signalGroup } from "./groups.ts";

/** Validity of a check. */
const RECHECK_MS = 10_000;
/** Timeout of a check: the command may wait minutes for an unreachable Docker host. */
const CHECK_MS = 5_000;

/** Checks whether containers can run. */
export class Docker {
  readonly #clock: Clock;
  readonly #env: ReadonlyMap<string, string>;
  #problem: Promise<string | undefined> | undefined;
  #checkedMs = 0;

  constructor(clock: Clock, env: ReadonlyMap<string, string>) {
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

  async #check(): Promise<string | undefined> {
    try {
      return await this.#problemOf(
        new Deno.Command("docker", {
          args: ["version", "--format", "{{.Server.Version}}"],
          env: Object.fromEntries(this.#env),
          clearEnv: true,
          detached: true,
          stdin: "null",
          stdout: "null",
          stderr: "piped",
        }).spawn(),
      );
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "the command is not installed on this machine";
      throw error;
    }
  }

  async #problemOf(child: Deno.ChildProcess): Promise<string | undefined> {
    let isLate = false;
    const cancel = this.#clock.setTimer(CHECK_MS, () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    });
    const [stderr, { success }] = await Promise.all([new Response(child.stderr).text(), child.status]);
    cancel();
    if (isLate) return `no response within ${CHECK_MS / 1000} seconds`;
    return success ? undefined : stderr.trim().split("\n").at(-1);
  }
}

/** The command that runs another one in a container. Values of variables are not passed as arguments, which all users see. */
export function dockerCommand(
  { command, workingDirectory, env }: ProcessCommand,
  place: Extract<ProcessPlace, { readonly type: "docker" }>,
  name: string,
): string[] {
  const volume = `${workingDirectory}:${workingDirectory}`;
  return [
    ...["docker", "run", "--rm", "--name", name, "--volume", volume, "--workdir", workingDirectory],
    ...(place.pull === undefined ? [] : ["--pull", place.pull]),
    ...(place.user === undefined ? [] : ["--user", place.user]),
    ...[...env.keys()].flatMap((variable) => ["--env", variable]),
    ...["--entrypoint", command[0] ?? "", place.image, ...command.slice(1)],
  ];
}

/** The shell command that removes a container. */
export function dockerRemoval(name: string): string {
  return `docker rm --force ${name}`;
}
