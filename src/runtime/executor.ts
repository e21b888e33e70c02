/**
 * Runs the executions of this process. Each execution goes through the same cycle: events are applied in memory (a slice),
 * the result is committed, then side effects start that must not start before their intent is durable.
 *
 * A start is committed together with its first slice, so an execution without side effects is one commit from start to
 * end. After a crash the manifests name the executions to recover; work that was not committed is repeated.
 */
import type { Event, Refusal } from "../engine/events.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Request } from "../engine/requests/requests.ts";
import { DomainError, isTooLarge } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import { isEnded } from "../model/executions/state.ts";
import { MAX_LIVE_EXECUTIONS } from "../model/limits.ts";
import type { WorkerWait } from "../model/executions/execution_waiting.ts";
import { LoopContexts } from "../rendering/loop_contexts.ts";
import { timerKey } from "../store/keys.ts";
import type { ListedExecution } from "../store/manifests.ts";
import type { Mutation } from "../store/store.ts";
import { type EndedAttempt, runAttempt } from "./attempts/attempt.ts";
import { childReader } from "./children/child_restart.ts";
import { Deletions } from "./deletions.ts";
import { Deliveries, type Given, type Target } from "./deliveries.ts";
import { type CommitDeps, commitExecution, type Committed } from "./execution_commit.ts";
import type { ExecutorConnection, ExecutorDeps } from "./executor_deps.ts";
import { Admission } from "./live/admission.ts";
import { BackgroundWork } from "./live/background_work.ts";
import { KeptShapes } from "./live/kept_shapes.ts";
import { type LiveExecution, nextCommit, type Receipt } from "./live/live_execution.ts";
import { LiveExecutions } from "./live/live_executions.ts";
import { LiveFactory } from "./live/live_factory.ts";
import { type StoredMessage, storedMessage } from "./live/messages.ts";
import { holdsNoSlot, Slots } from "./live/slots.ts";
import { ManyRestarts } from "./children/many_restarts.ts";
import { LoopPasses } from "./loops/loop_passes.ts";
import { Recovery } from "./recovery.ts";
import { type CommitGroupDeps, detachSuccessors, giveUp, runCommitGroup } from "./slices/commit_group.ts";
import { releaseDropped } from "./slices/flowable_hooks.ts";
import { discardFiles } from "./slices/slice.ts";
import type { DueTimer } from "./timers/timer_heap.ts";
import { Timers } from "./timers/timers.ts";

const RETRY_MS = 1_000;
/** How long a shutdown waits for interrupted attempts to clean up, for example a script's directory. */
const CLEANUP_MS = 10_000;
/** Queued executions that are loaded before their slot is free. */
const READ_AHEAD = 32;
const NO_OTHERS: readonly LiveExecution[] = [];
const NO_FILES: readonly Mutation[] = [];

/** A request to an execution. */
export interface ExecutionRequest {
  readonly request: Request;
  /** Stored in the commit of the transition; not stored if the request is refused. */
  readonly mutations?: readonly Mutation[];
}

/** Makes the request from the current state, which it must not change. @throws DomainError to refuse it */
export type PrepareRequest = (
  target: { readonly execution: Execution; readonly plan: FlowPlan },
) => ExecutionRequest | Promise<ExecutionRequest>;

/** Parts that need the services. */
interface ConnectedParts {
  readonly slices: CommitGroupDeps;
  readonly commits: CommitDeps;
  readonly contexts: LoopContexts;
  readonly factory: LiveFactory;
}

/** Runs executions: starts, requests, timers, messages, recovery, deletion. */
export class Executor {
  /** Timers of executions; started and stopped with the server. */
  readonly timers: Timers;
  /** Concurrency slots of flows with a limit. */
  readonly slots = new Slots();
  /** Keeps compiled code while the server is idle. */
  readonly shapes = new KeptShapes();
  /** Deletions of executions and of their log lines. */
  readonly deletions: Deletions;
  readonly #deps: ExecutorDeps;
  readonly #admission: Admission;
  readonly #live = new LiveExecutions((tenant, id) => this.#parts.factory.load(tenant, id));
  readonly #recovery: Recovery;
  readonly #work: BackgroundWork;
  readonly #deliveries: Deliveries;
  readonly #attempts = new Set<Promise<void>>();
  #connected: ConnectedParts | undefined;
  #starting = 0;
  #recovered: Promise<unknown> | undefined;
  #isStopping = false;

  constructor(deps: ExecutorDeps) {
    const { store, clock, logger } = deps;
    this.#deps = deps;
    this.#work = new BackgroundWork(logger);
    this.#admission = new Admission({ clock, slots: this.slots });
    this.timers = new Timers({ store, clock, logger, fire: (timer) => this.fireTimer(timer) });
    const wake = (live: LiveExecution) => this.#wake(live);
    const workers = () => this.#connected?.slices.workers;
    this.#recovery = new Recovery({ ...deps, timers: this.timers, live: this.#live, wake, workers });
    this.#deliveries = new Deliveries({
      ...deps,
      work: this.#work,
      slots: this.slots,
      find: ({ tenant, id }) => this.#find(tenant, id),
      give: (target, event, receipt) => this.#give(target, event, receipt),
      isDeleting: ({ tenant, id }) => this.#live.isDeleting(tenant, id),
      childrenOf: (tenant) => childReader(this.#parts.factory, deps.records, tenant),
    });
    this.deletions = new Deletions({
      ...deps,
      live: this.#live,
      recovery: this.#recovery,
      deliveries: this.#deliveries,
      slices: () => this.#parts.slices,
    });
  }

  /** Adds what is built from the services. Must be called once, before any execution runs. */
  connect(connection: ExecutorConnection): void {
    const { clock, logger, records, catalog, committer } = this.#deps;
    const contexts = new LoopContexts(records);
    const admission = this.#admission;
    const factory = new LiveFactory({ ...this.#deps, ...connection, contexts, admission });
    const restarts = new ManyRestarts(records);
    const loops = new LoopPasses({ clock, ports: connection.ports, contexts, restarts });
    const wake = (live: LiveExecution) => this.#wake(live);
    const own = {
      catalog,
      clock,
      slots: this.slots,
      shapes: this.shapes,
      live: this.#live,
      work: this.#work,
      wake,
      logger,
      isStopping: () => this.#isStopping,
    };
    this.#connected = {
      contexts,
      factory,
      slices: { ...connection, ...own, factory, loops, restarts, admission },
      commits: {
        committer,
        records,
        slots: this.slots,
        shapes: this.shapes,
        reactions: connection.reactions,
      },
    };
  }

  get #parts(): ConnectedParts {
    if (this.#connected) return this.#connected;
    throw new Error("The executor was used before it was connected");
  }

  /** Compiles the templates of a flow that will start soon. @throws ExpressionError */
  prepareStart(plan: FlowPlan): void {
    this.#deps.templates.prepare(plan, this.#deps.catalog);
  }

  /** Number of executions in memory. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** Number of attempts under way, here and on workers. */
  get attemptCount(): number {
    return this.#attempts.size;
  }

  /** True while starts wait for their commit: scans should yield to them. */
  get isBusy(): boolean {
    return this.#starting > 0;
  }

  /** Last committed catalog rows of the live executions of a tenant. */
  *liveRows(tenant: string): Iterable<Uint8Array> {
    for (const { row } of this.#live.ofTenant(tenant)) if (row) yield row;
  }

  /** Executions of these namespaces that are in memory and have not ended, also those whose start is not durable yet. */
  unfinishedIn(tenant: string, namespaces: readonly string[]): string[] {
    const live = [...this.#live.ofTenant(tenant)].map(({ execution }) => execution);
    return live.filter(({ namespace, history }) => namespaces.includes(namespace) && !isEnded(history))
      .map(({ id }) => id);
  }

  /**
   * Starts a new execution; resolves once it and its first slice are durable, with `files` in the same commit.
   * @throws DomainError too_many_requests, storage_full, unavailable or conflict: it was not started
   */
  async begin(execution: Execution, plan: FlowPlan, files: readonly Mutation[] = NO_FILES): Promise<void> {
    this.#refuseWhenFull(execution.tenant);
    this.#deps.committer.frozen.checkOpen(execution.tenant, execution.namespace);
    const outer = execution.loop && await this.#parts.contexts.of(execution);
    const live = this.#parts.factory.register({ execution, plan, outer });
    this.#starting++;
    try {
      runCommitGroup(live, this.#parts.slices);
      await this.#commit(live, files);
    } catch (error) {
      giveUp(live, this.#parts.slices);
      if (plan.flow.concurrency) this.grantSlots(execution, plan.flow.concurrency.limit);
      throw error;
    } finally {
      this.#starting--;
      live.isDriven = false;
    }
    this.#continue(live);
  }

  /**
   * Applies a request; resolves once it is durable. False for an unknown execution. The execution is loaded once, and the
   * transition is committed once. `onApplied` is called right after the transition, before the commands of it run.
   * @throws DomainError the engine or `prepare` refuses; storage_full or unavailable: the transition is applied and will be
   * durable once the database accepts writes again
   */
  async request(
    tenant: string,
    id: string,
    prepare: PrepareRequest,
    onApplied: (execution: Execution) => void,
  ): Promise<boolean> {
    const prepared = await this.#prepare(tenant, id, prepare);
    if (!prepared) return false;
    let isApplied = false;
    let refusal: Refusal | undefined;
    const durable = Promise.withResolvers<void>();
    const unsubscribe = this.#deps.changes.subscribe(tenant, id, () => isApplied && durable.resolve());
    const onSettled = (execution: Execution, refused?: Refusal) => {
      refusal = refused;
      isApplied = !refused;
      if (isApplied) onApplied(execution);
    };
    try {
      const receipt = { mutations: prepared.mutations, onSettled };
      await Promise.race([this.send(tenant, id, prepared.request, receipt), durable.promise]);
    } finally {
      unsubscribe();
    }
    if (refusal) throw new DomainError(refusal.code, refusal.message);
    return isApplied;
  }

  /** While a caller prepares a request, for example uploads a file, an idle execution is not kept in memory. */
  async #prepare(
    tenant: string,
    id: string,
    prepare: PrepareRequest,
  ): Promise<ExecutionRequest | undefined> {
    const live = await this.#find(tenant, id);
    // As in `send`.
    if (!live) {
      return await this.deletions.settled(tenant, id) ? await this.#prepare(tenant, id, prepare) : undefined;
    }
    let isStale = false;
    const unsubscribe = this.#deps.changes.subscribe(tenant, id, () => isStale = true);
    try {
      const prepared = prepare(live);
      if (!(prepared instanceof Promise)) return prepared;
      this.#unloadIfIdle(live);
      const request = await prepared;
      if (!isStale) this.#live.putBack(live);
      return request;
    } catch (error) {
      await this.#refuseDurably(live);
      throw error;
    } finally {
      unsubscribe();
    }
  }

  /** A refusal that rests on a state which is not durable yet waits for it. @throws DomainError the database refuses that state */
  async #refuseDurably(live: LiveExecution): Promise<void> {
    const error = live.isDirty || live.root.isDriven ? await this.#settled(live) : undefined;
    this.#unloadIfIdle(live);
    if (error) throw error;
  }

  /** Resolves once the events of an execution are durable or refused; with the error if the database refuses the commit. */
  #settled(live: LiveExecution): Promise<Error | undefined> {
    const { root } = live;
    return root.isDriven ? nextCommit(live, this.#deps.changes) : this.#drive(root);
  }

  /** The execution in memory, else as stored; one that is to be recovered is recovered first. */
  #find(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const recovering = this.#recovery.leftCount > 0 ? this.#recovery.underWay(tenant, id) : undefined;
    return recovering ? recovering.then(() => this.#live.find(tenant, id)) : this.#live.find(tenant, id);
  }

  #unloadIfIdle(live: LiveExecution): void {
    if (!live.isLive && !live.isDriven && !live.isDirty) this.#live.unload(live);
  }

  /**
   * Sends an event to an execution; resolves once its consequences are durable. False for an unknown execution.
   * @throws DomainError storage_full or unavailable: they will be durable once the database accepts writes again; too_large:
   * the execution ends FAILED instead
   */
  async send(tenant: string, id: string, event: Event, receipt?: Receipt): Promise<boolean> {
    const given = await this.#give({ tenant, id }, event, receipt);
    // The deletion under way may be refused, or be of log lines alone.
    if (!given) {
      return await this.deletions.settled(tenant, id) && await this.send(tenant, id, event, receipt);
    }
    const error = await given.settled;
    if (!error) return true;
    // The object was discarded with the event: the execution is as stored, or deleted.
    if (given.live.isDropped && !isTooLarge(error)) return await this.send(tenant, id, event, receipt);
    throw error;
  }

  async #give(target: Target, event: Event, receipt?: Receipt): Promise<Given | undefined> {
    const live = await this.#find(target.tenant, target.id);
    if (!live) return undefined;
    // It may have been unloaded or deleted since the promise was resolved.
    if (!this.#live.isCurrent(live)) return await this.#give(target, event, receipt);
    if (receipt) (live.receipts ??= new Map()).set(event, receipt);
    // What sends the event may have changed KV pairs, as an execution that has ended.
    live.renderer.hostCalls.forget();
    live.events.push(event);
    return { live, settled: this.#settled(live) };
  }

  /** Delivers a message from another execution ({@link Deliveries.deliver}). */
  deliver(message: StoredMessage): Promise<void> {
    return this.#deliveries.deliver(message);
  }

  /** Reads the slots and queues of a tenant. Must be called before its executions are recovered. */
  async loadSlots(tenant: string): Promise<void> {
    await this.slots.load(this.#deps.store, tenant, (id) => this.#recovery.isScheduled(tenant, id));
  }

  /** Sets the limit of the latest revision of a flow, and starts queued executions that it admits. */
  setLimit(flow: Pick<Execution, "tenant" | "namespace" | "flowId">, limit: number | undefined): void {
    if (this.slots.setLimit(flow, limit)) this.grantSlots(flow, limit ?? Infinity);
  }

  /** Grants free slots of a flow to its queued executions. */
  grantSlots(execution: Pick<Execution, "tenant" | "namespace" | "flowId">, limit: number): void {
    const { slots } = this;
    const { tenant, namespace, flowId } = execution;
    for (const id of slots.grant(execution, limit)) {
      this.#deliveries.start({ tenant, namespace, flowId, id });
    }
    // Loaded while those before them are committed: the flow does not wait for the database twice.
    for (const id of slots.next(execution, READ_AHEAD)) {
      if (!this.#live.has(execution.tenant, id)) this.#work.track(this.#find(execution.tenant, id));
    }
  }

  /** Fires a stored timer; resolves once its consequences are durable. A timer that no execution has any more is deleted. */
  async fireTimer(timer: DueTimer): Promise<void> {
    const { tenant, executionId, name, dueAt } = timer;
    const live = await this.#find(tenant, executionId);
    if (live?.execution.timers.get(name) === dueAt) {
      const due: Event = name === "start"
        ? this.#admission.startEvent(live)
        : { type: "timer_due", timer: name };
      await this.send(tenant, executionId, due);
      return;
    }
    if (live?.isDriven || live?.isDirty) return; // Its next commit deletes the timer.
    if (this.#live.isDeleting(tenant, executionId)) {
      if (await this.deletions.settled(tenant, executionId)) return await this.fireTimer(timer);
      throw new DomainError("unavailable", "Cannot fire a timer: its tenant is being deleted");
    }
    if (live) this.#continue(live);
    await this.#deps.committer.commit({
      mutations: [{ type: "delete", key: timerKey(dueAt, tenant, executionId, name) }],
    });
  }

  /** Attempts of an execution that wait for a worker, by the ordinals of their task runs. */
  waitingForWorkers({ tenant, id }: Execution): ReadonlyMap<number, WorkerWait> | undefined {
    return this.#connected?.slices.workers?.waitingFor(tenant, id);
  }

  /** Whether it is in memory and has ended there. */
  isEnding(tenant: string, id: string): boolean {
    const execution = this.#live.get(tenant, id)?.execution;
    return execution !== undefined && isEnded(execution.history);
  }

  /** Whether it is in memory. */
  isLive(tenant: string, id: string): boolean {
    return this.#live.has(tenant, id);
  }

  /** Stops all work on the executions of a tenant that is being deleted. */
  async dropTenant(tenant: string): Promise<void> {
    await this.recovered;
    await this.deletions.ofTenant(tenant);
  }

  /**
   * Recovers executions that were live when an earlier process stopped; returns their number. Meanwhile others may start, and
   * what uses one of these waits until it is recovered.
   */
  async recover(listed: readonly ListedExecution[]): Promise<number> {
    const recovering = this.#recovery.recoverAll(listed);
    this.#recovered = recovering;
    return await recovering;
  }

  /** Resolves when no execution is left to be recovered; `undefined` if all are recovered. */
  get recovered(): Promise<unknown> | undefined {
    return this.#recovery.leftCount > 0 ? this.#recovered : undefined;
  }

  /** Interrupts running attempts, and lets no execution continue. */
  interruptAll(): void {
    this.#isStopping = true;
    this.#deliveries.stop();
    this.#live.interruptAll();
  }

  /** Interrupts running attempts and waits for commits in progress; the next process recovers what has not ended. */
  async stop(): Promise<void> {
    this.interruptAll();
    await this.#work.settled();
    this.#live.interruptAll(); // Attempts that started meanwhile.
    const over = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.setTimer(CLEANUP_MS, over.resolve);
    await Promise.race([Promise.all([...this.#attempts]), over.promise]);
    cancel();
  }

  #refuseWhenFull(tenant: string): void {
    if (this.#isStopping) {
      throw new DomainError("unavailable", "Cannot start an execution: the server is shutting down");
    }
    if (!this.#live.isFullFor(tenant, this.#recovery.leftCount + this.#starting)) return;
    const message = `Cannot start an execution: ${MAX_LIVE_EXECUTIONS} are running already`;
    throw new DomainError("too_many_requests", message, { retryAfter: 1 });
  }

  #wake(live: LiveExecution): void {
    if (this.#isStopping) return;
    if (live.isDropped) return releaseDropped(live, this.#parts.slices);
    if (!live.isDriven) this.#work.track(this.#drive(live));
  }

  /** Applies events and commits until none is left; resolves with the error if the database refuses. Never rejects. */
  async #drive(live: LiveExecution): Promise<Error | undefined> {
    live.isDriven = true;
    try {
      while (!live.isDropped && (live.events.length > 0 || live.isDirty)) {
        runCommitGroup(live, this.#parts.slices);
        await this.#commit(live);
        this.#startDeferred(live);
      }
    } catch (error) {
      const isSmaller = isTooLarge(error as Error) && detachSuccessors(live, this.#parts.slices);
      if (isSmaller) return await this.#drive(live); // What waits for the commit learns how this one ends.
      this.#retryLater(live, error as Error);
      return error as Error;
    }
    live.isDriven = false;
    if (live.events.length === 0) live.settle();
    this.#continue(live);
    return undefined;
  }

  /** After a commit: starts deferred attempts, then applies new events, or unloads the execution. */
  #continue(live: LiveExecution): void {
    this.#startDeferred(live);
    if (live.events.length > 0 || live.isDirty) this.#wake(live);
    else this.#unloadIfIdle(live);
  }

  async #commit(live: LiveExecution, files: readonly Mutation[] = NO_FILES): Promise<void> {
    if (live.isDropped || !live.isDirty) return;
    const others = live.members.length === 0 ? NO_OTHERS : live.commitGroup().slice(1);
    const isWritten = await commitExecution(live, this.#parts.commits, {
      files,
      committed: this.#committed,
    });
    if (!isWritten) return giveUp(live, this.#parts.slices);
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
        this.timers.add({ dueAt, tenant: execution.tenant, executionId: execution.id, name });
      }
    }
    for (const each of files) this.#work.track(each.committed());
    for (const message of messages) void this.deliver(storedMessage(execution, message));
    const { concurrency } = plan.flow;
    if (concurrency && holdsNoSlot(execution)) this.grantSlots(execution, concurrency.limit);
    if (!live.isDropped) this.#deps.changes.publish(execution.tenant, execution.id);
  };

  #startDeferred(live: LiveExecution): void {
    const commands = live.deferred;
    if (commands.length === 0 || live.isDropped || this.#isStopping) return;
    // They stay deferred: the process that leads now repeats them.
    if (this.#deps.mayAct?.() === false) return;
    live.deferred = [];
    for (const command of commands) {
      const controller = new AbortController();
      (live.running ??= new Map()).set(command.taskRun, controller);
      live.renderer.hostCalls.forget();
      const type = this.#deps.catalog.find(command.task.kind);
      const ended = runAttempt(live, command, { ...this.#parts.slices, type, controller });
      // Synchronously if possible, so that no commit contains the log lines of an attempt without its end.
      if (ended instanceof Promise) {
        this.#track(ended.then((event) => this.#endAttempt(live, command.taskRun, { event, controller })));
      } else this.#endAttempt(live, command.taskRun, { event: ended, controller });
    }
  }

  #track(attempt: Promise<void>): void {
    this.#attempts.add(attempt);
    void attempt.then(() => this.#attempts.delete(attempt));
  }

  #endAttempt(live: LiveExecution, taskRun: number, { event, controller }: EndedAttempt): void {
    // An abandoned attempt may end after the next one has started: it must not end the next one.
    if (live.running?.get(taskRun) !== controller) {
      live.receipts?.delete(event);
      return discardFiles(event);
    }
    live.running.delete(taskRun);
    if (this.#isStopping) return; // Interrupted by the shutdown: the next process repeats the attempt.
    live.renderer.hostCalls.forget(); // The attempt may have changed KV pairs.
    live.events.push(event);
    this.#wake(live);
  }

  /** Retries a refused commit until the database accepts it: a full disk delays executions but loses none. One that is too large is not repeated. */
  #retryLater(live: LiveExecution, error: Error): void {
    live.isDriven = false;
    live.refuse(error);
    if (live.isDropped) return giveUp(live, this.#parts.slices);
    if (this.#isStopping) return;
    if (isTooLarge(error)) return this.#endUnstorable(live, error);
    this.#deps.logger.repeated("warn", "An execution waits for the database", {
      execution: live.execution.id,
      error: error.message,
    });
    this.#live.keep(live);
    this.#deps.clock.setTimer(RETRY_MS, () => this.#wake(live));
  }

  /** Discards changes that exceed a limit of the database, and ends the execution FAILED as it is stored. */
  #endUnstorable(live: LiveExecution, error: Error): void {
    const { execution: { tenant, id }, isUnstorable, isListed, row } = live;
    live.interruptAll();
    giveUp(live, this.#parts.slices);
    const outcome = isUnstorable ? "stays as it is stored" : "ends FAILED";
    this.#deps.logger.error(`An execution exceeds a limit and ${outcome}`, {
      execution: id,
      error: error.message,
    });
    const reason = `The execution exceeds a limit. ${error.message}`;
    const ended = this.#deliveries.inTurn({ tenant, id }, async () => {
      const stored = await this.#find(tenant, id);
      if (!stored) return;
      Object.assign(stored, { isUnstorable: true, isListed, row });
      // A listed one stays in memory: a sweep would recover it, with the same end.
      if (isUnstorable) return isListed ? undefined : this.#live.unload(stored);
      stored.events.push({ type: "given_up", reason });
      this.#wake(stored);
    });
    this.#work.track(ended);
  }
}
