/** One attempt on a worker: runs its task and reports the end until the server has stored it. */
import type { IdSource } from "../base/id.ts";
import type { AttemptEndReport, LeasedAttempt, ReportedLine } from "../model/http/worker_protocol.ts";
import type { AttemptOutcome, TaskCatalog } from "../model/tasks/task_catalog.ts";
import { AttemptLog } from "./attempt_log.ts";
import { pause } from "./pause.ts";
import { ApiError, CONFLICT, isPassing, RETRY_MS, type ServerApi } from "./server_api.ts";
import { withLocalPaths, WorkerContext, type WorkerMachine } from "./worker_context.ts";
import { WorkerStorage } from "./worker_storage.ts";

/** What attempts need of the worker. */
export interface LeasedRunDeps {
  readonly api: ServerApi;
  readonly machine: WorkerMachine;
  readonly catalog: TaskCatalog;
  readonly ids: IdSource;
  readonly version: string;
}

type End = Pick<AttemptEndReport, "state" | "outputs" | "message">;

/** An attempt under way. */
export class LeasedRun {
  readonly attempt: LeasedAttempt;
  readonly #deps: LeasedRunDeps;
  readonly #stopped = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #log: AttemptLog;
  readonly #storage: WorkerStorage;
  #seq = 0;

  constructor(attempt: LeasedAttempt, deps: LeasedRunDeps) {
    const { api, ids, machine: { clock, workingDirectories: directories } } = deps;
    const [signal, abandoned] = [this.#stopped.signal, this.#abandoned.signal];
    this.attempt = attempt;
    this.#deps = deps;
    this.#storage = new WorkerStorage({ api, attempt, signal, abandoned, directories, clock, ids });
    this.#log = new AttemptLog({ clock, send: (lines) => this.#send(lines) });
  }

  /** Ends the task; its end is reported. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Ends the task; nothing is reported any more. */
  abandon(): void {
    this.#abandoned.abort();
    this.#log.drop();
    this.stop();
  }

  /** Runs the task; resolves when its end is stored or the attempt is given up. Never rejects. */
  async run(): Promise<void> {
    const { attempt } = this;
    const { api, machine } = this.#deps;
    const log = this.#log;
    const parts = { attempt, machine, api, log, storage: this.#storage, signal: this.#stopped.signal };
    const context = new WorkerContext(parts);
    try {
      const end = await this.#end(context);
      const lines = await log.close();
      const report = { ...end, lines, metrics: context.metrics.metrics, seq: ++this.#seq };
      await this.#persist(() => this.#report(report));
    } catch {
      // The attempt is given up: the server has started it elsewhere, or it has ended.
    } finally {
      await this.#storage[Symbol.asyncDispose]();
    }
  }

  async #end(context: WorkerContext): Promise<End> {
    try {
      const { state, outputs } = await this.#outcome(context);
      return { state, outputs };
    } catch (error) {
      const message = context.masked(error instanceof Error ? error.message : String(error));
      return this.#stopped.signal.aborted ? { state: "KILLED" } : { state: "FAILED", message };
    }
  }

  async #outcome(context: WorkerContext): Promise<AttemptOutcome> {
    const { type: name, properties, serverRoot } = this.attempt;
    const { catalog, machine: { workingDirectories }, version } = this.#deps;
    await catalog.load(name);
    const type = catalog.find(name);
    if (type?.form !== "runnable" || !type.runsOnWorkers) {
      throw new Error(`Cannot run the task: the worker of version ${version} has no type "${name}"`);
    }
    return await type.run(withLocalPaths(properties, serverRoot, workingDirectories.pathOf("")), context);
  }

  /** Reports the end with its files; what cannot be stored fails the attempt. */
  async #report(report: Omit<AttemptEndReport, "files">): Promise<void> {
    const { api } = this.#deps;
    const { lease } = this.attempt;
    const { names } = this.#storage;
    try {
      await this.#storage.upload();
      await api.end(lease, { ...report, files: names });
    } catch (error) {
      if (!(error instanceof ApiError) || isFinal(error)) throw error;
      if (error.status === CONFLICT) this.#storage.forgetUploads();
      if (isPassing(error)) throw error;
      const { seq, lines, metrics } = report;
      await api.end(lease, { seq, lines, metrics, state: "FAILED", message: error.message, files: [] });
    }
  }

  /** Reports lines until they are stored; those that the server refuses are left out. */
  async #send(lines: readonly ReportedLine[]): Promise<void> {
    const report = { seq: ++this.#seq, lines };
    try {
      await this.#persist(() => this.#deps.api.report(this.attempt.lease, report));
    } catch (error) {
      if (!(error instanceof ApiError) || isFinal(error)) throw error;
      this.#log.add("WARN", `Cannot store ${lines.length} log lines: ${error.message}`);
    }
  }

  /** Repeats a call until the server takes it. @throws ApiError it never will; Error the attempt is given up */
  async #persist(call: () => Promise<void>): Promise<void> {
    while (!this.#abandoned.signal.aborted) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error)) throw error;
        await pause(this.#deps.machine.clock, RETRY_MS, this.#abandoned.signal);
      }
    }
    throw new Error("The attempt is given up");
  }
}

/** Whether the server will never take what the worker says of the attempt. A full quota refuses only a file. */
function isFinal({ status, type }: ApiError): boolean {
  return status === 401 || status === 404 || status === 403 && !type.endsWith("/quota-exceeded");
}
