/** Containers, by the `docker` command of the machine. */
import type { Clock } from "../../base/clock.ts";
import type { ProcessCommand, ProcessPlace } from "../../model/ports/processes.ts";
import { signalGroup } from "./groups.ts";

/** How long an answer of the command is believed. */
const ASK_AGAIN_MS = 10_000;
/** How long an answer is waited for: the command itself may wait for a machine that is not there for minutes. */
const ANSWER_MS = 5_000;

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
      return await this.#response(
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
      if (error instanceof Deno.errors.NotFound) return "there is no such command on this machine";
      throw error;
    }
  }

  async #response(child: Deno.ChildProcess): Promise<string | undefined> {
    let isLate = false;
    const cancel = this.#clock.setTimer(ANSWER_MS, () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    });
    const [stderr, { success }] = await Promise.all([new Response(child.stderr).text(), child.status]);
    cancel();
    if (isLate) return `it has not answered within ${ANSWER_MS / 1000} seconds`;
    return success ? undefined : stderr.trim().split("\n").at(-1);
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
