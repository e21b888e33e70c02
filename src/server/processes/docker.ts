/** Containers, by the `docker` command of the machine. */
import type { Clock } from "../../base/clock.ts";
import type { ProcessCommand, ProcessPlace } from "../../model/ports/processes.ts";

/** How long an answer of the command is believed. */
const ASK_AGAIN_MS = 10_000;

/** Knows whether containers can be run. */
export class Docker {
  readonly #clock: Clock;
  readonly #env: ReadonlyMap<string, string>;
  #problem: Promise<string | undefined> | undefined;
  #askedMs = 0;

  constructor(clock: Clock, env: ReadonlyMap<string, string>) {
    this.#clock = clock;
    this.#env = env;
  }

  /** Why no container can be run; `undefined` when they can. */
  problem(): Promise<string | undefined> {
    const now = this.#clock.monotonicMs();
    if (!this.#problem || now - this.#askedMs > ASK_AGAIN_MS) {
      this.#askedMs = now;
      this.#problem = this.#ask();
    }
    return this.#problem;
  }

  async #ask(): Promise<string | undefined> {
    try {
      const { success, stderr } = await new Deno.Command("docker", {
        args: ["version", "--format", "{{.Server.Version}}"],
        env: Object.fromEntries(this.#env),
        clearEnv: true,
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).output();
      return success ? undefined : new TextDecoder().decode(stderr).trim().split("\n").at(-1);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "there is no such command on this machine";
      throw error;
    }
  }
}

/** The command that runs another one in a container. Values of variables are not arguments: those are seen by everybody. */
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

/** The shell command that ends a container. */
export function dockerRemoval(name: string): string {
  return `docker rm --force ${name}`;
}
