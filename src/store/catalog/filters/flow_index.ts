/** Compiles conditions on flows into tables by flow number, so that a scan reads a byte instead of comparing names. */
import type { Clock } from "../../../base/time/clock.ts";
import { keyWeight, LruCache } from "../../../base/lru.ts";
import {
  matchesName,
  type NameCondition,
  type ScopeCondition,
  SYSTEM_NAMESPACE,
} from "../../../model/executions/execution_query.ts";
import { DomainError } from "../../../model/errors.ts";
import type { FlowKey, TenantId } from "../../../model/flows/flow.ts";
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

const CACHED_TABLES = 64;
/** Comparing names takes 3 ms for 10,000 flows; only a malicious regular expression takes longer than this. */
const MAX_TABLE_MS = 500;

/** Tables of flows, cached until a flow is added. */
export class FlowIndex {
  readonly #names: FlowNames;
  readonly #clock: Clock;
  readonly #tables = new LruCache<string, FlowTable>(CACHED_TABLES);
  readonly #ranks = new LruCache<string, FlowRanks>(CACHED_TABLES);
  readonly #codes = new LruCache<string, FlowCodes>(CACHED_TABLES);
  #limit = -1;

  constructor(names: FlowNames, clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** The flows of a tenant that meet all conditions. @throws DomainError invalid_filter: the comparison takes too long */
  table(tenant: TenantId, conditions: readonly FlowCondition[]): FlowTable {
    this.#refresh();
    const key = JSON.stringify([tenant, conditions]);
    const known = this.#tables.get(key);
    if (known) return known;
    const tests = conditions.map(testOf);
    const accepts = new Uint8Array(this.#limit);
    const startedAt = this.#clock.monotonicMs();
    this.#forEach(tenant, (flowNo, flow) => {
      if (this.#clock.monotonicMs() - startedAt > MAX_TABLE_MS) throw tooSlow();
      if (tests.every((test) => test(flow))) accepts[flowNo] = 1;
    });
    const table = tableOf(accepts);
    this.#tables.set(key, table, keyWeight(key));
    return table;
  }

  /** The flows of the tenant that are not in `table`. */
  complement(tenant: TenantId, table: FlowTable): FlowTable {
    const accepts = new Uint8Array(table.accepts.length);
    this.#forEach(tenant, (flowNo) => accepts[flowNo] = 1 - (table.accepts[flowNo] ?? 0));
    return tableOf(accepts);
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

function tooSlow(): DomainError {
  return new DomainError(
    "invalid_filter",
    "Invalid filter: comparing the names of all flows takes too long; a simpler regular expression may help",
  );
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
      return (flow) => matchesName(operator, values, field === "namespace" ? flow.namespace : flow.id);
    }
  }
}

function withBounds(ranks: Float64Array): FlowRanks {
  // Rows of unknown flows have rank 0 with any bits.
  const lowest = new Float64Array(FLOW_BITS);
  const highest = new Float64Array(FLOW_BITS);
  for (let bit = 0; bit < FLOW_BITS; bit++) {
    const ofBit = ranks.filter((_, flowNo) => (flowNo & (FLOW_BITS - 1)) === bit);
    lowest[bit] = ofBit.length > 0 ? Math.min(...ofBit) : 0;
    highest[bit] = Math.max(0, ...ofBit);
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
