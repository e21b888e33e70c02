/** The use cases of executions: start, read, await, delete, search; and their log lines. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import type { IdSource } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { whenKnown } from "../../base/when_known.ts";
import { createExecution } from "../../engine/create.ts";
import { heldTasks } from "../../engine/requests/pause.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { ExecutionTree } from "../../engine/tree.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalState, undefinedIfMissing } from "../../model/errors.ts";
import type { Execution, ExecutionKind, ExecutionTrigger } from "../../model/executions/execution.ts";
import { executionBody, executionBodyChunks } from "../../model/executions/execution_body.ts";
import { type WaitingFacts, waitingOf } from "../../model/executions/execution_waiting.ts";
import type { ExecutionConditions, ExecutionQuery } from "../../model/executions/execution_query.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { checkStartLabels, type Label } from "../../model/flows/label.ts";
import { MAX_WAIT_MS } from "../../model/limits.ts";
import { currentState, isEnded } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import { tombstoneRow } from "../../store/catalog/rows/row.ts";
import type { Changes } from "../../store/changes.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type {
  ExecutionRecords,
  ShownExecution,
  StoredExecution,
} from "../../store/records/executions/execution_records.ts";
import { executionKey, timerKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import type { ExecutionCleanup } from "./execution_cleanup.ts";
import type { NewExecution } from "../../runtime/live/messages.ts";
import type { Drop } from "../../runtime/deletions.ts";
import type { Executor } from "../../runtime/executor.ts";
import { prepareRemoval } from "../../runtime/removal.ts";
import type { Quotas } from "../access/quotas.ts";
import type { Flows } from "../flows/flows.ts";
import { planOf, unknownExecution } from "./execution_actions.ts";
import { type ExecutionPage, executionPieces } from "./execution_pages.ts";
import { FollowedExecutions } from "./followed_executions.ts";
import { measureFile, type ReadForm, storeFilesOf } from "../starts/given_files.ts";
import { logEntries, type LogFilter } from "../logs/log_entries.ts";
import { type StartChecks, withLabels } from "../starts/start_checks.ts";

interface ExecutionsDeps {
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly cleanup: ExecutionCleanup;
  readonly catalog: Catalog;
  readonly changes: Changes;
  readonly committer: Committer;
  readonly executor: Executor;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly checks: StartChecks;
  readonly quotas?: Quotas;
}

/** Options of a start. */
export interface StartOptions {
  readonly labels: readonly Label[];
  readonly kind: ExecutionKind;
  readonly revision?: number;
  readonly scheduleDate?: Instant;
  /** Tasks before which the execution stops: `taskId` or `taskId.value`. */
  readonly breakpoints?: readonly string[];
  readonly trigger?: ExecutionTrigger;
  /** Delays the result until the execution has ended; aborted when the caller disconnects. */
  readonly wait?: AbortSignal;
  /** Returns what is stored in the same commit, from the execution and its text as created. */
  readonly remember?: (execution: Execution, created: string) => Promise<readonly Mutation[]>;
  /** Link to the page of an execution. */
  readonly urlOf: (execution: Execution) => string;
  /** How the result writes durations; by default in seconds. */
  readonly durations?: DurationForm;
}

interface BeginOptions extends Pick<StartOptions, "urlOf" | "wait" | "remember" | "durations"> {
  /** Called once the start is durable. */
  readonly begun?: () => void;
}

type AwaitOptions = Pick<StartOptions, "urlOf" | "durations"> & { readonly wait: AbortSignal };

/** How the text of an awaited execution is made. */
interface ResultForm extends Pick<StartOptions, "durations"> {
  readonly url?: string;
}

/** An execution to start. */
interface StartedExecution extends NewExecution {
  /** Stored in the same commit. */
  readonly mutations: readonly Mutation[];
}

/** Timers that a deletion deletes in the same commit. */
const MAX_TIMERS_OF_DELETION = 400;
/** Ids that {@link Executions.all} reads at a time. */
const IDS_PER_PIECE = 500;

/** The use cases of executions. */
export class Executions {
  /** Shared views for event streams. */
  readonly followed: FollowedExecutions;
  readonly #deps: ExecutionsDeps;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Promise<string>>();

  constructor(deps: ExecutionsDeps) {
    this.#deps = deps;
    const read = (actor: Actor, id: string) => this.#read(actor, id);
    this.followed = new FollowedExecutions({ read, changes: deps.changes, clock: deps.clock });
  }

  /**
   * Starts an execution; its text as created, with `wait` once it has ended.
   * @throws DomainError not_found, conflict, invalid_entity, too_many_requests, storage_full, unavailable
   */
  async start(actor: Actor, key: FlowKey, readForm: ReadForm, options: StartOptions): Promise<string> {
    const { checks, clock, files, ids } = this.#deps;
    const found = this.#startable(actor, key, options.revision);
    const plan = found instanceof Promise ? await found : found;
    const { flow } = plan;
    checkStartLabels(options.labels);
    const id = ids.next(clock.now());
    const mutations: Mutation[] = [];
    const owner = { flow, executionId: id, folder: "inputs", mutations };
    // Most forms are empty and most flows read nothing: what is known is not awaited.
    const read = readForm(flow.inputs, storeFilesOf(files, owner));
    const given = read instanceof Promise ? await read : read;
    const labelled = withLabels(flow, options.labels);
    const resolved = checks.reading(labelled, (reading) => reading.inputs(labelled, given));
    const inputs = resolved instanceof Promise ? await resolved : resolved;
    const now = clock.now();
    const execution = createExecution(flow, { ...options, id, inputs }, now);
    const checked = checks.reading(flow, (reading) => reading.evaluateChecks(flow, execution, now));
    if (checked instanceof Promise) await checked;
    return await this.begin({ execution, plan, mutations }, options);
  }

  /** Validates the values of a start; the report as JSON text. Stores nothing. @throws DomainError not_found, conflict */
  async validate(
    actor: Actor,
    key: FlowKey,
    readForm: ReadForm,
    { revision, labels }: Pick<StartOptions, "revision" | "labels">,
  ): Promise<string> {
    const plan = await this.#startable(actor, key, revision);
    const flow = withLabels(plan.flow, labels);
    const given = await readForm(flow.inputs, measureFile);
    return stringifyJson(await this.#deps.checks.reading(flow, (checks) => checks.report(flow, given)));
  }

  /** Starts an execution that was created before; its text. @throws as {@link start} */
  async begin(
    { execution, plan, mutations }: StartedExecution,
    options: BeginOptions,
  ): Promise<string> {
    const now = this.#deps.clock.now();
    const url = options.urlOf(execution);
    const { remember, durations } = options;
    const created = executionBody(execution, { now, durations, taskRuns: false, url });
    const stored = remember ? [...mutations, ...await remember(execution, created)] : mutations;
    await beginWithinQuota(this.#deps, { execution, plan, mutations: stored });
    options.begun?.();
    if (!options.wait) return created;
    return await this.#waitFor(execution, options.wait, { durations, url });
  }

  /**
   * Starts an execution that was created before; the execution once it has ended, `undefined` if it takes longer or the signal
   * is aborted before. @throws as {@link start}
   */
  async run(
    { execution, plan }: NewExecution,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Execution | undefined> {
    await beginWithinQuota(this.#deps, { execution, plan, mutations: [] });
    const actor = { tenant: execution.tenant, user: "" };
    const closing = this.#closing.signal;
    const over = signal ? AbortSignal.any([signal, closing]) : closing;
    await this.#untilEnded(execution.tenant, execution.id, over, timeoutMs);
    const latest = await this.header(actor, execution.id);
    return isEnded(latest.history) ? latest : undefined;
  }

  /** The text of an execution once it has ended, or the caller has disconnected. @throws DomainError not_found */
  async ended(actor: Actor, id: string, { urlOf, wait, durations }: AwaitOptions): Promise<string> {
    const execution = await this.header(actor, id);
    return await this.#waitFor(execution, wait, { durations, url: urlOf(execution) });
  }

  async #textOf(execution: Execution, form: ResultForm): Promise<string> {
    const waiting = await this.#waitingOf(execution);
    return executionBody(execution, { ...form, now: this.#deps.clock.now(), taskRuns: true, waiting });
  }

  /**
   * The text of an execution with its task runs, or with the first ones; that of a large execution in chunks that are read on
   * demand. @throws DomainError not_found
   */
  async text(actor: Actor, id: string, maxTaskRuns = Infinity): Promise<string | AsyncGenerator<string>> {
    const { records, clock } = this.#deps;
    if (maxTaskRuns < Infinity) return await this.#beginningOf(actor, id, maxTaskRuns);
    const opened = await records.open(actor.tenant, id);
    if (!opened) throw unknownExecution(id);
    const { execution, taskRuns } = opened;
    const { durations } = actor;
    if (!taskRuns) return await this.#textOf(execution, { durations });
    const hasEnded = isEnded(execution.history);
    const waiting = hasEnded ? undefined : await this.#unfinishedWaiting(actor, id);
    return executionBodyChunks(execution, taskRuns, { now: clock.now(), durations, waiting });
  }

  async #beginningOf(actor: Actor, id: string, maxTaskRuns: number): Promise<string> {
    const shown = await this.#deps.records.beginning(actor.tenant, id, maxTaskRuns);
    if (!shown) throw unknownExecution(id);
    const { execution, hiddenTaskRuns } = shown;
    const waiting = await this.#waitingIn(actor, shown);
    const form = { now: this.#deps.clock.now(), durations: actor.durations };
    return executionBody(execution, { ...form, taskRuns: true, waiting, hiddenTaskRuns });
  }

  /** An execution for a page or an event, bounded in size. @throws DomainError not_found */
  async view({ tenant }: Actor, id: string): Promise<ShownExecution> {
    const shown = await this.#deps.records.view(tenant, id);
    if (shown) return shown;
    throw unknownExecution(id);
  }

  /** An execution without its task runs. @throws DomainError not_found */
  async header({ tenant }: Actor, id: string): Promise<Execution> {
    const execution = await this.#deps.records.header(tenant, id);
    if (execution) return execution;
    throw unknownExecution(id);
  }

  /** An execution as {@link view}, and what it waits for. @throws DomainError not_found */
  async #read(actor: Actor, id: string): Promise<ShownExecution & { readonly waiting?: JsonObject }> {
    const shown = await this.view(actor, id);
    return { ...shown, waiting: await this.#waitingIn(actor, shown) };
  }

  /** What an execution waits for of which not all task runs may be read. */
  async #waitingIn(
    actor: Actor,
    { execution, hiddenTaskRuns }: ShownExecution,
  ): Promise<JsonObject | undefined> {
    const isWhole = hiddenTaskRuns === 0 || isEnded(execution.history);
    return isWhole ? await this.#waitingOf(execution) : await this.#unfinishedWaiting(actor, execution.id);
  }

  /** What a large execution that has not ended waits for. */
  async #unfinishedWaiting({ tenant }: Actor, id: string): Promise<JsonObject | undefined> {
    const execution = await this.#deps.records.unfinished(tenant, id);
    return execution && await this.#waitingOf(execution);
  }

  async #waitingOf(execution: Execution): Promise<JsonObject | undefined> {
    return waitingOf(execution, await this.#waitingFacts(execution));
  }

  /** One page of executions; beyond `fullChars` characters its values are shortened harder. @throws DomainError invalid_filter */
  async search(
    { tenant, durations }: Actor,
    query: ExecutionQuery,
    fullChars?: number,
  ): Promise<ExecutionPage> {
    const { records, catalog, clock } = this.#deps;
    const { ids, total } = await catalog.query(tenant, query);
    const pieces = executionPieces(records, { tenant, ids, now: clock.now(), durations, fullChars });
    return { total, pieces };
  }

  /** All matching executions in pieces, oldest first, with their texts as {@link search} gives them. @throws DomainError invalid_filter */
  async *all({ tenant, durations }: Actor, filters: ExecutionConditions): AsyncGenerator<string[]> {
    const { records, catalog, clock } = this.#deps;
    for await (const ids of catalog.ids(tenant, filters, IDS_PER_PIECE)) {
      yield* executionPieces(records, { tenant, ids, now: clock.now(), durations });
    }
  }

  /** Deletes an execution with its log lines and files; stops it if it is running. @throws DomainError not_found */
  async delete(actor: Actor, id: string): Promise<void> {
    const { tenant } = actor;
    const { cleanup, executor } = this.#deps;
    const removal = await executor.deletions.run(tenant, [id], (drop) => this.#delete(tenant, id, drop));
    for (const message of removal.messages) await executor.deliver(message);
    await cleanup.remove(tenant, id);
  }

  /** Deletes the record. @throws DomainError not_found */
  async #delete(tenant: TenantId, id: string, drop: Drop) {
    const { execution } = await this.#load(tenant, id);
    const { records, cleanup, committer, executor, quotas } = this.#deps;
    // The flow revision of an ended execution may have been deleted.
    const limit = await undefinedIfMissing(() => this.#limitOf(execution));
    const removal = prepareRemoval(execution, executor.slots);
    const facts = drop(id);
    const mutations: Mutation[] = [
      { type: "delete", key: executionKey(tenant, id) },
      cleanup.announce(tenant, id),
      ...removal.mutations,
    ];
    // A timer that is left is deleted when it is due.
    for (const [name, dueAt] of [...execution.timers].slice(0, MAX_TIMERS_OF_DELETION)) {
      mutations.push({ type: "delete", key: timerKey(dueAt, tenant, id, name) });
    }
    const rows = [{ tenant, row: tombstoneRow(id) }];
    const committed = () => {
      records.forget(tenant, id);
      removal.committed();
      quotas?.removed(tenant, "executions");
      if (limit !== undefined) executor.grantSlots(execution, limit);
    };
    await committer.commit({ mutations, facts: { ...facts, rows }, committed });
    return removal;
  }

  /** Log entries in pieces that are read on demand, oldest first; none for an unknown execution. */
  async *logs({ tenant }: Actor, id: string, filter: LogFilter = {}): AsyncGenerator<JsonObject[]> {
    const stored = await this.#deps.records.outline(tenant, id);
    if (!stored) return;
    const { execution } = stored;
    for await (const lines of this.#deps.records.logLines(stored)) yield logEntries(execution, lines, filter);
  }

  /** Ends all waits for an end: callers get the current state, also later ones. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#waiting]);
  }

  /** The plan of a flow to start; synchronously if the flow is in memory. @throws DomainError not_found, conflict */
  #startable({ tenant }: Actor, key: FlowKey, revision?: number): FlowPlan | Promise<FlowPlan> {
    return whenKnown(this.#deps.flows.plan(tenant, key, { revision }), checkEnabled);
  }

  async #waitFor({ tenant, id }: Execution, signal: AbortSignal, form: ResultForm): Promise<string> {
    const ended = this.#ended(tenant, id, signal, form);
    this.#waiting.add(ended);
    return await ended.finally(() => this.#waiting.delete(ended));
  }

  async #ended(tenant: TenantId, id: string, signal: AbortSignal, form: ResultForm): Promise<string> {
    await this.#untilEnded(tenant, id, AbortSignal.any([signal, this.#closing.signal]));
    const { execution } = await this.#load(tenant, id);
    return await this.#textOf(execution, form);
  }

  /** Resolves when the execution has ended, the caller has gone, or the time is over. */
  async #untilEnded(
    tenant: TenantId,
    id: string,
    signal: AbortSignal,
    timeoutMs = MAX_WAIT_MS,
  ): Promise<void> {
    const { changes, clock, records } = this.#deps;
    const hasEnded = async () => {
      return !await records.isOpen(tenant, id);
    };
    await changes.until({ tenant, id }, hasEnded, { clock, timeoutMs, signal });
  }

  async #waitingFacts(execution: Execution): Promise<WaitingFacts> {
    const state = currentState(execution.history);
    if (state === "QUEUED") {
      const limit = await this.#limitOf(execution);
      const { running, ahead } = this.#deps.executor.slots.usageOf(execution);
      return { queue: { ahead: Math.max(0, ahead), running, limit } };
    }
    if (state === "RUNNING") return { workers: this.#deps.executor.waitingForWorkers(execution) };
    if (state !== "BREAKPOINT") return {};
    const plan = await planOf(this.#deps.flows, execution);
    // The tree needs all decisions, which `execution` may have in part.
    const { execution: complete } = await this.#load(execution.tenant, execution.id);
    return { heldTasks: heldTasks(new ExecutionTree(plan, complete)) };
  }

  async #limitOf(execution: Execution): Promise<number | undefined> {
    return (await planOf(this.#deps.flows, execution)).flow.concurrency?.limit;
  }

  async #load(tenant: TenantId, id: string): Promise<StoredExecution> {
    const stored = await this.#deps.records.load(tenant, id);
    if (!stored) throw unknownExecution(id);
    return stored;
  }
}

/** Begins an execution if the quota of its tenant allows. @throws DomainError quota_exceeded, and as {@link Executor.begin} */
export function beginWithinQuota(
  { executor, quotas }: { readonly executor: Pick<Executor, "begin">; readonly quotas?: Quotas },
  { execution, plan, mutations }: StartedExecution,
): Promise<void> {
  const { tenant } = execution;
  if (!quotas?.isLimited(tenant, "executions")) return executor.begin(execution, plan, mutations);
  return quotas.within(tenant, "executions", 1, () => executor.begin(execution, plan, mutations));
}

/** What a refusal to start a disabled flow says. */
export const DISABLED_FLOW = "Cannot execute a disabled flow";

/** The plan of a flow that may be started. @throws DomainError conflict: it is disabled */
export function checkEnabled(plan: FlowPlan): FlowPlan {
  const { disabled, namespace, id } = plan.flow;
  if (!disabled) return plan;
  throw illegalState(`${DISABLED_FLOW}: "${namespace}.${id}"`);
}
