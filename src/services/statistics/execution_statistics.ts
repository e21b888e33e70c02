/** Numbers of executions by state over time, as front ends before custom dashboards show them. From the catalog: exact. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import type { TimeUnit } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import { type DomainError, illegalArgument } from "../../model/errors.ts";
import type { GroupKey, GroupValue } from "../../model/executions/execution_groups.ts";
import type { ExecutionConditions } from "../../model/executions/execution_query.ts";
import { type State, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { startedIn } from "../charts/execution_conditions.ts";
import { executionPieces } from "../executions/execution_pages.ts";
import type { ExecutionViews } from "../executions/execution_views.ts";
import { flowName } from "../flows/flow_heads.ts";
import {
  countsByState,
  type StateCell,
  stateEntries,
  type TimeParts,
  timeParts,
  windowOf,
} from "./time_entries.ts";

interface ExecutionStatisticsDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly views: ExecutionViews;
  readonly clock: Clock;
}

/** Which executions, in which window; by default the last 30 days. */
export interface StatisticsQuery {
  readonly conditions: ExecutionConditions;
  readonly start?: Instant;
  readonly end?: Instant;
}

/** Entries of one response. */
const MAX_ENTRIES = 100_000;
/** Executions that the list of the newest ones has at most. */
const MAX_NEWEST = 1_000;
const ENDED: ExecutionConditions = {
  conditions: [{ field: "state", states: [...TERMINAL_STATES], negated: false }],
  groups: [],
};
/** Stands for all flows of a namespace. */
const ALL_FLOWS = "*";

/** The use cases of these statistics. */
export class ExecutionStatistics {
  readonly #deps: ExecutionStatisticsDeps;

  constructor(deps: ExecutionStatisticsDeps) {
    this.#deps = deps;
  }

  /** An entry for each part of the window, also for those without executions. @throws DomainError invalid_argument: the window is wrong */
  async daily(actor: Actor, query: StatisticsQuery, unit?: TimeUnit): Promise<JsonObject[]> {
    const parts = timeParts(windowOf(query, this.#deps.clock.now()), unit);
    return stateEntries(parts, await this.#cells(actor, query, { parts, keys: [] }), actor);
  }

  /**
   * Entries as {@link daily} by namespace and flow, of all flows or of these; with `isByNamespace` the name of the flow is `*`.
   * @throws DomainError invalid_argument: the window is wrong, or there are too many flows
   */
  async dailyByFlow(
    actor: Actor,
    query: StatisticsQuery,
    { isByNamespace, flows }: { readonly isByNamespace: boolean; readonly flows?: readonly FlowKey[] },
  ): Promise<JsonObject> {
    const parts = timeParts(windowOf(query, this.#deps.clock.now()));
    const key: GroupKey = { field: isByNamespace && !flows ? "namespace" : "flow" };
    const cells = await this.#cells(actor, flows ? among(query, flows) : query, { parts, keys: [key] });
    const wanted = flows && new Set(flows.map(flowName));
    const chosen = wanted ? cells.filter(({ owner }) => wanted.has(flowName(owner))) : cells;
    const byNamespace = Map.groupBy(chosen, ({ owner }) => owner.namespace);
    const result: JsonObject = {};
    let entries = 0;
    for (const [namespace, ofNamespace] of byName(byNamespace)) {
      const ofFlows: JsonObject = {};
      const idOf = ({ owner }: OwnedCell) => isByNamespace ? ALL_FLOWS : owner.id;
      for (const [id, own] of byName(Map.groupBy(ofNamespace, idOf))) {
        entries += parts.starts.length;
        if (entries > MAX_ENTRIES) throw tooManyEntries();
        setOwnProperty(ofFlows, id, stateEntries(parts, own, actor));
      }
      setOwnProperty(result, namespace, ofFlows);
    }
    return result;
  }

  /** `{counts, total}` by namespace, the largest total first. @throws DomainError invalid_argument: the window is wrong */
  async byNamespace(actor: Actor, query: StatisticsQuery): Promise<JsonObject> {
    const conditions = startedIn(query.conditions, windowOf(query, this.#deps.clock.now()));
    const keys: GroupKey[] = [{ field: "namespace" }, { field: "state" }];
    const groups = await this.#deps.catalog.groups(actor.tenant, conditions, { keys, measures: [] });
    const byNamespace = Map.groupBy(groups, ({ values: [namespace] }) => String(namespace ?? ""));
    const counted = [...byNamespace].map(([namespace, own]) => {
      const states = new Map(own.map(({ values: [, state], count }) => [state as State, count]));
      return { namespace, states, total: own.reduce((sum, { count }) => sum + count, 0) };
    });
    const result: JsonObject = {};
    for (const { namespace, states, total } of counted.sort((a, b) => b.total - a.total)) {
      setOwnProperty(result, namespace, { counts: countsByState(states), total });
    }
    return result;
  }

  /** The newest execution that has ended of each of the flows, or of all flows, as JSON texts in pieces. @throws DomainError invalid_argument: there are too many */
  async newest(actor: Actor, flows?: readonly FlowKey[]): Promise<AsyncGenerator<string[]>> {
    const newest = await this.#deps.views.newest(actor, ENDED);
    const ids = flows
      ? flows.flatMap((flow) => newest.get(flowName(flow)) ?? [])
      : [...newest.values()].sort().reverse();
    if (ids.length > MAX_NEWEST) {
      throw illegalArgument(`there are executions of ${ids.length} flows; name at most ${MAX_NEWEST} flows`);
    }
    const { records, clock } = this.#deps;
    return executionPieces(records, {
      tenant: actor.tenant,
      ids,
      now: clock.now(),
      durations: actor.durations,
    });
  }

  async #cells(
    { tenant }: Actor,
    query: StatisticsQuery,
    { parts, keys }: { readonly parts: TimeParts; readonly keys: readonly GroupKey[] },
  ): Promise<OwnedCell[]> {
    const date: GroupKey = { field: "startDate", starts: parts.starts };
    const groups = await this.#deps.catalog.groups(tenant, startedIn(query.conditions, parts), {
      keys: [date, { field: "state" }, ...keys],
      measures: ["duration"],
    });
    return groups.map(({ values: [at, state, owner], count, measures: [durations] }) => ({
      at: at as Instant,
      state: state as State,
      owner: ownerOf(owner),
      count,
      durations,
    }));
  }
}

interface OwnedCell extends StateCell {
  readonly owner: FlowKey;
}

/** A flow, or all flows of a namespace; a removed flow has empty names. */
function ownerOf(value: GroupValue): FlowKey {
  if (typeof value === "object") return value;
  return { namespace: String(value ?? ""), id: value === undefined ? "" : ALL_FLOWS };
}

/** Executions whose flow has the namespace of one of the flows and the id of one of them: few more than are wanted. */
function among(
  { conditions: { conditions, groups }, ...rest }: StatisticsQuery,
  flows: readonly FlowKey[],
): StatisticsQuery {
  const namespaces = [...new Set(flows.map(({ namespace }) => namespace))];
  const ids = [...new Set(flows.map(({ id }) => id))];
  const names = [
    { field: "namespace", operator: "IN", values: namespaces },
    { field: "flowId", operator: "IN", values: ids },
  ] as const;
  return { ...rest, conditions: { conditions: [...conditions, ...names], groups } };
}

function byName<T>(groups: ReadonlyMap<string, T>): (readonly [name: string, group: T])[] {
  return [...groups].sort(([a], [b]) => a < b ? -1 : 1);
}

function tooManyEntries(): DomainError {
  return illegalArgument(
    `the statistics have more than ${MAX_ENTRIES} entries: choose fewer flows or a shorter time window`,
  );
}
