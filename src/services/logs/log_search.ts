/**
 * Searches log lines of all executions. Catalog rows select and order the executions; then lines are read, no more than
 * the page and a bounded count need. All committed lines are found.
 */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution, LogLine } from "../../model/executions/execution.ts";
import type { LogCondition, LogConditions, LogPlace, LogQuery } from "../../model/executions/log_query.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Pace } from "../../store/catalog/pace.ts";
import type { StoredExecution } from "../../store/records/executions/execution_records.ts";
import type { LogRecords } from "../../store/records/log_records.ts";
import { PacedQueue } from "../access/paced_queue.ts";
import { type Candidate, LogCandidates, MAX_CANDIDATES } from "./log_candidates.ts";
import { entryOf } from "./log_entries.ts";
import { lineTest } from "./log_matcher.ts";
import { comesAfter, type PlacedLine, TopLines } from "./top_lines.ts";

interface LogSearchDeps {
  readonly catalog: Catalog;
  readonly logs: LogRecords;
  readonly pace: Pace;
}

/** A page of log entries. */
export interface LogPage {
  /** With `lineNumber`, the place of a line in the log of its execution, from 1. */
  readonly results: readonly JsonObject[];
  /** Number of matching lines; a lower bound if not exact. */
  readonly total: number;
  readonly isTotalExact: boolean;
  /** Set if the search stopped before the page was full: lines from this time on were not searched. */
  readonly searchedTo?: Instant;
  /** Where the next page begins, if there may be more lines. */
  readonly next?: LogPlace;
}

interface LineVisit {
  /** Times of the lines, both ends included. */
  readonly window: { readonly start: Instant; readonly end: Instant };
  /** Executions that are read, newest first. */
  readonly maxExecutions: number;
  readonly pace: Pace;
  /** `number` counts the lines of the execution from 1. */
  readonly visit: (execution: Execution, line: LogLine, number: number) => void;
}

/** Up to so many executions that may have matching lines all are read, so that the total is exact. */
export const COUNTED_EXECUTIONS = 1_000;
/** Pages beyond so many lines are empty. */
const MAX_REACHABLE_LINES = 100_000;
const READ_AT_ONCE = 32;
/** Sorts after every execution id. */
const AFTER_ALL_IDS = "~";

/** Searches the log lines of a tenant, one search at a time, in turns. */
export class LogSearch {
  readonly #deps: LogSearchDeps;
  readonly #queue: PacedQueue;

  constructor(deps: LogSearchDeps) {
    this.#deps = deps;
    this.#queue = new PacedQueue(deps.pace);
  }

  /** A page of lines; incomplete if `signal` is aborted. @throws DomainError as {@link PacedQueue.run} */
  search(actor: Actor, query: LogQuery, signal?: AbortSignal): Promise<LogPage> {
    const { tenant } = actor;
    return this.#queue.run(actor, async () => {
      const candidates = new LogCandidates(this.#deps.catalog, tenant, fromPlace(query));
      return await this.#read(tenant, query, { candidates, signal });
    }, signal);
  }

  /** Passes the matching lines of a window to `visit`, in no order; false if more executions may have such lines than are read. */
  async visit({ tenant }: Actor, filter: LogConditions, options: LineVisit): Promise<boolean> {
    const { window, maxExecutions, pace, visit } = options;
    const conditions: LogCondition[] = [
      ...filter.conditions,
      { field: "timestamp", operator: "GREATER_THAN_OR_EQUAL_TO", at: window.start },
      { field: "timestamp", operator: "LESS_THAN_OR_EQUAL_TO", at: window.end },
    ];
    const query: LogQuery = { ...filter, conditions, descending: true, page: 1, size: 1 };
    const candidates = new LogCandidates(this.#deps.catalog, tenant, query);
    for (let read = 0; read < maxExecutions; read += READ_AT_ONCE) {
      const batch = await candidates.take(READ_AT_ONCE);
      if (batch.length === 0) break;
      const loaded = await Promise.all(batch.map(({ id }) => this.#deps.logs.outline(tenant, id)));
      for (const stored of loaded) {
        if (!stored) continue;
        const found = (line: LogLine, number: number) => {
          visit(stored.execution, line, number);
          return true;
        };
        await this.#readOne(stored, query, { found, pace });
        if (pace.isDue) await pace.pause();
      }
    }
    return await candidates.bound() === undefined;
  }

  async #read(
    tenant: string,
    query: LogQuery,
    { candidates, signal }: { readonly candidates: LogCandidates; readonly signal?: AbortSignal },
  ): Promise<LogPage> {
    const { descending, page, size } = query;
    const wanted = Math.min(page * size, MAX_REACHABLE_LINES);
    const lines = new TopLines(descending, wanted);
    let total = 0;
    for (let read = 0; !signal?.aborted;) {
      const batch = await candidates.take(READ_AT_ONCE);
      if (batch.length === 0) break;
      total += await this.#readBatch(tenant, query, { batch, lines });
      read += batch.length;
      const isCounted = read < COUNTED_EXECUTIONS && (await candidates.count() <= COUNTED_EXECUTIONS);
      const bound = isCounted ? undefined : await candidates.bound();
      if (bound === undefined) continue;
      // A client that pages by numbers needs a total beyond its page.
      const isTotalBeyond = read >= COUNTED_EXECUTIONS || total >= wanted + size;
      if (read >= MAX_CANDIDATES || (isTotalBeyond && lines.countBefore(bound) >= wanted)) break;
    }
    const bound = await candidates.bound();
    if (bound !== undefined) lines.keepBefore(bound);
    const found = lines.take((page - 1) * size, size);
    const searchedTo = lines.count < wanted ? bound : undefined;
    return {
      results: found.map(({ execution, line, number }) => ({
        ...entryOf(execution, line),
        lineNumber: number,
      })),
      total,
      isTotalExact: bound === undefined,
      searchedTo,
      next: found.length === size ? placeOf(found.at(-1)) : placeAt(searchedTo, query),
    };
  }

  async #readBatch(
    tenant: string,
    query: LogQuery,
    { batch, lines }: { readonly batch: readonly Candidate[]; readonly lines: TopLines },
  ): Promise<number> {
    const { logs, pace } = this.#deps;
    const loaded = await Promise.all(batch.map(({ id }) => logs.outline(tenant, id)));
    let count = 0;
    for (const [index, stored] of loaded.entries()) {
      if (!stored) continue;
      const { id: executionId, latest } = batch[index] as Candidate;
      const { execution } = stored;
      const found = (line: LogLine, number: number) => {
        const placed = { key: Math.min(line.at, latest), executionId, execution, line, number };
        const isWanted = !query.after || comesAfter(placed, query.after, query.descending);
        if (isWanted) lines.offer(placed);
        return isWanted;
      };
      count += await this.#readOne(stored, query, { found, pace });
      if (pace.isDue) await pace.pause();
    }
    return count;
  }

  async #readOne(
    stored: StoredExecution,
    query: LogQuery,
    { found, pace }: { readonly found: (line: LogLine, number: number) => boolean; readonly pace: Pace },
  ): Promise<number> {
    const { logs } = this.#deps;
    const passes = lineTest(query, stored.execution);
    let [count, number] = [0, 0];
    if (!passes) return count;
    for await (const piece of logs.pieces(stored)) {
      for (const line of piece) {
        number++;
        if (passes(line) && found(line, number)) count++;
        if (pace.isDue) await pace.pause();
      }
    }
    return count;
  }
}

/** Restricts the executions to those that may have lines after the place. */
function fromPlace(query: LogQuery): LogQuery {
  const { after, descending, conditions } = query;
  if (!after) return query;
  const operator = descending ? "LESS_THAN_OR_EQUAL_TO" : "GREATER_THAN_OR_EQUAL_TO";
  return { ...query, conditions: [...conditions, { field: "timestamp", operator, at: after.key }] };
}

function placeOf(line: PlacedLine | undefined): LogPlace | undefined {
  return line && { key: line.key, executionId: line.executionId, number: line.number };
}

/** The place before all lines of that time; `undefined` if the search began there, since it would not advance. */
function placeAt(key: Instant | undefined, { after, descending }: LogQuery): LogPlace | undefined {
  if (key === undefined || !Number.isFinite(key) || key === after?.key) return undefined;
  return { key, executionId: descending ? AFTER_ALL_IDS : "", number: 0 };
}
