/** The heads of all flows, in memory: by tenant and name, and by number; and the sort order of lists of flows. */
import { DomainError } from "../../model/errors.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";

/** One criterion of a sort order. */
export interface FlowSortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** Flow heads of this server. Flow numbers are unique over all tenants. */
export class FlowHeads {
  readonly #byName = new Map<TenantId, Map<string, FlowHead>>();
  readonly #byNumber = new Map<number, FlowHead>();
  #lastNumber = 0;

  /** The head of a flow, deleted or not. */
  get(tenant: TenantId, key: FlowKey): FlowHead | undefined {
    return this.#byName.get(tenant)?.get(flowName(key));
  }

  /** The head with that flow number. */
  byNumber(flowNo: number): FlowHead | undefined {
    return this.#byNumber.get(flowNo);
  }

  /** All heads of a tenant. */
  of(tenant: TenantId): Iterable<FlowHead> {
    return this.#byName.get(tenant)?.values() ?? [];
  }

  /** Upper bound, exclusive, of all flow numbers. */
  get numberLimit(): number {
    return this.#lastNumber + 1;
  }

  /** Sets the head of a flow. */
  put(head: FlowHead): void {
    let heads = this.#byName.get(head.tenant);
    if (!heads) this.#byName.set(head.tenant, heads = new Map());
    heads.set(flowName(head), head);
    this.#byNumber.set(head.flowNo, head);
    this.#lastNumber = Math.max(this.#lastNumber, head.flowNo);
  }

  /** A new flow number; each call returns another one. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /** Removes the heads of a tenant. */
  forget(tenant: TenantId): void {
    for (const head of this.of(tenant)) this.#byNumber.delete(head.flowNo);
    this.#byName.delete(tenant);
  }
}

/** Name of a flow, unique in its tenant: neither part contains a slash. */
export function flowName({ namespace, id }: FlowKey): string {
  return `${namespace}/${id}`;
}

const SORT_FIELDS = ["id", "namespace", "revision"] as const;

/** Sorts the heads in place. @throws DomainError invalid_argument: unknown field */
export function sortHeads(heads: FlowHead[], sort: readonly FlowSortKey[]): FlowHead[] {
  const keys = sort.map(({ field, descending }) => {
    const name = SORT_FIELDS.find((known) => known === field);
    if (name) return { name, sign: descending ? -1 : 1 };
    throw new DomainError(
      "invalid_argument",
      `Invalid sort parameter: flows have no field "${field}"; known are ${SORT_FIELDS.join(", ")}`,
    );
  });
  return heads.sort((a, b) => {
    for (const { name, sign } of keys) {
      if (a[name] !== b[name]) return a[name] < b[name] ? -sign : sign;
    }
    return 0;
  });
}
