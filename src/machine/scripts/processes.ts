/** Runs the commands of script tasks as the policy allows, a bounded number at a time. */
import { availableParallelism } from "node:os";
import type { Clock } from "../../base/time/clock.ts";
import { type RandomBytes, systemRandomBytes } from "../../base/id.ts";
import type { MachineUser, ScriptLimits } from "../../config/mod.ts";
import { isLoopback } from "../../base/network/ip.ts";
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";
import {
  type ContainerPermission,
  type ContainerPlace,
  neededPermissions,
  type RuntimePlace,
} from "../../model/ports/containers.ts";
import type {
  ProcessCommand,
  ProcessEnd,
  ProcessLine,
  ProcessPolicy,
  ProcessPort,
  ProgramFacts,
} from "../../model/ports/processes.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import { isImageReference } from "../../model/tasks/image_reference.ts";
import {
  clientCommand,
  clientVariables,
  containerCommand,
  type ContainerRun,
  containerVariables,
  ENV_FILE,
  LOGIN_FILE,
  loginFile,
  memoryLimitOf,
  removalArguments,
  removalProgram,
} from "./container_command.ts";
import { ContainerHost, type ContainerHostOptions, RUNTIME_FAILED } from "./container_host.ts";
import type { ContainerRuntime } from "./container_runtimes.ts";
import { clientEnvironment, scriptEnvironment, userEnvironment } from "./environment.ts";
import { ProgramVersions } from "./program_versions.ts";
import { ReadyShells } from "./ready_shells.ts";
import { FairSlots } from "../../base/fair_slots.ts";
import { ControlGroups, enforcementText, type GroupSupport } from "./control_groups.ts";
import { LimitReached, limitReached, LimitWatch } from "./limits.ts";
import { runSupervised, type SupervisedOptions } from "./supervised.ts";
import { type Deadline, Watchdog, type WatchedProcess } from "./watchdog.ts";
import type { WorkDirectories } from "./work_directories.ts";

/** Processes mostly wait for I/O. */
const PROCESSES_PER_CORE = 4;
/** Processes of this machine at a time. */
export const DEFAULT_PROCESSES = availableParallelism() * PROCESSES_PER_CORE;
/** The exit code of shells for a command ended by SIGKILL. */
const KILLED = 137;
/** The exit code of shells for a command ended by SIGTERM. */
const STOPPED = 143;
const LABEL_PREFIX = "sluice.";
const WAYS =
  "start the server with --scripts process, or with --scripts container to run each in a container";

/** Containers have control groups of their own. */
const IN_CONTAINER: Pick<GroupSupport, "controllers"> = { controllers: new Set(["memory", "pids", "cpu"]) };

/** Options that determine where scripts may run. */
export interface ProcessOptions {
  readonly clock: Clock;
  /** Listen address of the server. */
  readonly host: string;
  /** Absent: `process` if only this machine reaches the server and it has one tenant, else `off`. */
  readonly scripts?: "process" | "container" | "off";
  /** False once another process may run the same scripts: none starts. Absent: there is no other process. */
  readonly mayAct?: () => boolean;
  /** When scripts end although this process may be frozen. */
  readonly deadline?: Deadline;
  readonly isDeploy?: boolean;
  /** The user that scripts run as; absent: that of the server. */
  readonly scriptUser?: MachineUser;
  /** Upper bounds of each script. */
  readonly scriptLimits?: ScriptLimits;
  /** Processes at a time; absent: a number for each processor. */
  readonly maxProcesses?: number;
}

/** Inputs of {@link Processes} from the machine. */
interface ProcessEnvironment {
  /** Variables that scripts get. */
  readonly env: ReadonlyMap<string, string>;
  /** Variables of container runtimes and of programs of the server; absent: `env`. */
  readonly clientEnv?: Readonly<Record<string, string>>;
  readonly containers: ContainerHost;
  /** Scripts run there, and environment files of containers are there. */
  readonly directories: Pick<WorkDirectories, "make" | "writePrivate" | "remove" | "occupy">;
  /** Must be unique on the machine: names of containers and marks of processes use it. */
  readonly randomBytes: RandomBytes;
}

/** The processes of one server. */
export class Processes implements ProcessPort, AsyncDisposable {
  readonly containers: ContainerHost;
  readonly #options: ProcessOptions;
  readonly #limits: ScriptLimits;
  readonly #tenantCount: () => number;
  readonly #env: ReadonlyMap<string, string>;
  readonly #clientEnv: Readonly<Record<string, string>>;
  readonly #directories: ProcessEnvironment["directories"];
  readonly #randomBytes: RandomBytes;
  readonly #programs = new ProgramVersions();
  readonly #control: ControlGroups | undefined;
  readonly #watchdog: Watchdog;
  readonly #shells: ReadyShells;
  readonly #slots: FairSlots;
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    options: ProcessOptions,
    tenantCount: () => number,
    { env, clientEnv = Object.fromEntries(env), containers, directories, randomBytes }: ProcessEnvironment,
  ) {
    this.containers = containers;
    this.#options = options;
    this.#slots = new FairSlots(options.maxProcesses ?? DEFAULT_PROCESSES);
    this.#limits = options.scriptLimits ?? {};
    this.#tenantCount = tenantCount;
    this.#env = env;
    this.#clientEnv = clientEnv;
    this.#directories = directories;
    this.#randomBytes = randomBytes;
    this.#control = isConfined(options)
      ? new ControlGroups({ limits: this.#limits, env: clientEnv, randomBytes })
      : undefined;
    const { clock, deadline } = options;
    this.#watchdog = new Watchdog(clientEnv, clock, { randomBytes, control: this.#control, deadline });
    this.#shells = new ReadyShells(this.#watchdog, options.clock);
  }

  /** @inheritdoc */
  get policy(): ProcessPolicy {
    return scriptPolicy(this.#options, this.#tenantCount());
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
    const running = this.#occupy(command, () => {
      this.#checkMayAct();
      return this.#start(attempt, command);
    });
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      return { exitCode: KILLED, reason: error.message };
    } finally {
      this.#running.delete(running);
      release();
    }
  }

  /** @inheritdoc */
  findProgram(
    attempt: AttemptIdentity,
    name: string,
    place: Pick<ProcessCommand, "env" | "workingDirectory" | "signal">,
  ): Promise<ProgramFacts | undefined> {
    const path = place.env.get("PATH") ?? this.#env.get("PATH") ?? "";
    return this.#programs.find(name, path, async (command, onLine) => {
      const run = { command, onLine, place: { type: "process" }, ...place } as const;
      return (await this.run(attempt, run)).exitCode === 0;
    });
  }

  /** Waits for the running processes, which were stopped before, and ends what they left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#running]);
    await this.#shells[Symbol.asyncDispose]();
    await this.#watchdog[Symbol.asyncDispose]();
    await this.containers[Symbol.asyncDispose]();
  }

  #checkMayAct(): void {
    if (this.#options.mayAct?.() === false) {
      throw new Error("Cannot run commands: this server does not lead any more");
    }
  }

  async #check({ place }: ProcessCommand): Promise<void> {
    const { mode, reason, containerRefusal } = this.policy;
    if (mode === "off") throw new Error(`Cannot run commands: scripts are switched off, because ${reason}`);
    if (place.type === "process") {
      if (mode === "process") return;
      throw new Error(
        `Cannot run commands as processes of this machine: ${reason}; leave out \`taskRunner\``,
      );
    }
    const refusal = containerRefusal ??
      (place.type === "runtime" ? this.#runtimeProblem(place) : this.#placeProblem(place));
    if (refusal !== undefined) throw new Error(`Cannot ${this.#useOf(place)}: ${refusal}`);
    await this.#runtime();
  }

  #occupy(
    { workingDirectory, packageDirectory, place }: ProcessCommand,
    start: () => Promise<ProcessEnd>,
  ): Promise<ProcessEnd> {
    // The runtime works for other tasks meanwhile.
    if (place.type === "runtime") return start();
    const isLent = place.type === "process";
    const begin = packageDirectory === undefined || !isLent
      ? start
      : () => this.#directories.occupy(packageDirectory, isLent, start);
    return this.#directories.occupy(workingDirectory, isLent, begin);
  }

  async #runtime(): Promise<ContainerRuntime> {
    const state = await this.containers.find();
    const { found } = this.containers;
    if (found) return found.runtime;
    throw new Error(
      `Cannot run commands in a container: no container runtime works on this machine${
        "problem" in state ? ` (${state.problem})` : ""
      }; install Docker, Podman or nerdctl, or start its service`,
    );
  }

  /** Flows are checked when they are saved, but without the values of expressions. */
  #placeProblem(place: ContainerPlace): string | undefined {
    if (!isImageReference(place.image)) {
      return `"${place.image}" is not an image reference such as "python:3.13-slim"; correct \`containerImage\``;
    }
    return this.#missingPermission(neededPermissions(place));
  }

  #runtimeProblem({ permissions, host }: RuntimePlace): string | undefined {
    return this.#missingPermission([...permissions, ...neededPermissions({ host })]);
  }

  #missingPermission(needed: readonly ContainerPermission[]): string | undefined {
    const missing = needed.find((permission) => !this.containers.allows(permission));
    return missing && `the server does not allow it; start it with --container-allow ${missing}`;
  }

  #useOf({ type }: ContainerPlace | RuntimePlace): string {
    return type === "runtime" ? "use the container runtime" : "run commands in a container";
  }

  async #start(attempt: AttemptIdentity, command: ProcessCommand): Promise<ProcessEnd> {
    const { place, env, workingDirectory: cwd } = command;
    if (place.type === "container") return await this.#startContainer(attempt, command, place);
    if (place.type === "runtime") return await this.#startRuntime(attempt, command, place);
    const user = this.#options.scriptUser;
    const support = await this.#control?.support();
    const exitCode = await runSupervised({
      // A shell that waits has its script as input.
      starter: command.input ? this.#watchdog : this.#shells,
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
    return { exitCode };
  }

  readonly #inspect = async ({ controlGroup }: WatchedProcess): Promise<Error | undefined> =>
    controlGroup === undefined ? undefined : await this.#control?.met(controlGroup);

  /** How a command is watched, with the limits that nothing else enforces. */
  #supervision(
    { signal, onLine, onOutput, input, workingDirectory, packageDirectory }: ProcessCommand,
    limits: ScriptLimits,
  ): Pick<SupervisedOptions, "clock" | "signal" | "onLine" | "onOutput" | "input" | "watch"> {
    const { clock } = this.#options;
    const watch = new LimitWatch({
      clock,
      limits,
      directories: packageDirectory === undefined ? [workingDirectory] : [workingDirectory, packageDirectory],
      env: this.#clientEnv,
    });
    return {
      clock,
      signal,
      input,
      onOutput,
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
    place: ContainerPlace,
  ): Promise<ProcessEnd> {
    const runtime = await this.#runtime();
    const name = this.#containerName(attempt);
    const variables = containerVariables(command.env);
    const folder = await this.#directories.make(name);
    const run = { runtime, place, name, folder, variables, limits: this.#limits, labels: labelsOf(attempt) };
    let isStopped = true;
    try {
      const exitCode = await runSupervised({
        starter: this.#watchdog,
        command: containerCommand(command, run),
        cleanUp: removalProgram(run),
        cwd: "/",
        env: { ...this.#clientEnv, ...await this.#writeFiles(run), ...clientVariables(variables) },
        graceMs: place.graceMs,
        ...this.#supervision(command, remainingLimits(this.#limits, IN_CONTAINER)),
      });
      isStopped = command.signal.aborted;
      // A stopped client returns any code, even 0.
      if (isStopped) return { exitCode: STOPPED };
      const reason = this.#failureOf(exitCode, run);
      return place.isDetached && exitCode === 0 ? { exitCode, containerId: name } : { exitCode, reason };
    } finally {
      // A stopped client may leave its container running. The next task may remove the image of `docker.cli.Run`.
      if (isStopped || place.keepsEntryPoint && !place.isDetached) {
        await this.containers.attempt([...clientCommand(run), ...removalArguments(run)]);
      }
      await this.#directories.remove(name);
    }
  }

  /** The arguments stand after the options that choose the service; the task has checked what a flow gives of them. */
  async #startRuntime(
    attempt: AttemptIdentity,
    command: ProcessCommand,
    place: RuntimePlace,
  ): Promise<ProcessEnd> {
    const runtime = await this.#runtime();
    const name = this.#containerName(attempt);
    const folder = await this.#directories.make(name);
    try {
      const exitCode = await runSupervised({
        starter: this.#watchdog,
        command: [...clientCommand({ runtime, place }), ...command.command],
        cleanUp: `rm -rf ${shellWord(folder)}`,
        cwd: "/",
        env: { ...this.#clientEnv, ...await this.#writeLogins({ runtime, place, name, folder }) },
        ...this.#supervision(command, remainingLimits(this.#limits, IN_CONTAINER)),
      });
      return { exitCode: command.signal.aborted ? STOPPED : exitCode };
    } finally {
      await this.#directories.remove(name);
    }
  }

  /** Writes the private files of a run; returns the variables that name them. */
  async #writeFiles(run: ContainerRun): Promise<Record<string, string>> {
    await this.#directories.writePrivate(`${run.name}/${ENV_FILE}`, run.variables.file);
    return await this.#writeLogins(run);
  }

  async #writeLogins(
    { runtime, place, name, folder }: Pick<ContainerRun, "runtime" | "name" | "folder"> & {
      readonly place: Pick<ContainerPlace, "logins">;
    },
  ): Promise<Record<string, string>> {
    const login = loginFile(place);
    if (login === undefined) return {};
    await this.#directories.writePrivate(`${name}/${LOGIN_FILE}`, login);
    return runtime.loginVariables(folder);
  }

  /** What a container that ended so says only by its exit code. */
  #failureOf(exitCode: number, { runtime, place, limits }: ContainerRun): string | undefined {
    this.containers.doubt(exitCode);
    const memoryBytes = memoryLimitOf(place, limits);
    if (exitCode === KILLED && memoryBytes !== undefined) {
      const name = memoryBytes === limits.memoryBytes ? "memory" : "containerMemory";
      const { message } = limitReached(name, { ...limits, memoryBytes });
      return `${message}, or something else has killed its container`;
    }
    if (exitCode !== RUNTIME_FAILED) return undefined;
    return `Cannot run commands in a container of the image "${place.image}": ${runtime.name} could not create it, ` +
      "as its message above says; correct `containerImage`, or give `credentials` of its registry";
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

/** What operators find the containers of the server by. */
function labelsOf(attempt: AttemptIdentity): ReadonlyMap<string, string> {
  const { tenant, namespace, flowId, executionId, taskId } = attempt;
  const facts = { tenant, namespace, flow: flowId, execution: executionId, task: taskId };
  return new Map(Object.entries(facts).map(([name, value]) => [`${LABEL_PREFIX}${name}`, value]));
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

/** Where scripts of a server with that many tenants may run. */
export function scriptPolicy(
  { scripts, host, isDeploy, scriptUser: user }: ProcessOptions,
  tenantCount: number,
): ProcessPolicy {
  if (isDeploy) return { mode: "off", reason: "a hosted server has no processes" };
  if (scripts === "off") return { mode: "off", reason: `the server was started with --scripts off; ${WAYS}` };
  if (scripts) {
    const reason = `the server was started with --scripts ${scripts}`;
    return scripts === "process" ? processPolicy(reason, user) : { mode: scripts, reason };
  }
  const needed = "so scripts must be enabled explicitly";
  if (!isLoopback(host)) {
    return { mode: "off", reason: `other machines reach this server, ${needed}; ${WAYS}` };
  }
  if (tenantCount > 1) {
    return { mode: "off", reason: `this server has several tenants, ${needed}; ${WAYS}` };
  }
  return processPolicy("only this machine reaches the server", user);
}

/** A container has the rights of the server, which a user of scripts must not get without the operator's word. */
function processPolicy(reason: string, user: MachineUser | undefined): ProcessPolicy {
  if (!user) return { mode: "process", reason };
  const containerRefusal =
    `scripts of this server run as the user "${user.name}", and a container has the rights of the server; ` +
    "leave out `taskRunner`, or start the server with --scripts container";
  return { mode: "process", reason, user: user.name, containerRefusal };
}

/** The containers of a server; no runtime is looked for yet. */
export function createContainerHost(
  { clock, runtime, allowed, policyOf }:
    & Pick<ContainerHostOptions, "clock" | "runtime" | "allowed">
    & { readonly policyOf: () => ProcessPolicy },
): ContainerHost {
  return new ContainerHost({
    clock,
    runtime,
    allowed,
    hasProcesses: () => policyOf().mode === "process",
    env: clientEnvironment(Deno.env.toObject()),
  });
}

/** The processes of a server with that many tenants. */
export function createProcesses(
  options: ProcessOptions,
  tenantCount: () => number,
  given: Pick<ProcessEnvironment, "containers" | "directories">,
): Processes {
  const environment = Deno.env.toObject();
  const env = scriptEnvironment(environment);
  const clientEnv = clientEnvironment(environment);
  return new Processes(options, tenantCount, { env, clientEnv, ...given, randomBytes: systemRandomBytes });
}
