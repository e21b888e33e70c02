/**
 * Drives executions: runs slices, commits each, then starts what must not start before its intent is durable. The
 * process that commits a start has already run its first slice, so a pure execution is one commit from start to end.
 */
import type { Event } from "../engine/events.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { hasSettled } from "../engine/tree.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/execution.ts";
import { MAX_CRASHES_OF_EXECUTION, MAX_LIVE_EXECUTIONS } from "../model/limits.ts";
import type { EntryFacts } from "../store/committer.ts";
import { newForm } from "../store/execution_form.ts";
import { timerKey } from "../store/keys.ts";
import type { ListedExecution } from "../store/manifests.ts";
import type { Mutation } from "../store/store.ts";
import { Admission } from "./admission.ts";
import { type EndedAttempt, runAttempt } from "./attempt.ts";
import { withChildOutputs } from "./child_outputs.ts";
import { commitExecution, type Committed } from "./execution_commit.ts";
import type { DueTimer, ExecutorDeps } from "./executor_deps.ts";
import { type FamilyDeps, forgetFamily, runFamily } from "./family.ts";
import { LiveExecution, type Receipt } from "./live_execution.ts";
import { LiveExecutions } from "./live_executions.ts";
import { type Birth, type StoredMessage, storedMessage } from "./messages.ts";
import { Renderer, TemplateCache } from "./renderer.ts";
import { discardFiles } from "./slice.ts";
import { leavesSlot, type Slots } from "./slots.ts";

const RETRY_MS = 1_000;
const NO_FILES: readonly Mutation[] = [];
/** Each may remove a manifest, and an atomic takes 1,000 mutations. */
const DROPS_PER_ENTRY = 500;

/** Works on the executions of this process. */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #admission: Admission;
  readonly #slices: FamilyDeps;
  readonly #templates = new TemplateCache();
  readonly #live = new LiveExecutions((tenant, id) => this.#load(tenant, id));
  readonly #underWay = new Set<Promise<unknown>>();
  #starting = 0;
  #isStopping = false;

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    this.#admission = new Admission(deps);
    this.#slices = {
      ...deps,
      wake: (live) => this.#wake(live),
      track: (work) => this.#track(work),
      bear: (birth) => this.#bear(birth),
      admission: this.#admission,
    };
  }

  /** Executions that this process is working on. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** True while starts wait for their commit: scans should be modest. */
  get isBusy(): boolean {
    return this.#starting > 0;
  }

  /** The slots of flows with a limit. */
  get slots(): Slots {
    return this.#deps.slots;
  }

  /** Last committed catalog rows of the live executions of a tenant. */
  *liveRows(tenant: string): Iterable<Uint8Array> {
    for (const live of this.#live.values()) if (live.row && live.execution.tenant === tenant) yield live.row;
  }

  /**
   * Starts a new execution; resolves once it and its first slice are durable.
   * @throws DomainError too_many_requests, storage_full or unavailable: it was not started
   */
  async begin(execution: Execution, plan: FlowPlan, files: readonly Mutation[] = NO_FILES): Promise<void> {
    this.#refuseWhenFull();
    const live = this.#bear({ execution, plan });
    this.#starting++;
    try {
      runFamily(live, this.#slices);
      await this.#commit(live, files);
    } catch (error) {
      forgetFamily([live], this.#deps.slots);
      throw error;
    } finally {
      this.#starting--;
      live.isDriven = false;
    }
    this.#continue(live);
  }

  /** Takes a new execution in hand; it does nothing of its own accord before the commit that creates it. */
  #bear({ execution, plan }: Birth): LiveExecution {
    const live = new LiveExecution(execution, plan, newForm(), this.#renderer(execution, plan));
    live.form.storedStates = execution.history.length;
    live.isDriven = true;
    this.#admission.admit(live);
    return live;
  }

  /**
   * Gives an execution an event; resolves once its consequence is durable. False for an unknown execution.
   * @throws DomainError storage_full or unavailable: it will be durable once the database takes writes again
   */
  async send(tenant: string, id: string, event: Event, receipt?: Receipt): Promise<boolean> {
    const live = await this.#live.find(tenant, id);
    if (!live) return false;
    // It may have been let go of, or deleted, in the turn between.
    if (!this.#live.isCurrent(live)) return await this.send(tenant, id, event, receipt);
    if (receipt) (live.receipts ??= new Map()).set(event, receipt);
    live.events.push(event);
    const refusal = live.isDriven ? await this.#nextCommit(live) : await this.#drive(live);
    if (refusal) throw refusal;
    return true;
  }

  /** Gives an execution what another one tells it; resolves once that is durable. Its key goes with it. */
  async deliver({ tenant, targetId, event, key }: StoredMessage): Promise<void> {
    const target = event.type === "child_ended" ? await this.#live.find(tenant, targetId) : undefined;
    const completed = await withChildOutputs(event, target, (id) => this.#load(tenant, id));
    if (await this.send(tenant, targetId, completed, { key })) return;
    if (!this.#live.isDeleting(tenant, targetId)) {
      await this.#deps.committer.commit({ mutations: [{ type: "delete", key }] });
    }
  }

  /** Gives free slots of a flow to those who wait for one. */
  grantSlots(execution: Pick<Execution, "tenant" | "namespace" | "flowId">, limit: number): void {
    const { slots } = this.#deps;
    for (const id of slots.grant(execution, limit)) {
      const isThere = this.send(execution.tenant, id, { type: "started" });
      this.#track(isThere.then((found) => void (found || slots.release({ ...execution, id }))));
    }
  }

  /** A stored timer is due; resolves once its consequence is durable. One that nobody waits for any more is removed. */
  async fireTimer(timer: DueTimer): Promise<void> {
    const { tenant, executionId, name, dueAt } = timer;
    const live = await this.#live.find(tenant, executionId);
    if (live?.execution.timers.get(name) === dueAt) {
      const due: Event = name === "start"
        ? this.#admission.startEvent(live)
        : { type: "timer_due", timer: name };
      await this.send(tenant, executionId, due);
      return;
    }
    if (live?.isDriven || live?.isDirty) return; // What it has still to commit removes the timer.
    if (this.#live.isDeleting(tenant, executionId)) {
      throw new DomainError("unavailable", "Cannot fire a timer: its execution is being deleted");
    }
    if (live) this.#continue(live);
    await this.#deps.committer.commit({
      mutations: [{ type: "delete", key: timerKey(dueAt, tenant, executionId, name) }],
    });
  }

  /** Whether this process works on it right now. */
  isLive(tenant: string, id: string): boolean {
    return this.#live.has(tenant, id);
  }

  /**
   * Stops all work on an execution that is about to be deleted; the facts take it out of the manifests. Until that is
   * published, or {@link restore} is called, nobody finds it: a timer or a kill must not bring it back.
   */
  drop(tenant: string, id: string): EntryFacts {
    const unsubscribe = this.#deps.changes.subscribe(tenant, id, () => {
      unsubscribe();
      this.#live.endDeletion(tenant, id);
    });
    return this.#abandon(tenant, id);
  }

  #abandon(tenant: string, id: string): EntryFacts {
    const live = this.#live.beginDeletion(tenant, id);
    if (live) {
      live.isDropped = true;
      live.events.length = 0;
      live.interruptAll();
      forgetFamily(live.births.splice(0), this.#deps.slots);
    }
    // Also when it is not listed yet: a commit under way may be about to list it.
    return { liveness: [{ tenant, id, live: false }] };
  }

  /** Stops all work on the executions of a tenant that is being deleted. */
  async dropTenant(tenant: string): Promise<void> {
    const dropped = [...this.#live.values()].filter((live) => live.execution.tenant === tenant);
    const liveness = dropped.flatMap((live) => this.#abandon(tenant, live.execution.id).liveness ?? []);
    for (let i = 0; i < liveness.length; i += DROPS_PER_ENTRY) {
      const facts = { liveness: liveness.slice(i, i + DROPS_PER_ENTRY) };
      await this.#deps.committer.commit({ mutations: [], facts });
    }
    for (const { execution } of dropped) this.#live.endDeletion(tenant, execution.id);
  }

  /** Goes on with executions that were live when an earlier process stopped; gives their number. */
  async recover(listed: readonly ListedExecution[]): Promise<number> {
    let recovered = 0;
    for (const { tenant, id } of listed) {
      if (await this.#tryRecover(tenant, id)) recovered++;
    }
    return recovered;
  }

  /** Its deletion was refused: goes on with an execution that was dropped. False when it waits for a timer or a person anyway. */
  async restore(tenant: string, id: string): Promise<boolean> {
    return this.#live.endDeletion(tenant, id) && await this.#tryRecover(tenant, id);
  }

  /** False when there is nothing to go on with, or it cannot be read. */
  async #tryRecover(tenant: string, id: string): Promise<boolean> {
    if (this.#live.has(tenant, id) || this.#live.isDeleting(tenant, id)) return false;
    try {
      return await this.#recoverOne(tenant, id);
    } catch (error) {
      // One record that cannot be read must not keep the others from going on, nor the server from starting.
      this.#deps.logger.error("An execution cannot be recovered", {
        execution: id,
        error: (error as Error).message,
      });
      return false;
    }
  }

  /** Waits for what is being committed, interrupts attempts under way; what is left goes on at the next boot. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled([...this.#underWay]);
    for (const live of this.#live.values()) live.interruptAll();
  }

  #refuseWhenFull(): void {
    if (this.#isStopping) {
      throw new DomainError("unavailable", "Cannot start an execution: the server is shutting down");
    }
    if (this.#live.size + this.#starting < MAX_LIVE_EXECUTIONS) return;
    const message = `Cannot start an execution: ${MAX_LIVE_EXECUTIONS} are running already`;
    throw new DomainError("too_many_requests", message, { retryAfter: 1 });
  }

  #renderer(execution: Execution, plan: FlowPlan): Renderer {
    return new Renderer(plan, execution, this.#templates, this.#deps.render);
  }

  #wake(live: LiveExecution): void {
    if (live.isDriven || live.isDropped || this.#isStopping) return;
    this.#track(this.#drive(live));
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch((error: Error) =>
      this.#deps.logger.error("An execution cannot go on", { error: error.message })
    );
    this.#underWay.add(tracked);
    void tracked.then(() => this.#underWay.delete(tracked));
  }

  /** Applies events and commits until nothing more can happen now; gives the error when the database refuses. */
  async #drive(live: LiveExecution): Promise<Error | undefined> {
    live.isDriven = true;
    try {
      while (!live.isDropped && (live.events.length > 0 || live.isDirty)) {
        runFamily(live, this.#slices);
        await this.#commit(live);
        this.#startDeferred(live);
      }
    } catch (error) {
      this.#retryLater(live, error as Error);
      return error as Error;
    }
    live.isDriven = false;
    this.#continue(live);
    return undefined;
  }

  /** After a commit: starts deferred attempts, goes on with left events, or lets the execution go. */
  #continue(live: LiveExecution): void {
    this.#startDeferred(live);
    if (live.events.length > 0 || live.isDirty) this.#wake(live);
    else if (!live.isLive && !live.isDriven) this.#live.letGo(live);
  }

  async #commit(live: LiveExecution, files: readonly Mutation[] = NO_FILES): Promise<void> {
    if (live.isDropped || !live.isDirty) return;
    const [, ...born] = live.family();
    const committed = (member: LiveExecution, what: Committed) => this.#committed(member, what);
    await commitExecution(live, this.#deps, { files, committed });
    for (const member of born) {
      member.isDriven = false;
      this.#continue(member);
    }
  }

  #committed(live: LiveExecution, { stored, timers, messages, files }: Committed): void {
    const { execution, plan } = live;
    if (live.isListed) this.#live.keep(live);
    this.#deps.records.remember(execution, stored);
    for (const { type, name, dueAt } of timers) {
      if (type === "set") {
        this.#deps.timerSet({ dueAt, tenant: execution.tenant, executionId: execution.id, name });
      }
    }
    for (const each of files) this.#track(each.committed());
    for (const message of messages) this.#track(this.deliver(storedMessage(execution, message)));
    const { concurrency } = plan.flow;
    if (concurrency && leavesSlot(execution)) this.grantSlots(execution, concurrency.limit);
    if (!live.isDropped) this.#deps.changes.publish(execution.tenant, execution.id);
  }

  #startDeferred(live: LiveExecution): void {
    const commands = live.deferred;
    if (commands.length === 0 || live.isDropped || this.#isStopping) return;
    live.deferred = [];
    for (const command of commands) {
      const controller = new AbortController();
      (live.running ??= new Map()).set(command.taskRun, controller);
      live.renderer.hostCalls.forget();
      const type = this.#deps.catalog.find(command.task.kind);
      const ended = runAttempt(live, command, { ...this.#slices, type, controller });
      // In the same turn where it can be, so that no commit takes the log lines of an attempt without its end.
      if (ended instanceof Promise) {
        void ended.then((event) => this.#endAttempt(live, command.taskRun, { event, controller }));
      } else this.#endAttempt(live, command.taskRun, { event: ended, controller });
    }
  }

  #endAttempt(live: LiveExecution, taskRun: number, { event, controller }: EndedAttempt): void {
    // One that was given up may end after another has begun in its place: that is not the end of the other.
    if (live.running?.get(taskRun) !== controller) return discardFiles(event);
    live.running.delete(taskRun);
    if (this.#isStopping) return; // Interrupted by the end of the server, not by its own end: the next boot repeats it.
    live.events.push(event);
    this.#wake(live);
  }

  /** The database refused: tries again until it takes writes, so that a full disk delays executions but loses none. */
  #retryLater(live: LiveExecution, error: Error): void {
    live.isDriven = false;
    if (this.#isStopping || live.isDropped) return;
    this.#deps.logger.warn("An execution waits for the database", {
      execution: live.execution.id,
      error: error.message,
    });
    this.#live.keep(live);
    this.#deps.clock.setTimer(RETRY_MS, () => this.#wake(live));
  }

  /** Waits until the events given so far are durable. */
  #nextCommit(live: LiveExecution): Promise<undefined> {
    const { tenant, id } = live.execution;
    return new Promise((resolve) => {
      const unsubscribe = this.#deps.changes.subscribe(tenant, id, () => {
        if (live.events.length > 0 && !live.isDropped) return;
        unsubscribe();
        resolve(undefined);
      });
    });
  }

  async #load(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const stored = await this.#deps.records.load(tenant, id);
    if (!stored) return undefined;
    const { execution, form } = stored;
    const plan = await this.#deps.planOf(execution);
    return new LiveExecution(execution, plan, form, this.#renderer(execution, plan));
  }

  async #recoverOne(tenant: string, id: string): Promise<boolean> {
    const live = await this.#live.find(tenant, id);
    const isTaken = live && (live.isDriven || live.isListed || !this.#live.isCurrent(live));
    if (isTaken) return false; // Somebody else has begun with it meanwhile.
    if (!live || hasSettled(live.tree)) {
      if (live) this.#live.letGo(live);
      if (this.#live.isDeleting(tenant, id)) return false;
      await this.#deps.committer.commit({
        mutations: [],
        facts: { liveness: [{ tenant, id, live: false }] },
      });
      return false;
    }
    live.isListed = true;
    const crashes = ++live.execution.crashes;
    live.events.push({ type: "recovered", isGivenUp: crashes >= MAX_CRASHES_OF_EXECUTION });
    this.#track(this.#drive(live));
    return true;
  }
}
