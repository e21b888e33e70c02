/**
 * Drives executions: runs slices, commits each, then starts what must not start before its intent is durable. The
 * process that commits a start has already run its first slice, so a pure execution is one commit from start to end.
 */
import type { Event } from "../engine/events.ts";
import { type FlowPlan, planFor } from "../engine/plan.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import { MAX_LIVE_EXECUTIONS } from "../model/limits.ts";
import type { EntryFacts } from "../store/committer.ts";
import { newForm } from "../store/records/execution_form.ts";
import { timerKey } from "../store/keys.ts";
import type { ListedExecution } from "../store/manifests.ts";
import type { Mutation } from "../store/store.ts";
import { Admission } from "./live/admission.ts";
import { type EndedAttempt, runAttempt } from "./attempts/attempt.ts";
import { withChildOutputs } from "./children/child_outputs.ts";
import { goneReply, restartableChild } from "./children/child_restart.ts";
import { commitExecution, type Committed } from "./execution_commit.ts";
import type { ExecutorDeps } from "./executor_deps.ts";
import type { DueTimer } from "./timers/timer_heap.ts";
import { type CommitGroupDeps, giveUp, runCommitGroup } from "./slices/commit_group.ts";
import { LiveExecution, nextCommit, type Receipt } from "./live/live_execution.ts";
import { LiveExecutions } from "./live/live_executions.ts";
import { LoopContexts, type OuterContext } from "../rendering/loop_contexts.ts";
import { LoopPasses } from "./loops/loop_passes.ts";
import { type NewExecution, type StoredMessage, storedMessage } from "./live/messages.ts";
import { Recovery } from "./recovery.ts";
import { Renderer } from "../rendering/renderer.ts";
import { discardFiles } from "./slices/slice.ts";
import { leavesSlot, type Slots } from "./live/slots.ts";

const RETRY_MS = 1_000;
/** What attempts may take to tidy up when the server ends: a script's directory goes with it. */
const TIDY_MS = 10_000;
/** Executions in a queue that are read before it is their turn. */
const READ_AHEAD = 32;
const NO_OTHERS: readonly LiveExecution[] = [];
const NO_FILES: readonly Mutation[] = [];
/** Each may remove a manifest, and an atomic takes 1,000 mutations. */
const DROPS_PER_ENTRY = 500;

/** Works on the executions of this process. */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #admission: Admission;
  readonly #slices: CommitGroupDeps;
  readonly #contexts: LoopContexts;
  readonly #live = new LiveExecutions((tenant, id) => this.#load(tenant, id));
  readonly #recovery: Recovery;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #attempts = new Set<Promise<void>>();
  #starting = 0;
  #isStopping = false;

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    this.#admission = new Admission(deps);
    this.#contexts = new LoopContexts(deps.records);
    this.#slices = {
      ...deps,
      wake: (live) => this.#wake(live),
      track: (work) => this.#track(work),
      register: (created) => this.#register(created),
      restartable: (tenant, id) => restartableChild(id, (each) => this.#load(tenant, each)),
      idle: (tenant, id) => this.#live.idle(tenant, id),
      forget: (live) => this.#live.letGo(live),
      loops: new LoopPasses({ ...deps, contexts: this.#contexts }),
      admission: this.#admission,
    };
    this.#recovery = new Recovery({ ...deps, live: this.#live, wake: this.#slices.wake });
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
    for (const { row } of this.#live.ofTenant(tenant)) if (row) yield row;
  }

  /**
   * Starts a new execution; resolves once it and its first slice are durable.
   * @throws DomainError too_many_requests, storage_full or unavailable: it was not started
   */
  async begin(execution: Execution, plan: FlowPlan, files: readonly Mutation[] = NO_FILES): Promise<void> {
    this.#refuseWhenFull();
    const outer = execution.loop && await this.#contexts.of(execution);
    const live = this.#register({ execution, plan, outer });
    this.#starting++;
    try {
      runCommitGroup(live, this.#slices);
      await this.#commit(live, files);
    } catch (error) {
      giveUp(live, this.#slices);
      if (plan.flow.concurrency) this.grantSlots(execution, plan.flow.concurrency.limit);
      throw error;
    } finally {
      this.#starting--;
      live.isDriven = false;
    }
    this.#continue(live);
  }

  /** Takes a new execution in hand; it does nothing of its own accord before the commit that creates it. */
  #register({ execution, plan, outer }: NewExecution): LiveExecution {
    const live = new LiveExecution(execution, plan, newForm(), this.#renderer(execution, plan, outer));
    live.form.storedStates = execution.history.length;
    live.isBeforeFirstCommit = true;
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
    const { root } = live;
    const refusal = await (root.isDriven ? nextCommit(live, this.#deps.changes) : this.#drive(root));
    if (!refusal) return true;
    // It is as stored again, or gone: what it was given is not with it any more.
    if (live.isDropped) return await this.send(tenant, id, event, receipt);
    throw refusal;
  }

  /** Gives an execution what another one tells it; resolves once that is durable. Its key goes with it. */
  async deliver(message: StoredMessage): Promise<void> {
    const { tenant, targetId, event, key } = message;
    const target = event.type === "child_ended" ? await this.#live.find(tenant, targetId) : undefined;
    const completed = await withChildOutputs(event, target, (id) => this.#load(tenant, id));
    if (await this.send(tenant, targetId, completed, { key })) return;
    const reply = goneReply(message);
    if (reply) return await this.deliver(reply);
    if (!this.#live.isDeleting(tenant, targetId)) {
      await this.#deps.committer.commit({ mutations: [{ type: "delete", key }] });
    }
  }

  /** The latest revision of a flow has that limit, or none: who waits may go on. */
  setLimit(flow: Pick<Execution, "tenant" | "namespace" | "flowId">, limit: number | undefined): void {
    if (this.#deps.slots.setLimit(flow, limit)) this.grantSlots(flow, limit ?? Infinity);
  }

  /** Gives free slots of a flow to those who wait for one. */
  grantSlots(execution: Pick<Execution, "tenant" | "namespace" | "flowId">, limit: number): void {
    const { slots } = this.#deps;
    for (const id of slots.grant(execution, limit)) {
      const isThere = this.send(execution.tenant, id, { type: "started" });
      this.#track(isThere.then((found) => void (found || slots.release({ ...execution, id }))));
    }
    // Read while those before them are being committed: the flow does not wait for the database twice.
    for (const id of slots.next(execution, READ_AHEAD)) {
      if (!this.#live.has(execution.tenant, id)) this.#track(this.#live.find(execution.tenant, id));
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
      live.interruptAll();
      giveUp(live, this.#slices);
    }
    // Also when it is not listed yet: a commit under way may be about to list it.
    return { liveness: [{ tenant, id, live: false }] };
  }

  /** Stops all work on the executions of a tenant that is being deleted. */
  async dropTenant(tenant: string): Promise<void> {
    const dropped = this.#live.ofTenant(tenant);
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
      if (await this.#recovery.goOn(tenant, id)) recovered++;
    }
    return recovered;
  }

  /** Its deletion was refused: goes on with an execution that was dropped. False when it waits for a timer or a person anyway. */
  async restore(tenant: string, id: string): Promise<boolean> {
    const wasListed = this.#live.endDeletion(tenant, id);
    await this.#recovery.rearm(tenant, id);
    return wasListed && await this.#recovery.goOn(tenant, id);
  }

  /** Interrupts attempts under way, waits for what is being committed; what is left goes on at the next boot. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#live.interruptAll();
    await Promise.allSettled([...this.#underWay]);
    this.#live.interruptAll(); // Those that have begun meanwhile.
    const over = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.setTimer(TIDY_MS, over.resolve);
    await Promise.race([Promise.all([...this.#attempts]), over.promise]);
    cancel();
  }

  #refuseWhenFull(): void {
    if (this.#isStopping) {
      throw new DomainError("unavailable", "Cannot start an execution: the server is shutting down");
    }
    if (this.#live.size + this.#starting < MAX_LIVE_EXECUTIONS) return;
    const message = `Cannot start an execution: ${MAX_LIVE_EXECUTIONS} are running already`;
    throw new DomainError("too_many_requests", message, { retryAfter: 1 });
  }

  #renderer(execution: Execution, plan: FlowPlan, outer?: OuterContext): Renderer {
    const { render, templates } = this.#deps;
    return new Renderer(plan, execution, templates, outer ? { ...render, outer } : render);
  }

  #wake(live: LiveExecution): void {
    if (live.isDriven || live.isDropped || this.#isStopping) return;
    this.#track(this.#drive(live));
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch((error: Error) => {
      // Refused, as by its deletion or a full disk: what is stored goes on later.
      const level = error instanceof DomainError ? "warn" : "error";
      this.#deps.logger[level]("An execution cannot go on", { error: error.message });
    });
    this.#underWay.add(tracked);
    void tracked.then(() => this.#underWay.delete(tracked));
  }

  /** Applies events and commits until nothing more can happen now; gives the error when the database refuses. */
  async #drive(live: LiveExecution): Promise<Error | undefined> {
    live.isDriven = true;
    try {
      while (!live.isDropped && (live.events.length > 0 || live.isDirty)) {
        runCommitGroup(live, this.#slices);
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
    const others = live.members.length === 0 ? NO_OTHERS : live.commitGroup().slice(1);
    const isWritten = await commitExecution(live, this.#deps, { files, committed: this.#committed });
    if (!isWritten) return giveUp(live, this.#slices);
    for (const member of others) {
      member.isDriven = false;
      member.leader = undefined;
      this.#continue(member);
    }
  }

  readonly #committed = (live: LiveExecution, { stored, timers, messages, files }: Committed): void => {
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
  };

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
        this.#note(ended.then((event) => this.#endAttempt(live, command.taskRun, { event, controller })));
      } else this.#endAttempt(live, command.taskRun, { event: ended, controller });
    }
  }

  /** An attempt that is under way. */
  #note(attempt: Promise<void>): void {
    this.#attempts.add(attempt);
    void attempt.then(() => this.#attempts.delete(attempt));
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
    live.refuse(error);
    if (live.isDropped) return giveUp(live, this.#slices);
    if (this.#isStopping) return;
    this.#deps.logger.warn("An execution waits for the database", {
      execution: live.execution.id,
      error: error.message,
    });
    this.#live.keep(live);
    this.#deps.clock.setTimer(RETRY_MS, () => this.#wake(live));
  }

  async #load(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const stored = await this.#deps.records.load(tenant, id);
    if (!stored) return undefined;
    const { execution, form } = stored;
    const plan = planFor(await this.#deps.planOf(execution), execution);
    const outer = await this.#contexts.of(execution);
    return new LiveExecution(execution, plan, form, this.#renderer(execution, plan, outer));
  }
}
