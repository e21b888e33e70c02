/** The heads of all flows, in memory: by tenant and name, and by number. */
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";

/** Flow heads of this server. Numbers are given once over all tenants. */
export class FlowHeads {
  readonly #byName = new Map<TenantId, Map<string, FlowHead>>();
  readonly #byNumber = new Map<number, FlowHead>();
  #lastNumber = 0;

  /** The head of a flow, deleted or not. */
  get(tenant: TenantId, key: FlowKey): FlowHead | undefined {
    return this.#byName.get(tenant)?.get(nameOf(key));
  }

  /** The head behind a flow number. */
  byNumber(flowNo: number): FlowHead | undefined {
    return this.#byNumber.get(flowNo);
  }

  /** All heads of a tenant. */
  of(tenant: TenantId): Iterable<FlowHead> {
    return this.#byName.get(tenant)?.values() ?? [];
  }

  /** All numbers given so far are below it. */
  get numberLimit(): number {
    return this.#lastNumber + 1;
  }

  /** Sets the head of a flow. */
  put(head: FlowHead): void {
    let heads = this.#byName.get(head.tenant);
    if (!heads) this.#byName.set(head.tenant, heads = new Map());
    heads.set(nameOf(head), head);
    this.#byNumber.set(head.flowNo, head);
    this.#lastNumber = Math.max(this.#lastNumber, head.flowNo);
  }

  /** A number that no flow has; the next call gives another one. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /** Forgets a tenant. */
  forget(tenant: TenantId): void {
    for (const head of this.of(tenant)) this.#byNumber.delete(head.flowNo);
    this.#byName.delete(tenant);
  }
}

function nameOf({ namespace, id }: FlowKey): string {
  return `${namespace}/${id}`;
}
