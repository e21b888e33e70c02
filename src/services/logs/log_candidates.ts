/**
 * Which executions may have log lines that a search wants, in the order in which their lines come: by their ends for the
 * newest lines first, by their starts for the oldest. Known from rows of the catalog; no record is read.
 */
import type { Instant } from "../../base/clock.ts";
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

/** An execution whose lines are to be looked at. */
export interface Candidate {
  readonly id: string;
  /** Its lines take their places in the order as if none were later; `Infinity` for most that have not ended. */
  readonly latest: Instant;
  /** No line of it, or of a candidate after it, comes before this in the order of the search. */
  readonly bound: Instant;
}

/** Most that one search reads. */
export const MAX_CANDIDATES = 10_000;
/** Of the executions that have not ended, these are taken for writing now; older ones for having written when they began. */
const MAX_OPEN = 1_000;
/** Rows of the first look: it is mostly enough, and a hundredth of the work. */
const FIRST_LOOK = 256;
/** Tasks may still run after the end of their execution, and write lines. */
const AFTER_END_MS = 60_000;
const NONE: ExecutionCondition = { field: "state", states: [], negated: false };

/** One search's executions. */
export class LogCandidates {
  readonly #sources: readonly Source[];
  readonly #descending: boolean;
  /** One that ends meanwhile is in two sources. */
  readonly #taken = new Set<string>();
  #lastBound: Instant | undefined;

  constructor(catalog: Catalog, tenant: TenantId, query: LogQuery) {
    const ids = idsOf(query.conditions);
    this.#descending = query.descending;
    this.#sources = ids ? [new GivenIds(ids, query.descending)] : rowSources(catalog, tenant, query);
  }

  /** The next ones in order, as many as `count`; fewer at the end. */
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

  /** What no line comes before that is still to be found; `undefined` when nothing is. Behind {@link MAX_CANDIDATES} of a kind nothing was looked for. */
  async bound(): Promise<Instant | undefined> {
    const source = await this.#first();
    if (source) return (await source.peek())?.bound;
    return this.#sources.some((each) => each.isCut) ? this.#lastBound : undefined;
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
  readonly isCut: boolean;
  peek(): Promise<Candidate | undefined>;
  /** The one that {@link peek} gave. */
  shift(): Candidate;
}

/** Executions that are asked for by their ids, of whatever kind. */
class GivenIds implements Source {
  readonly isCut = false;
  readonly #candidates: Candidate[];

  constructor(ids: readonly string[], descending: boolean) {
    const bound = descending ? Infinity : -Infinity;
    this.#candidates = ids.map((id) => ({ id, latest: Infinity, bound }));
  }

  peek(): Promise<Candidate | undefined> {
    return Promise.resolve(this.#candidates[0]);
  }

  shift(): Candidate {
    return this.#candidates.shift() as Candidate;
  }
}

/** What a list of rows is asked, and where the lines of each belong. */
interface RowSourceOptions {
  readonly look: (size: number) => Promise<{ spans: readonly ExecutionSpan[]; total: number }>;
  readonly candidateOf: (span: ExecutionSpan, index: number) => Candidate;
}

/** Executions of a list of rows: some of them at first, then all. */
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

  async peek(): Promise<Candidate | undefined> {
    while (this.#waiting.length === 0 && this.#size < Math.min(this.#total, MAX_CANDIDATES)) {
      this.#size = this.#size === 0 ? FIRST_LOOK : MAX_CANDIDATES;
      const { spans, total } = await this.#options.look(this.#size);
      this.#total = total;
      // Those that ended since the first look have moved: they were given already, or are given now.
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
    const look = (size: number) =>
      catalog.spans(tenant, { ...rows, conditions, sort, page: 1, size } satisfies ExecutionQuery);
    return new RowSource({ look, candidateOf });
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

/** The executions that are named, when all lines must be of one of them. */
function idsOf(conditions: readonly LogCondition[]): readonly string[] | undefined {
  const named = conditions.find((condition) =>
    condition.field === "executionId" && (condition.operator === "EQUALS" || condition.operator === "IN")
  );
  return named?.field === "executionId" ? [...new Set(named.values)].filter(isId) : undefined;
}

/** No line is wanted that is older. */
function sinceOf(conditions: readonly LogCondition[]): Instant {
  const dates = conditions.filter((condition) => condition.field === "timestamp")
    .filter(({ operator }) => operator === "EQUALS" || operator.startsWith("GREATER_THAN"));
  return Math.max(0, ...dates.map(({ at }) => at));
}

/** What the conditions on lines mean for executions; a group that means nothing lets all of them through. */
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
      // What began later has no earlier line; how long it went on is asked of those that have ended alone.
      const isUntil = condition.operator === "EQUALS" || condition.operator.startsWith("LESS_THAN");
      return isUntil ? [{ field: "startDate", operator: "LESS_THAN_OR_EQUAL_TO", at: condition.at }] : [];
    }
    default:
      return [];
  }
}
