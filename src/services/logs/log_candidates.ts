/**
 * The executions that may have matching log lines, in the order of their lines: by end time for newest first, by start
 * time for oldest first. Taken from catalog rows; no record is read.
 */
import type { Instant } from "../../base/time/clock.ts";
import { isId } from "../../base/id.ts";
import type {
  ExecutionCondition,
  ExecutionConditions,
  ExecutionQuery,
  ExecutionSort,
} from "../../model/executions/execution_query.ts";
import { LOG_LEVELS, type TenantId } from "../../model/flows/flow.ts";
import type { LogCondition, LogQuery } from "../../model/executions/log_query.ts";
import { TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog, ExecutionSpan } from "../../store/catalog/catalog.ts";

/** An execution whose lines a search has to read. */
export interface Candidate {
  readonly id: string;
  /** Later lines are sorted as if they had this time; `Infinity` for most executions that have not ended. */
  readonly latest: Instant;
  /** In the order of the search, no line of this or a following candidate comes before this time. */
  readonly bound: Instant;
}

/** Executions of each kind (open, ended) that one search reads at most. */
export const MAX_CANDIDATES = 10_000;
/** So many of the newest open executions are assumed to write lines now; older ones only at their start. */
const MAX_OPEN = 1_000;
/** Rows of the first query: mostly enough, and a hundredth of the work. */
const FIRST_ROWS = 256;
/** Each further query reads so many times the rows of the one before. */
const GROWTH = 6;
/** Tasks may still run, and write lines, after the end of their execution. */
const AFTER_END_MS = 60_000;
const NONE: ExecutionCondition = { field: "state", states: [], negated: false };

/** The candidates of one search. */
export class LogCandidates {
  readonly #sources: readonly Source[];
  readonly #descending: boolean;
  /** An execution that ends during the search is in two sources. */
  readonly #taken = new Set<string>();
  #lastBound: Instant | undefined;

  constructor(catalog: Catalog, tenant: TenantId, query: LogQuery) {
    const ids = idsOf(query.conditions);
    this.#descending = query.descending;
    this.#sources = ids ? [new GivenIds(ids, query.descending)] : rowSources(catalog, tenant, query);
  }

  /** The next `count` candidates in order; fewer at the end. */
  async take(count: number): Promise<Candidate[]> {
    const taken: Candidate[] = [];
    while (taken.length < count) {
      const source = await this.#first();
      if (!source) break;
      const next = source.shift();
      if (this.#taken.has(next.id)) continue;
      this.#taken.add(next.id);
      taken.push(next);
      this.#lastBound = next.bound;
    }
    return taken;
  }

  /** The time before which all lines have been found; `undefined` if there are no further lines. Candidates behind {@link MAX_CANDIDATES} count as further ones. */
  async bound(): Promise<Instant | undefined> {
    const source = await this.#first();
    if (source) return (await source.peek())?.bound;
    return this.#sources.some((each) => each.isCut) ? this.#lastBound : undefined;
  }

  /** Executions that may have matching lines. */
  async count(): Promise<number> {
    await this.#first();
    return this.#sources.reduce((sum, { count }) => sum + count, 0);
  }

  async #first(): Promise<Source | undefined> {
    let found: { source: Source; bound: Instant } | undefined;
    for (const source of this.#sources) {
      const next = await source.peek();
      if (!next) continue;
      const isSooner = !found || (this.#descending ? next.bound > found.bound : next.bound < found.bound);
      if (isSooner) found = { source, bound: next.bound };
    }
    return found?.source;
  }
}

/** Candidates of one kind, in order. */
interface Source {
  /** True if there are more than {@link MAX_CANDIDATES}. */
  readonly isCut: boolean;
  /** Executions of the kind, once {@link peek} was called. */
  readonly count: number;
  peek(): Promise<Candidate | undefined>;
  /** Removes the candidate that {@link peek} returned. */
  shift(): Candidate;
}

/** Executions that the query names by id. */
class GivenIds implements Source {
  readonly isCut = false;
  readonly count: number;
  readonly #candidates: Candidate[];

  constructor(ids: readonly string[], descending: boolean) {
    const bound = descending ? Infinity : -Infinity;
    this.count = ids.length;
    this.#candidates = ids.map((id) => ({ id, latest: Infinity, bound }));
  }

  peek(): Promise<Candidate | undefined> {
    return Promise.resolve(this.#candidates[0]);
  }

  shift(): Candidate {
    return this.#candidates.shift() as Candidate;
  }
}

interface RowSourceOptions {
  readonly read: (size: number) => Promise<{ spans: readonly ExecutionSpan[]; total: number }>;
  readonly candidateOf: (span: ExecutionSpan, index: number) => Candidate;
}

/** Executions of catalog rows: first {@link FIRST_ROWS}, at last {@link MAX_CANDIDATES}. */
class RowSource implements Source {
  readonly #options: RowSourceOptions;
  readonly #given = new Set<string>();
  #waiting: Candidate[] = [];
  #size = 0;
  #total = Infinity;

  constructor(options: RowSourceOptions) {
    this.#options = options;
  }

  get isCut(): boolean {
    return this.#size === MAX_CANDIDATES && this.#total > MAX_CANDIDATES;
  }

  get count(): number {
    return this.#total;
  }

  async peek(): Promise<Candidate | undefined> {
    while (this.#waiting.length === 0 && this.#size < Math.min(this.#total, MAX_CANDIDATES)) {
      this.#size = this.#size === 0 ? FIRST_ROWS : Math.min(this.#size * GROWTH, MAX_CANDIDATES);
      const { spans, total } = await this.#options.read(this.#size);
      this.#total = total;
      // Executions that ended since the first query have moved: they were returned before, or are returned now.
      this.#waiting = spans.map(this.#options.candidateOf).filter(({ id }) => !this.#given.has(id));
    }
    return this.#waiting[0];
  }

  shift(): Candidate {
    const next = this.#waiting.shift() as Candidate;
    this.#given.add(next.id);
    return next;
  }
}

function rowSources(catalog: Catalog, tenant: TenantId, query: LogQuery): Source[] {
  const since = sinceOf(query.conditions);
  const states = [...TERMINAL_STATES];
  const open: ExecutionCondition = { field: "state", states, negated: true };
  const ended: ExecutionCondition = {
    field: "endDate",
    operator: "GREATER_THAN_OR_EQUAL_TO",
    at: since - AFTER_END_MS,
  };
  const rows = rowConditions(query);
  const source = (
    kind: ExecutionCondition,
    field: ExecutionSort["field"],
    candidateOf: RowSourceOptions["candidateOf"],
  ) => {
    const sort = [{ field, descending: query.descending }];
    const conditions = [kind, ...rows.conditions];
    const read = (size: number) =>
      catalog.spans(tenant, { ...rows, conditions, sort, page: 1, size } satisfies ExecutionQuery);
    return new RowSource({ read, candidateOf });
  };
  if (!query.descending) {
    const byStart = ({ id, startAt }: ExecutionSpan) => ({ id, latest: Infinity, bound: startAt });
    return [source(open, "state.startDate", byStart), source(ended, "state.startDate", byStart)];
  }
  return [
    source(open, "state.startDate", ({ id, startAt }, index) => {
      const latest = index < MAX_OPEN ? Infinity : startAt;
      return { id, latest, bound: latest };
    }),
    source(
      ended,
      "state.endDate",
      ({ id, startAt, endAt = startAt }) => ({ id, latest: endAt, bound: endAt }),
    ),
  ];
}

/** The execution ids that the conditions name; `undefined` if they do not limit the executions by id. */
function idsOf(conditions: readonly LogCondition[]): readonly string[] | undefined {
  const named = conditions.find((condition) =>
    condition.field === "executionId" && (condition.operator === "EQUALS" || condition.operator === "IN")
  );
  return named?.field === "executionId" ? [...new Set(named.values)].filter(isId) : undefined;
}

/** The earliest time of a matching line. */
function sinceOf(conditions: readonly LogCondition[]): Instant {
  const dates = conditions.filter((condition) => condition.field === "timestamp")
    .filter(({ operator }) => operator === "EQUALS" || operator.startsWith("GREATER_THAN"));
  return Math.max(0, ...dates.map(({ at }) => at));
}

/** The conditions on executions that follow from conditions on lines. A group without any of them matches all executions. */
function rowConditions({ conditions, groups }: LogQuery): ExecutionConditions {
  const isLogged: ExecutionCondition = { field: "maxLogLevel", least: "TRACE" };
  const ofGroups = groups.map((group) => group.flatMap(rowConditionsOf));
  return {
    conditions: [isLogged, ...conditions.flatMap(rowConditionsOf)],
    groups: ofGroups.some((group) => group.length === 0) ? [] : ofGroups,
  };
}

function rowConditionsOf(condition: LogCondition): ExecutionCondition[] {
  switch (condition.field) {
    case "namespace":
    case "flowId":
      return [{ ...condition, field: condition.field }];
    case "scope":
      return [condition];
    case "level": {
      const least = LOG_LEVELS.find((level) => condition.levels.includes(level));
      return [least ? { field: "maxLogLevel", least } : NONE];
    }
    case "timestamp": {
      // An execution that started later has no earlier line. Lower bounds are applied to ended executions only.
      const isUntil = condition.operator === "EQUALS" || condition.operator.startsWith("LESS_THAN");
      return isUntil ? [{ field: "startDate", operator: "LESS_THAN_OR_EQUAL_TO", at: condition.at }] : [];
    }
    default:
      return [];
  }
}
