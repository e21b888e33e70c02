/** Runs the commands of script tasks as the policy allows, a bounded number at a time. */
import { availableParallelism } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { type RandomBytes, systemRandomBytes } from "../../base/id.ts";
import type { MachineUser, ScriptLimits } from "../../config/mod.ts";
import { isLoopback } from "../../base/ip.ts";
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";
import type {
  ProcessCommand,
  ProcessEnd,
  ProcessLine,
  ProcessPlace,
  ProcessPolicy,
  ProcessPort,
} from "../../model/ports/processes.ts";
import {
  clientVariables,
  containerVariables,
  Docker,
  dockerCommand,
  dockerRemoval,
  placeProblem,
} from "./docker.ts";
import { clientEnvironment, scriptEnvironment, userEnvironment } from "./environment.ts";
import { ReadyShells } from "./ready_shells.ts";
import { FairSlots } from "./process_slots.ts";
import { ControlGroups, enforcementText, type GroupSupport } from "./control_groups.ts";
import { LimitReached, limitReached, LimitWatch } from "./limits.ts";
import { runSupervised, type SupervisedOptions } from "./supervised.ts";
import { Watchdog, type WatchedProcess } from "./watchdog.ts";
import type { WorkDirectories } from "./work_directories.ts";

/** Processes mostly wait for I/O. */
const PROCESSES_PER_CORE = 4;
/** The exit code of shells for a command ended by SIGKILL. */
const KILLED = 137;
/** The exit code of shells for a command ended by SIGTERM. */
const STOPPED = 143;
const WAYS = "start the server with --scripts process, or with --scripts docker to run each in a container";

/** Containers have control groups of their own. */
const IN_CONTAINER: Pick<GroupSupport, "controllers"> = { controllers: new Set(["memory", "pids", "cpu"]) };

/** Options that determine where scripts may run. */
export interface ProcessOptions {
  readonly clock: Clock;
  /** Listen address of the server. */
  readonly host: string;
  /** Absent: `process` if only this machine reaches the server and it has one tenant, else `off`. */
  readonly scripts?: "process" | "docker" | "off";
  readonly isDeploy?: boolean;
  /** The user that scripts run as; absent: that of the server. */
  readonly scriptUser?: MachineUser;
  /** Upper bounds of each script. */
  readonly scriptLimits?: ScriptLimits;
}

/** Inputs of {@link Processes} from the machine. */
interface ProcessEnvironment {
  /** Variables that scripts get. */
  readonly env: ReadonlyMap<string, string>;
  /** Variables of the `docker` command; absent: `env`. */
  readonly clientEnv?: Readonly<Record<string, string>>;
  /** Scripts run there, and environment files of containers are there. */
  readonly directories: Pick<WorkDirectories, "writePrivate" | "remove" | "occupy">;
  /** Must be unique on the machine: names of containers and marks of processes use it. */
  readonly randomBytes: RandomBytes;
}

/** The processes of one server. */
export class Processes implements ProcessPort, AsyncDisposable {
  readonly #options: ProcessOptions;
  readonly #limits: ScriptLimits;
  readonly #tenantCount: () => number;
  readonly #env: ReadonlyMap<string, string>;
  readonly #clientEnv: Readonly<Record<string, string>>;
  readonly #directories: ProcessEnvironment["directories"];
  readonly #randomBytes: RandomBytes;
  readonly #docker: Docker;
  readonly #control: ControlGroups | undefined;
  readonly #watchdog: Watchdog;
  readonly #shells: ReadyShells;
  readonly #slots = new FairSlots(availableParallelism() * PROCESSES_PER_CORE);
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    options: ProcessOptions,
    tenantCount: () => number,
    { env, clientEnv = Object.fromEntries(env), directories, randomBytes }: ProcessEnvironment,
  ) {
    this.#options = options;
    this.#limits = options.scriptLimits ?? {};
    this.#tenantCount = tenantCount;
    this.#env = env;
    this.#clientEnv = clientEnv;
    this.#directories = directories;
    this.#randomBytes = randomBytes;
    this.#docker = new Docker(options.clock, clientEnv);
    this.#control = isConfined(options)
      ? new ControlGroups({ limits: this.#limits, env: clientEnv, randomBytes })
      : undefined;
    this.#watchdog = new Watchdog(clientEnv, options.clock, { randomBytes, control: this.#control });
    this.#shells = new ReadyShells(this.#watchdog, options.clock);
  }

  /** @inheritdoc */
  get policy(): ProcessPolicy {
    const { scripts, host, isDeploy } = this.#options;
    if (isDeploy) return { mode: "off", reason: "a hosted server has no processes" };
    if (scripts === "off") {
      return { mode: "off", reason: `the server was started with --scripts off; ${WAYS}` };
    }
    if (scripts) return { mode: scripts, reason: `the server was started with --scripts ${scripts}` };
    if (!isLoopback(host)) {
      return {
        mode: "off",
        reason: `other machines reach this server, so scripts must be enabled explicitly; ${WAYS}`,
      };
    }
    if (this.#tenantCount() > 1) {
      return {
        mode: "off",
        reason: `this server has several tenants, so scripts must be enabled explicitly; ${WAYS}`,
      };
    }
    return { mode: "process", reason: "only this machine reaches the server" };
  }

  /** Creates the control groups, if scripts get some; returns how their limits are enforced. */
  async prepare(): Promise<string | undefined> {
    if (!this.#control || this.policy.mode !== "process") return undefined;
    const preparing = this.#watchdog.support();
    this.#running.add(preparing);
    try {
      return enforcementText(await preparing);
    } finally {
      this.#running.delete(preparing);
    }
  }

  /** @inheritdoc */
  get maxFileBytes(): number | undefined {
    return this.#limits.fileBytes;
  }

  /** @inheritdoc */
  async run(attempt: AttemptIdentity, command: ProcessCommand): Promise<ProcessEnd> {
    await this.#check(command);
    const release = await this.#slots.acquire(`${attempt.tenant}/${attempt.executionId}`, command.signal);
    if (!release) return { exitCode: STOPPED };
    const start = () => this.#start(attempt, command);
    const isLent = command.place.type === "process";
    const running = this.#directories.occupy(command.workingDirectory, isLent, start);
    this.#running.add(running);
    try {
      return { exitCode: await running };
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      return { exitCode: KILLED, limit: error.message };
    } finally {
      this.#running.delete(running);
      release();
    }
  }

  /** Waits for the running processes, which were stopped before, and ends what they left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#running]);
    await this.#shells[Symbol.asyncDispose]();
    await this.#watchdog[Symbol.asyncDispose]();
  }

  async #check({ place }: ProcessCommand): Promise<void> {
    const { mode, reason } = this.policy;
    if (mode === "off") throw new Error(`Cannot run commands: scripts are switched off, because ${reason}`);
    if (place.type === "process") {
      if (mode === "process") return;
      throw new Error(
        `Cannot run commands as processes of this machine: ${reason}; leave out \`taskRunner\``,
      );
    }
    const refusal = placeProblem(place) ?? this.#userProblem();
    if (refusal !== undefined) throw new Error(`Cannot run commands in a container: ${refusal}`);
    const problem = await this.#docker.problem();
    if (problem === undefined) return;
    const way = mode === "docker"
      ? "start Docker on this machine"
      : 'start Docker on this machine, or say `taskRunner: {type: "io.kestra.plugin.core.runner.Process"}`';
    throw new Error(`Cannot run commands in a container: docker does not work here (${problem}); ${way}`);
  }

  /** A container has the rights of the server, which a user of scripts must not get without the operator's word. */
  #userProblem(): string | undefined {
    const { scriptUser, scripts } = this.#options;
    if (!scriptUser || scripts === "docker") return undefined;
    return `scripts of this server run as the user "${scriptUser.name}", and a container has the rights of the server; ` +
      "leave out `taskRunner`, or start the server with --scripts docker";
  }

  async #start(attempt: AttemptIdentity, command: ProcessCommand): Promise<number> {
    const { place, env, workingDirectory: cwd } = command;
    if (place.type === "docker") return await this.#startContainer(attempt, command, place);
    const user = this.#options.scriptUser;
    const support = await this.#control?.support();
    return await runSupervised({
      starter: this.#shells,
      command: command.command,
      cwd,
      env: {
        ...Object.fromEntries(user ? userEnvironment(this.#env, user, cwd) : this.#env),
        ...Object.fromEntries(env),
      },
      user,
      ...this.#supervision(command, remainingLimits(this.#limits, support)),
      inspect: support?.controllers.size ? this.#inspect : undefined,
    });
  }

  readonly #inspect = async ({ controlGroup }: WatchedProcess): Promise<Error | undefined> =>
    controlGroup === undefined ? undefined : await this.#control?.met(controlGroup);

  /** How a command is watched, with the limits that nothing else enforces. */
  #supervision(
    { signal, onLine, workingDirectory }: ProcessCommand,
    limits: ScriptLimits,
  ): Pick<SupervisedOptions, "clock" | "signal" | "onLine" | "watch"> {
    const { clock } = this.#options;
    const watch = new LimitWatch({
      clock,
      limits,
      directory: workingDirectory,
      env: this.#clientEnv,
    });
    return {
      clock,
      signal,
      watch: watch.start,
      onLine: (line: ProcessLine) => {
        watch.count(line.text);
        return onLine(line);
      },
    };
  }

  async #startContainer(
    attempt: AttemptIdentity,
    command: ProcessCommand,
    place: Extract<ProcessPlace, { readonly type: "docker" }>,
  ): Promise<number> {
    const name = this.#containerName(attempt);
    const variables = containerVariables(command.env);
    const envFile = await this.#directories.writePrivate(`${name}.env`, variables.file);
    let isStopped = true;
    try {
      const exitCode = await runSupervised({
        starter: this.#watchdog,
        command: dockerCommand(command, place, { name, envFile, variables, limits: this.#limits }),
        cleanUp: dockerRemoval(name, envFile),
        cwd: "/",
        env: { ...this.#clientEnv, ...clientVariables(variables) },
        ...this.#supervision(command, remainingLimits(this.#limits, IN_CONTAINER)),
      });
      isStopped = command.signal.aborted;
      if (exitCode === KILLED && !isStopped) throwKilled(this.#limits);
      return exitCode;
    } finally {
      // A stopped client may leave its container running.
      if (isStopped) await this.#docker.remove(name);
      await this.#directories.remove(`${name}.env`);
    }
  }

  #containerName({ taskRunId, attemptNumber }: AttemptIdentity): string {
    const bytes = new Uint8Array(8);
    this.#randomBytes(bytes);
    return `sluice-${taskRunId}-${attemptNumber}-${bytes.toHex()}`;
  }
}

/** Whether scripts get control groups. Others do without: to make one takes longer than to start a script. */
function isConfined(
  { scriptUser, scriptLimits: { memoryBytes, cpus, processes } = {} }: ProcessOptions,
): boolean {
  return scriptUser !== undefined || (memoryBytes ?? cpus ?? processes) !== undefined;
}

/** What ends a container for want of memory gives no other sign. @throws LimitReached */
function throwKilled(limits: ScriptLimits): void {
  if (limits.memoryBytes === undefined) return;
  const { message } = limitReached("memory", limits);
  throw new LimitReached(`${message}, or something else has killed its container`);
}

function remainingLimits(
  limits: ScriptLimits,
  support: Pick<GroupSupport, "controllers"> | undefined,
): ScriptLimits {
  return {
    ...limits,
    memoryBytes: support?.controllers.has("memory") ? undefined : limits.memoryBytes,
    processes: support?.controllers.has("pids") ? undefined : limits.processes,
  };
}

/** The processes of a server with that many tenants. */
export function createProcesses(
  options: ProcessOptions,
  tenantCount: () => number,
  directories: ProcessEnvironment["directories"],
): Processes {
  const environment = Deno.env.toObject();
  const env = scriptEnvironment(environment);
  const clientEnv = clientEnvironment(environment);
  return new Processes(options, tenantCount, { env, clientEnv, directories, randomBytes: systemRandomBytes });
}
