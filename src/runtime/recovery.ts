/** Resumes executions that were live in an earlier process, or whose deletion was refused. */
import type { Logger } from "../base/log.ts";
import { hasOpenAttempt } from "../engine/attempts.ts";
import type { TimerName } from "../engine/events.ts";
import { hasWork } from "../engine/recover.ts";
import { hasSettled } from "../engine/tree.ts";
import { MAX_CRASHES_OF_EXECUTION, MAX_TAKE_OVERS_OF_EXECUTION } from "../model/limits.ts";
import { isScheduled } from "../model/executions/execution_waiting.ts";
import { isEnded } from "../model/executions/state.ts";
import { type Execution, taskRunOf } from "../model/executions/execution.ts";
import type { WorkerPort } from "../model/ports/workers.ts";
import type { Committer } from "../store/committer.ts";
import type { ListedExecution } from "../store/manifests.ts";
import { catalogRow, type ExecutionRecords } from "../store/records/executions/execution_records.ts";
import type { Timers } from "./timers/timers.ts";
import { type LiveExecution, liveKey } from "./live/live_execution.ts";
import type { LiveExecutions } from "./live/live_executions.ts";

interface RecoveryDeps {
  readonly live: LiveExecutions;
  readonly committer: Committer;
  readonly records: Pick<ExecutionRecords, "facts">;
  readonly logger: Logger;
  readonly timers: Pick<Timers, "add">;
  /** Schedules a slice. */
  readonly wake: (live: LiveExecution) => void;
  /** Attempts that may still run elsewhere. */
  readonly workers: () => Pick<WorkerPort, "keptOf"> | undefined;
}

/** Executions that are loaded at a time. Where a read waits for a commit under way, as on a database server, so do as many of them. */
const LOADS_AT_ONCE = 320;
/** With more commits waiting no further execution is loaded: a start would wait for all of them. */
const MAX_WAITING_COMMITS = 500;

/** Resumes executions. */
export class Recovery {
  readonly #deps: RecoveryDeps;
  /** Those that are to be resumed; a value is the work on one that has begun. */
  readonly #left = new Map<string, Promise<boolean> | undefined>();

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** Number of executions that are still to be resumed. */
  get leftCount(): number {
    return this.#left.size;
  }

  /** Resumes all; returns the number of those that have work. */
  async recoverAll(listed: readonly ListedExecution[]): Promise<number> {
    for (const { tenant, id } of listed) this.#left.set(liveKey(tenant, id), undefined);
    let recovered = 0;
    const each = listed.values();
    const recoverNext = async () => {
      for (const { tenant, id } of each) {
        if (await this.underWay(tenant, id)) recovered++;
        await this.#untilCommitted();
      }
    };
    await Promise.all(Array.from({ length: Math.min(LOADS_AT_ONCE, listed.length) }, recoverNext));
    return recovered;
  }

  /** Resumes an execution of {@link recoverAll} before its turn; `undefined` if it is not to be resumed, or was. */
  underWay(tenant: string, id: string): Promise<boolean> | undefined {
    const key = liveKey(tenant, id);
    if (!this.#left.has(key)) return undefined;
    const begun = this.#left.get(key);
    if (begun) return begun;
    const recovering = this.recover(tenant, id).finally(() => this.#left.delete(key));
    this.#left.set(key, recovering);
    return recovering;
  }

  async #untilCommitted(): Promise<void> {
    const { committer } = this.#deps;
    if (committer.pendingCount < MAX_WAITING_COMMITS) return;
    // Its turn comes after those that wait. A database that refuses writes is no reason to stop.
    await committer.commit({ mutations: [] }).catch(() => undefined);
  }

  /** False if the execution has no work left, or cannot be read. */
  async recover(tenant: string, id: string): Promise<boolean> {
    const { live, logger } = this.#deps;
    if (live.has(tenant, id) || live.isDeleting(tenant, id)) return false;
    try {
      return await this.#recoverListed(tenant, id);
    } catch (error) {
      // One unreadable record must not prevent the recovery of others or the start of the server.
      logger.error("An execution cannot be recovered", { execution: id, error: (error as Error).message });
      return false;
    }
  }

  /** True for an execution that waits for its date; false if it cannot be read. */
  async isScheduled(tenant: string, id: string): Promise<boolean> {
    const { records, logger } = this.#deps;
    try {
      const execution = await records.facts(tenant, id);
      return execution !== undefined && isScheduled(execution);
    } catch (error) {
      // As above.
      logger.error("An execution with a slot cannot be read", {
        execution: id,
        error: (error as Error).message,
      });
      return false;
    }
  }

  /** Adds the stored timers again: a transition that was never written may have removed them. */
  async rearm(tenant: string, id: string): Promise<void> {
    const live = await this.#deps.live.find(tenant, id);
    for (const [name, dueAt] of live?.execution.timers ?? []) {
      this.#deps.timers.add({ dueAt, tenant, executionId: id, name: name as TimerName });
    }
    if (live && !live.isLive && !live.isDriven) this.#deps.live.unload(live);
  }

  async #recoverListed(tenant: string, id: string): Promise<boolean> {
    const executions = this.#deps.live;
    const live = await executions.find(tenant, id);
    const isTaken = live && (live.isDriven || live.isListed || !executions.isCurrent(live));
    if (isTaken) return false; // Other work on it has started meanwhile.
    if (!live || hasSettled(live.tree)) {
      if (live) executions.unload(live);
      if (!executions.isDeleting(tenant, id)) await this.#unlist(tenant, id);
      return false;
    }
    live.isListed = true;
    live.row = catalogRow(live.execution);
    // A manifest is deleted with the last execution it lists: a dormant execution may be listed beside live ones.
    const kept = this.#keptOf(live);
    const isInterrupted = !this.#deps.committer.followsStop && hasWork(live.tree, kept);
    const isGivenUp = isInterrupted && this.#countInterruption(live.execution);
    live.events.push({ type: "recovered", isGivenUp, kept });
    this.#deps.wake(live);
    return true;
  }

  /** Counts a crash, or a take-over; true when the execution may be what causes it. */
  #countInterruption(execution: Execution): boolean {
    if (!this.#deps.committer.isShared) return ++execution.crashes >= MAX_CRASHES_OF_EXECUTION;
    // The leader before may live: it was frozen, or cut off from the database. Only what never gets further is given up.
    const ended = execution.taskRuns.filter(({ history }) => isEnded(history)).length;
    if (ended > (execution.endedAtTakeOver ?? -1)) {
      execution.endedAtTakeOver = ended;
      execution.crashes = 0;
    }
    return ++execution.crashes >= MAX_TAKE_OVERS_OF_EXECUTION;
  }

  /** Task runs whose attempt a worker may still run. */
  #keptOf({ execution }: LiveExecution): number[] {
    const kept = this.#deps.workers()?.keptOf(execution.tenant, execution.id) ?? [];
    return [...kept].flatMap(([ordinal, { attemptNumber }]) => {
      const taskRun = taskRunOf(execution, ordinal);
      const isOpen = taskRun && hasOpenAttempt(taskRun) && taskRun.attempts.length === attemptNumber;
      return isOpen ? [ordinal] : [];
    });
  }

  /** Removes it from the manifests. */
  async #unlist(tenant: string, id: string): Promise<void> {
    const facts = { liveness: [{ tenant, id, live: false }] };
    await this.#deps.committer.commit({ mutations: [], facts });
  }
}
