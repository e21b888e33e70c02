/** Executions: starting, reading, waiting for, killing, deleting, listing; and their log lines. */
import type { Clock, Instant } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import { type JsonObject, stringifyJson } from "../base/json.ts";
import { createExecution, type StartRequest } from "../engine/create.ts";
import type { FlowPlan } from "../engine/plan.ts";

import type { GivenValue } from "../model/input_value.ts";
import type { Actor } from "../model/actor.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution, ExecutionKind, ExecutionTrigger } from "../model/execution.ts";
import { executionBody } from "../model/execution_body.ts";
import type { ExecutionQuery } from "../model/execution_query.ts";
import type { FlowKey, TenantId } from "../model/flow.ts";
import { checkStartLabels, type Label } from "../model/label.ts";
import { MAX_WAIT_MS } from "../model/limits.ts";
import { currentState, isEnded } from "../model/state.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { tombstoneRow } from "../store/catalog/row.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer, EntryFacts } from "../store/committer.ts";
import { type ExecutionFiles, executionFileUri } from "../store/execution_files.ts";
import type { ExecutionRecords, StoredExecution } from "../store/execution_records.ts";
import { executionKey, timerKey } from "../store/keys.ts";
import type { Mutation } from "../store/store.ts";
import type { ExecutionRemains } from "./execution_remains.ts";
import type { Flows } from "./flows.ts";
import { logEntries, type LogFilter } from "./log_entries.ts";
import type { StartChecks } from "./start_checks.ts";

/** What runs executions: the runtime. */
export interface ExecutorPort {
  /** Starts an execution; resolves once it is durable. */
  begin(execution: Execution, plan: FlowPlan, files: readonly Mutation[]): Promise<void>;
  /** Asks it to stop; resolves once that is durable. */
  kill(tenant: TenantId, id: string): Promise<boolean>;
  /** Stops all work on an execution that is about to be deleted. */
  drop(tenant: TenantId, id: string): EntryFacts;
  /** Takes up again an execution that was dropped but could not be deleted. */
  restore(tenant: TenantId, id: string): Promise<boolean>;
}

/** What the executions service works with. */
export interface ExecutionsDeps {
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly remains: ExecutionRemains;
  readonly catalog: Catalog;
  readonly changes: Changes;
  readonly committer: Committer;
  readonly executor: ExecutorPort;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly checks: StartChecks;
}

/** What a caller starts an execution with. */
export interface StartOptions {
  readonly labels: readonly Label[];
  readonly kind: ExecutionKind;
  readonly revision?: number;
  readonly scheduleDate?: Instant;
  readonly trigger?: ExecutionTrigger;
  /** Holds the answer until the execution has ended; aborted when the caller has gone. */
  readonly wait?: AbortSignal;
  /** Link to an execution's page. */
  readonly urlOf: (execution: Execution) => string;
}

/** A file that a caller sent for an input. */
export interface GivenFile {
  readonly name: string;
  readonly stream: ReadableStream<Uint8Array>;
}

/** Reads what the caller sent; files go through `store` as they arrive. */
export type ReadInputs = (store: StoreFile) => Promise<ReadonlyMap<string, GivenValue>>;

/** Keeps an uploaded file of an input, and gives what stands for it. */
export type StoreFile = (inputId: string, file: GivenFile) => Promise<GivenValue>;

/** An execution and when it was read. */
export interface ExecutionView {
  readonly execution: Execution;
  readonly body: string;
  readonly hasEnded: boolean;
}

/** The use cases of executions. */
export class Executions {
  readonly #deps: ExecutionsDeps;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Promise<string>>();

  constructor(deps: ExecutionsDeps) {
    this.#deps = deps;
  }

  /** The flow to start, at once when it is in memory. @throws DomainError not_found, conflict */
  startable(actor: Actor, key: FlowKey, revision?: number): FlowPlan | Promise<FlowPlan> {
    const found = this.#deps.flows.plan(actor.tenant, key, { revision });
    return found instanceof Promise ? found.then(checkEnabled) : checkEnabled(found);
  }

  /**
   * Starts an execution; the answer's text. Without `wait` it shows the execution as it was created.
   * @throws DomainError not_found, conflict, invalid_entity, too_many_requests, storage_full, unavailable
   */
  async start(actor: Actor, key: FlowKey, readInputs: ReadInputs, options: StartOptions): Promise<string> {
    const found = this.startable(actor, key, options.revision);
    const plan = found instanceof Promise ? await found : found;
    checkStartLabels(options.labels);
    const id = this.#deps.ids.next(this.#deps.clock.now());
    const files: Mutation[] = [];
    const given = await readInputs((inputId, file) => this.#storeFile(plan, id, inputId, file, files));
    const inputs = this.#deps.checks.inputs(plan.flow, given);
    return this.#begin(plan, { ...options, id, inputs }, files, options);
  }

  /** What a start with these values would find, as JSON text; nothing is stored. @throws DomainError not_found, conflict */
  async validate(actor: Actor, key: FlowKey, readInputs: ReadInputs, revision?: number): Promise<string> {
    const { flow } = await this.startable(actor, key, revision);
    const given = await readInputs(measureFile);
    return stringifyJson(this.#deps.checks.report(flow, given));
  }

  /** Starts an execution for a trigger; its inputs are the flow's defaults. @throws as {@link start} */
  async startByTrigger(plan: FlowPlan, options: StartOptions): Promise<string> {
    const id = this.#deps.ids.next(this.#deps.clock.now());
    const inputs = this.#deps.checks.inputs(plan.flow, new Map());
    return await this.#begin(plan, { ...options, id, inputs }, [], options);
  }

  /** An execution with its task runs. @throws DomainError not_found */
  async get(actor: Actor, id: string, url?: string): Promise<ExecutionView> {
    const { execution } = await this.#load(actor.tenant, id);
    const body = executionBody(execution, { now: this.#deps.clock.now(), taskRuns: true, url });
    return { execution, body, hasEnded: isEnded(execution.history) };
  }

  /** Texts of one page of executions without task runs, and how many there are in all. @throws DomainError invalid_filter */
  async search(actor: Actor, query: ExecutionQuery): Promise<{ results: string[]; total: number }> {
    const { ids, total } = await this.#deps.catalog.query(actor.tenant, query);
    const now = this.#deps.clock.now();
    const texts = ids.map((id) => this.#deps.records.summary(actor.tenant, id, now));
    const known = await Promise.all(texts);
    return { results: known.filter((text) => text !== undefined), total };
  }

  /** Asks an execution to stop; its text once that is durable. @throws DomainError not_found, conflict */
  async kill(actor: Actor, id: string): Promise<string> {
    const { execution } = await this.#load(actor.tenant, id);
    const state = currentState(execution.history);
    if (isEnded(execution.history)) {
      throw new DomainError(
        "conflict",
        `Illegal state: Cannot kill execution "${id}": it has already ended in state ${state}`,
      );
    }
    await this.#deps.executor.kill(actor.tenant, id);
    return (await this.get(actor, id)).body;
  }

  /** Deletes an execution with its log lines and files; one that is running is stopped. @throws DomainError not_found */
  async delete(actor: Actor, id: string): Promise<void> {
    const { tenant } = actor;
    const { execution } = await this.#load(tenant, id);
    const { records, remains, committer, changes, executor } = this.#deps;
    const facts = executor.drop(tenant, id);
    const mutations: Mutation[] = [
      { type: "delete", key: executionKey(tenant, id) },
      remains.announce(tenant, id),
    ];
    for (const [name, dueAt] of execution.timers) {
      mutations.push({ type: "delete", key: timerKey(dueAt, tenant, id, name) });
    }
    const rows = [{ tenant, row: tombstoneRow(id) }];
    const committed = () => records.forget(tenant, id);
    try {
      await committer.commit({ mutations, facts: { ...facts, rows }, committed });
    } catch (error) {
      if (facts.liveness) await executor.restore(tenant, id);
      throw error;
    }
    changes.publish(tenant, id);
    await remains.remove(tenant, id);
  }

  /** Calls `listener` after each durable change of an execution, until the returned function is called. */
  subscribe(actor: Actor, id: string, listener: () => void): () => void {
    return this.#deps.changes.subscribe(actor.tenant, id, listener);
  }

  /** Log entries, oldest first; none for an unknown execution. */
  async logs(actor: Actor, id: string, filter: LogFilter = {}): Promise<JsonObject[]> {
    const found = await this.#deps.records.loadLogs(actor.tenant, id);
    if (!found) return [];
    return logEntries(found.execution, found.lines, filter);
  }

  /** Deletes the log lines of an execution that has ended. @throws DomainError not_found, conflict */
  async deleteLogs(actor: Actor, id: string): Promise<void> {
    const stored = await this.#load(actor.tenant, id);
    if (!isEnded(stored.execution.history)) {
      throw new DomainError(
        "conflict",
        `Illegal state: Cannot delete the logs of execution "${id}": it has not ended`,
      );
    }
    const { records, committer } = this.#deps;
    const mutations = await records.logRemoval(stored);
    await committer.commit({ mutations, committed: () => records.remember(stored.execution, mutations) });
  }

  /** Answers those who wait for an end with what there is; from now on nobody waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#waiting]);
  }

  async #begin(
    plan: FlowPlan,
    request: StartRequest,
    files: readonly Mutation[],
    options: StartOptions,
  ): Promise<string> {
    const now = this.#deps.clock.now();
    const execution = createExecution(plan.flow, request, now);
    this.#deps.checks.judge(plan.flow, execution, now);
    const url = options.urlOf(execution);
    const created = executionBody(execution, { now, taskRuns: false, url });
    await this.#deps.executor.begin(execution, plan, files);
    return options.wait ? await this.#waitFor(execution, options.wait, url) : created;
  }

  async #waitFor({ tenant, id }: Execution, signal: AbortSignal, url: string): Promise<string> {
    const ended = this.#ended({ tenant, user: "" }, id, signal, url);
    this.#waiting.add(ended);
    return await ended.finally(() => this.#waiting.delete(ended));
  }

  async #ended(actor: Actor, id: string, signal: AbortSignal, url: string): Promise<string> {
    await this.#untilEnded(actor, id, AbortSignal.any([signal, this.#closing.signal]));
    return (await this.get(actor, id, url)).body;
  }

  /** Resolves when the execution has ended, the caller has gone, or {@link MAX_WAIT_MS} are over. */
  async #untilEnded(actor: Actor, id: string, signal: AbortSignal): Promise<void> {
    let wake = () => {};
    const unsubscribe = this.subscribe(actor, id, () => wake());
    const cancelTimer = this.#deps.clock.setTimer(MAX_WAIT_MS, () => (isOver = true, wake()));
    const onAbort = () => (isOver = true, wake());
    let isOver = signal.aborted;
    signal.addEventListener("abort", onAbort);
    try {
      while (!isOver) {
        const changed = new Promise<void>((resolve) => wake = resolve);
        const stored = await this.#deps.records.load(actor.tenant, id);
        if (!stored || isEnded(stored.execution.history)) return;
        await changed;
      }
    } finally {
      unsubscribe();
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #storeFile(
    { flow }: FlowPlan,
    id: string,
    inputId: string,
    file: GivenFile,
    mutations: Mutation[],
  ): Promise<GivenValue> {
    const path = `inputs/${inputId}/${file.name}`;
    const stored = await this.#deps.files.write(flow.tenant, id, path, file.stream);
    mutations.push(...stored.mutations);
    // A name has no other character that an address must not have, and no "%": decoding gives the path again.
    const uri = executionFileUri(flow, id, path.replaceAll(" ", "%20"));
    return { kind: "file", uri, size: stored.size };
  }

  async #load(tenant: TenantId, id: string): Promise<StoredExecution> {
    const stored = await this.#deps.records.load(tenant, id);
    if (!stored) throw new DomainError("not_found", `Not Found: execution "${id}" does not exist`);
    return stored;
  }
}

/** Reads a file to its end and keeps nothing of it. */
async function measureFile(_inputId: string, { name, stream }: GivenFile): Promise<GivenValue> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return { kind: "file", uri: `file:///${encodeURIComponent(name)}`, size };
}

function checkEnabled(plan: FlowPlan): FlowPlan {
  const { disabled, namespace, id } = plan.flow;
  if (!disabled) return plan;
  throw new DomainError("conflict", `Illegal state: Cannot execute a disabled flow: "${namespace}.${id}"`);
}
