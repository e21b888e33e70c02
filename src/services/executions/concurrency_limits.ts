/** Number of running executions of flows with a concurrency limit; counted from the slots, never stored separately. */
import type { Actor } from "../../model/access/actor.ts";
import { notFound } from "../../model/errors.ts";
import type { Flow, FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Flows } from "../flows/flows.ts";

interface ConcurrencyLimitsDeps {
  readonly flows: Flows;
  readonly executor: Pick<Executor, "slots" | "grantSlots">;
}

/** A flow with a limit, and the number of its running executions. */
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
      const flow = await flows.read(actor, head);
      if (flow.concurrency) limited.push(this.#response(flow));
    }
    return limited;
  }

  /** The running executions of a flow. @throws DomainError not_found: also for a flow without limit */
  async get(actor: Actor, key: FlowKey): Promise<LimitedFlow> {
    const { flow } = await this.#limited(actor, key);
    return this.#response(flow);
  }

  /** Grants free slots of a flow to its queued executions, and counts again. @throws DomainError not_found: also for a flow without limit */
  async recount(actor: Actor, key: FlowKey): Promise<LimitedFlow> {
    const { flow, limit } = await this.#limited(actor, key);
    this.#deps.executor.grantSlots({ tenant: actor.tenant, namespace: key.namespace, flowId: key.id }, limit);
    return this.#response(flow);
  }

  async #limited(actor: Actor, key: FlowKey): Promise<{ flow: Flow; limit: number }> {
    const flow = await this.#deps.flows.get(actor, key);
    if (flow.concurrency) return { flow, limit: flow.concurrency.limit };
    throw notFound(`flow "${key.namespace}.${key.id}" has no concurrency limit`);
  }

  #response({ tenant, namespace, id }: Flow): LimitedFlow {
    const { running } = this.#deps.executor.slots.usageOf({ tenant, namespace, flowId: id, id: "" });
    return { tenant, namespace, id, running };
  }
}
