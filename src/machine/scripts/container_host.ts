/** Finds the program that runs containers on this machine, and removes containers with it. */
import type { Clock } from "../../base/time/clock.ts";
import type {
  ContainerPermission,
  ContainerPort,
  ContainerRuntimeName,
  ContainerState,
} from "../../model/ports/containers.ts";
import { type ContainerRuntime, RUNTIMES } from "./container_runtimes.ts";
import { signalGroup } from "./groups.ts";

/** Time after which a missing runtime is looked for again. */
const RECHECK_MS = 10_000;
/** Timeout of a check and of a removal: a program may wait minutes for an unreachable service. */
const CALL_MS = 10_000;
/** Permissions that processes have anyway. */
const OF_PROCESSES: ReadonlySet<ContainerPermission> = new Set(["networks", "manage"]);
/** Exit code of a runtime that could not create a container. */
export const RUNTIME_FAILED = 125;

/** Options that determine which containers run. */
export interface ContainerHostOptions {
  readonly clock: Clock;
  /** Environment of the programs; flows have no part in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: no runtime is looked for. */
  readonly runtime?: "auto" | ContainerRuntimeName | "none";
  /** What flows may do with containers. */
  readonly allowed?: readonly ContainerPermission[];
  /** What processes may do anyway needs no permission: use networks of the machine, and the runtime as the server does. */
  readonly hasProcesses?: () => boolean;
}

/** A runtime that works. */
interface FoundRuntime {
  readonly runtime: ContainerRuntime;
  readonly version: string;
}

interface CallEnd {
  readonly isSuccess: boolean;
  readonly stdout: string;
  /** Last line of the error stream, or why it is missing. */
  readonly reason: string;
}

/** The containers of one server. */
export class ContainerHost implements ContainerPort, AsyncDisposable {
  readonly #options: ContainerHostOptions;
  readonly #candidates: readonly ContainerRuntime[];
  #found: FoundRuntime | undefined;
  #problem: string | undefined;
  #search: Promise<ContainerState> | undefined;
  #searchedMs = 0;

  constructor(options: ContainerHostOptions) {
    const { runtime = "none" } = options;
    this.#options = options;
    this.#candidates = RUNTIMES.filter(({ name }) => runtime === "auto" || runtime === name);
    if (runtime === "none") this.#problem = "the server was started with --container-runtime none";
  }

  /** The runtime that was found. */
  get found(): FoundRuntime | undefined {
    return this.#found;
  }

  /** @inheritdoc */
  get known(): ContainerState | undefined {
    if (this.#found) return { runtime: this.#found.runtime.name, version: this.#found.version };
    return this.#problem === undefined ? undefined : { problem: this.#problem };
  }

  /** @inheritdoc */
  async find(): Promise<ContainerState> {
    const { known } = this;
    if (known && (this.#found || this.#candidates.length === 0)) return known;
    const now = this.#options.clock.monotonicMs();
    if (known && !this.#search && now - this.#searchedMs <= RECHECK_MS) return known;
    this.#searchedMs = now;
    return await (this.#search ??= this.#look().finally(() => this.#search = undefined));
  }

  /** @inheritdoc */
  async refresh(): Promise<void> {
    if (this.known) void this.find();
    else await this.#search;
  }

  /** Waits for a search that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#search;
  }

  /** @inheritdoc */
  allows(permission: ContainerPermission): boolean {
    if (OF_PROCESSES.has(permission) && this.#options.hasProcesses?.()) return true;
    return this.#options.allowed?.includes(permission) ?? false;
  }

  /** After a command with that exit code the runtime may not work any more: it is looked for again. */
  doubt(exitCode: number): void {
    if (exitCode === RUNTIME_FAILED) this.#found = undefined;
  }

  /** Runs a command of a runtime. Failures are ignored: the watchdog tries a removal again. */
  async attempt(command: readonly string[]): Promise<void> {
    await Promise.allSettled([this.#call(command)]);
  }

  /** Takes the first that works. */
  async #look(): Promise<ContainerState> {
    const problems: string[] = [];
    for (const runtime of this.#candidates) {
      const { isSuccess, stdout: version, reason } = await this.#check(runtime);
      if (isSuccess) {
        this.#found = { runtime, version };
        this.#problem = undefined;
        return { runtime: runtime.name, version };
      }
      problems.push(`${runtime.name}: ${reason}`);
    }
    this.#problem = problems.join("; ");
    return { problem: this.#problem };
  }

  async #check(runtime: ContainerRuntime): Promise<CallEnd> {
    try {
      return await this.#call([runtime.name, ...runtime.versionArgs]);
    } catch (error) {
      const isMissing = error instanceof Deno.errors.NotFound;
      return { isSuccess: false, stdout: "", reason: isMissing ? "not installed" : (error as Error).message };
    }
  }

  async #call([name = "", ...args]: readonly string[]): Promise<CallEnd> {
    const { clock, env } = this.#options;
    const child = new Deno.Command(name, {
      args,
      env,
      clearEnv: true,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let isLate = false;
    const cancel = clock.setTimer(CALL_MS, () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    });
    const { success, stdout, stderr } = await child.output();
    cancel();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
    const reason = isLate
      ? `no response within ${CALL_MS / 1000} seconds`
      : text(stderr).split("\n").at(-1) || "it fails without a message";
    return { isSuccess: success && !isLate, stdout: text(stdout).split("\n")[0] ?? "", reason };
  }
}
