/** How many executions of a flow with a limit run. The number is counted from the executions themselves, never kept beside them. */
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import type { Flow, FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { Flows } from "../flows/flows.ts";

/** The slots of flows, as this service sees them. */
export interface SlotsPort {
  /** Executions of the flow that run now. */
  running(tenant: TenantId, flow: FlowKey): number;
  /** Gives free slots to those who wait. */
  grant(tenant: TenantId, flow: FlowKey, limit: number): void;
}

/** What the service works with. */
interface ConcurrencyLimitsDeps {
  readonly flows: Flows;
  readonly slots: SlotsPort;
}

/** A flow with a limit, and how many of its executions run. */
export interface LimitedFlow extends FlowKey {
  readonly tenant: TenantId;
  readonly running: number;
}

/** The use cases of concurrency limits. */
export class ConcurrencyLimits {
  readonly #deps: ConcurrencyLimitsDeps;

  constructor(deps: ConcurrencyLimitsDeps) {
    this.#deps = deps;
  }

  /** All flows with a limit, by namespace and id. */
  async list(actor: Actor): Promise<LimitedFlow[]> {
    const { flows } = this.#deps;
    const limited: LimitedFlow[] = [];
    for (const head of flows.select(actor, () => true)) {
      const flow = await flows.read(head);
      if (flow.concurrency) limited.push(this.#response(flow));
    }
    return limited;
  }

  /** How many executions of a flow run. @throws DomainError not_found: also for a flow without limit */
  async get(actor: Actor, key: FlowKey): Promise<LimitedFlow> {
    const { flow } = await this.#limited(actor, key);
    return this.#response(flow);
  }

  /** Gives free slots of a flow to those who wait, and counts again. @throws DomainError not_found: also for a flow without limit */
  async recount(actor: Actor, key: FlowKey): Promise<LimitedFlow> {
    const { flow, limit } = await this.#limited(actor, key);
    this.#deps.slots.grant(actor.tenant, key, limit);
    return this.#response(flow);
  }

  async #limited(actor: Actor, key: FlowKey): Promise<{ flow: Flow; limit: number }> {
    const flow = await this.#deps.flows.get(actor, key);
    if (flow.concurrency) return { flow, limit: flow.concurrency.limit };
    throw new DomainError(
      "not_found",
      `Not Found: flow "${key.namespace}.${key.id}" has no concurrency limit`,
    );
  }

  #response({ tenant, namespace, id }: Flow): LimitedFlow {
    return { tenant, namespace, id, running: this.#deps.slots.running(tenant, { namespace, id }) };
  }
}
