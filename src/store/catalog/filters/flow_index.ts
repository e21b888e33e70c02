/** Compiles conditions on flows into tables by flow number, so that a scan reads a byte instead of comparing names. */
import type { Clock } from "../../../base/time/clock.ts";
import { keyWeight, LruCache } from "../../../base/lru.ts";
import {
  type NameCondition,
  nameTest,
  type ScopeCondition,
  SYSTEM_NAMESPACE,
} from "../../../model/executions/execution_query.ts";
import type { FlowKey, TenantId } from "../../../model/flows/flow.ts";
import { filtersTooSlow, MAX_FILTER_MS } from "../../../model/list_filter.ts";
import type { Pace } from "../pace.ts";
import { FLOW_BITS, setBit } from "../rows/summary.ts";

/** The names of a flow. */
export interface FlowName extends FlowKey {
  readonly tenant: TenantId;
}

/** Looks up flow numbers. Names never change, and a deleted flow keeps its number. */
export interface FlowNames {
  /** The flow with that number. */
  readonly flowNames: (flowNo: number) => FlowName | undefined;
  /** All assigned numbers are smaller than this. */
  readonly flowLimit: () => number;
}

/** The flows that meet conditions. */
export interface FlowTable {
  /** 1 for each flow number that meets them. */
  readonly accepts: Uint8Array;
  /** The low bits of these numbers, as in the summary of a block. */
  readonly bits: Uint32Array;
  /** How many of all numbers these are, from 0 to 1. */
  readonly share: number;
}

/** Ranks of names in text order. An unassigned number has rank 0. */
export interface FlowRanks {
  /** By flow number. */
  readonly ranks: Float64Array;
  /** Lowest and highest rank by the low bits of the flow number, for the bounds of blocks. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
}

/** Small numbers for the names of flows. */
interface FlowCodes {
  /** By flow number; 0 for an unassigned one. */
  readonly codes: Uint32Array;
  /** By code. */
  readonly names: readonly (string | undefined)[];
}

/** A condition on the flow only; `word` must occur in its namespace and id. */
export type FlowCondition = NameCondition | ScopeCondition | {
  readonly field: "word";
  readonly word: string;
};

/** The tables of a query while they are made. */
interface TableWork {
  readonly limit: number;
  readonly pace: Pick<Pace, "isDue" | "pause">;
  /** Time that is left for comparisons. */
  leftMs: number;
}

const CACHED_TABLES = 64;
/** Flows between two looks at the clock. With a regular expression it is one: a match of 150 characters may take 90 ms. */
const FLOWS_BETWEEN_CHECKS = 64;

/** The flows of a tenant that meet the conditions of a query. */
export class FlowTables {
  /** All flow numbers that the tables know are smaller. */
  readonly limit: number;
  readonly #all: Uint8Array;
  readonly #byKey: ReadonlyMap<string, Uint8Array>;

  /** `all` has a 1 for each flow of the tenant. */
  constructor(all: Uint8Array, byKey: ReadonlyMap<string, Uint8Array>) {
    this.limit = all.length;
    this.#all = all;
    this.#byKey = byKey;
  }

  /** The flows that meet all conditions, each of which must be one of the query. */
  meeting(conditions: readonly FlowCondition[]): FlowTable {
    return tableOf(this.#acceptsOf(conditions));
  }

  /** The flows that do not meet all conditions. */
  failing(conditions: readonly FlowCondition[]): FlowTable {
    const accepts = this.#acceptsOf(conditions);
    for (let flowNo = 0; flowNo < accepts.length; flowNo++) {
      accepts[flowNo] = (this.#all[flowNo] as number) & ~(accepts[flowNo] as number);
    }
    return tableOf(accepts);
  }

  /** True if a flow meets the condition. */
  hasAny(condition: FlowCondition): boolean {
    return this.#byKey.get(keyOf(condition))?.includes(1) ?? false;
  }

  #acceptsOf(conditions: readonly FlowCondition[]): Uint8Array {
    const accepts = this.#all.slice();
    for (const condition of conditions) {
      const met = this.#byKey.get(keyOf(condition));
      for (let flowNo = 0; flowNo < accepts.length; flowNo++) {
        accepts[flowNo] = (accepts[flowNo] as number) & (met?.[flowNo] ?? 0);
      }
    }
    return accepts;
  }
}

/** Tables of flows, cached until a flow is added. */
export class FlowIndex {
  readonly #names: FlowNames;
  readonly #clock: Clock;
  readonly #tables = new LruCache<string, Uint8Array>(CACHED_TABLES);
  readonly #ranks = new LruCache<string, FlowRanks>(CACHED_TABLES);
  readonly #codes = new LruCache<string, FlowCodes>(CACHED_TABLES);
  #limit = -1;

  constructor(names: FlowNames, clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** Tables for these conditions, made at that pace. @throws DomainError invalid_filter: all comparisons together take too long */
  async tables(
    tenant: TenantId,
    conditions: readonly FlowCondition[],
    pace: Pick<Pace, "isDue" | "pause">,
  ): Promise<FlowTables> {
    this.#refresh();
    const limit = this.#limit;
    const work = { limit, pace, leftMs: MAX_FILTER_MS };
    const all = await this.#accepts(tenant, undefined, work);
    const byKey = new Map<string, Uint8Array>();
    for (const condition of conditions) {
      const key = keyOf(condition);
      if (!byKey.has(key)) byKey.set(key, await this.#accepts(tenant, condition, work));
    }
    return new FlowTables(all, byKey);
  }

  /** 1 for each flow of the tenant that meets the condition; without a condition, for each one. */
  async #accepts(
    tenant: TenantId,
    condition: FlowCondition | undefined,
    work: TableWork,
  ): Promise<Uint8Array> {
    const { limit, pace } = work;
    const key = `${tenant} ${condition ? keyOf(condition) : ""}`;
    const known = this.#limit === limit ? this.#tables.get(key) : undefined;
    if (known) return known;
    const test = condition ? testOf(condition) : () => true;
    const isPattern = condition !== undefined && "operator" in condition && condition.operator === "REGEX";
    const between = isPattern ? 1 : FLOWS_BETWEEN_CHECKS;
    const accepts = new Uint8Array(limit);
    let startedAt = this.#clock.monotonicMs();
    for (let flowNo = 0; flowNo < limit; flowNo++) {
      const flow = this.#names.flowNames(flowNo);
      if (flow?.tenant === tenant && test(flow)) accepts[flowNo] = 1;
      if (flowNo % between !== 0) continue;
      const now = this.#clock.monotonicMs();
      work.leftMs -= now - startedAt;
      startedAt = now;
      if (work.leftMs < 0) throw filtersTooSlow();
      if (!pace.isDue) continue;
      await pace.pause();
      startedAt = this.#clock.monotonicMs();
    }
    if (this.#limit === limit) this.#tables.set(key, accepts, keyWeight(key));
    return accepts;
  }

  /** The rank of the namespace or id of each flow of the tenant. */
  ranks(tenant: TenantId, field: "namespace" | "flowId"): FlowRanks {
    this.#refresh();
    const key = `${field}:${tenant}`;
    const known = this.#ranks.get(key);
    if (known) return known;
    const names = new Set<string>();
    const nameOf = (flow: FlowName) => field === "namespace" ? flow.namespace : flow.id;
    this.#forEach(tenant, (_flowNo, flow) => names.add(nameOf(flow)));
    const places = new Map([...names].sort().map((name, place) => [name, place]));
    const byNumber = new Float64Array(this.#limit);
    this.#forEach(tenant, (flowNo, flow) => byNumber[flowNo] = places.get(nameOf(flow)) ?? 0);
    const ranks = withBounds(byNumber);
    this.#ranks.set(key, ranks);
    return ranks;
  }

  /** Codes of the namespace or id of each flow of the tenant. */
  codes(tenant: TenantId, field: "namespace" | "flowId"): FlowCodes {
    this.#refresh();
    const key = `${field}:${tenant}`;
    const known = this.#codes.get(key);
    if (known) return known;
    const byName = new Map<string, number>();
    const codes = new Uint32Array(this.#limit);
    this.#forEach(tenant, (flowNo, flow) => {
      const name = field === "namespace" ? flow.namespace : flow.id;
      const code = byName.get(name) ?? byName.size + 1;
      byName.set(name, code);
      codes[flowNo] = code;
    });
    const made = { codes, names: [undefined, ...byName.keys()] };
    this.#codes.set(key, made);
    return made;
  }

  /** All assigned flow numbers are smaller. */
  get limit(): number {
    return this.#names.flowLimit();
  }

  /** The names of the flow with that number. */
  nameOf(flowNo: number): FlowName | undefined {
    return this.#names.flowNames(flowNo);
  }

  #refresh(): void {
    const limit = this.#names.flowLimit();
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#tables.clear();
    this.#ranks.clear();
    this.#codes.clear();
  }

  #forEach(tenant: TenantId, visit: (flowNo: number, flow: FlowName) => void): void {
    for (let flowNo = 0; flowNo < this.#limit; flowNo++) {
      const flow = this.#names.flowNames(flowNo);
      if (flow?.tenant === tenant) visit(flowNo, flow);
    }
  }
}

function keyOf(condition: FlowCondition): string {
  return JSON.stringify(condition);
}

function testOf(condition: FlowCondition): (flow: FlowName) => boolean {
  switch (condition.field) {
    case "word": {
      const word = condition.word.toLowerCase();
      return (flow) => `${flow.namespace}${flow.id}`.toLowerCase().includes(word);
    }
    case "scope":
      return (flow) => (flow.namespace === SYSTEM_NAMESPACE) === condition.system;
    default: {
      const { field, operator, values } = condition;
      const test = nameTest(operator, values);
      return (flow) => test(field === "namespace" ? flow.namespace : flow.id);
    }
  }
}

function withBounds(ranks: Float64Array): FlowRanks {
  // Rows of unknown flows have rank 0 with any bits.
  const lowest = new Float64Array(FLOW_BITS);
  const highest = new Float64Array(FLOW_BITS);
  for (let flowNo = 0; flowNo < ranks.length; flowNo++) {
    const bit = flowNo & (FLOW_BITS - 1);
    const rank = ranks[flowNo] as number;
    lowest[bit] = flowNo < FLOW_BITS ? rank : Math.min(lowest[bit] as number, rank);
    highest[bit] = Math.max(highest[bit] as number, rank);
  }
  return { ranks, lowest, highest };
}

function tableOf(accepts: Uint8Array): FlowTable {
  const bits = new Uint32Array(FLOW_BITS >> 5);
  let count = 0;
  for (let flowNo = 0; flowNo < accepts.length; flowNo++) {
    if (accepts[flowNo] !== 1) continue;
    setBit(bits, flowNo & (FLOW_BITS - 1));
    count++;
  }
  return { accepts, bits, share: count / Math.max(1, accepts.length) };
}

/** True when the two sets of low bits overlap. */
export function mayShareFlow(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if (((a[i] as number) & (b[i] as number)) !== 0) return true;
  return false;
}
