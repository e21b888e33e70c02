/** Executions started by a webhook call. The key is the only protection, so nothing tells which part of an address was wrong. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/execution.ts";
import type { FlowKey, TenantId, Trigger } from "../model/flow.ts";
import type { Executions } from "./executions.ts";
import type { Flows } from "./flows.ts";

/** The type of webhook triggers. */
export const WEBHOOK_TRIGGER = "core.trigger.Webhook";

/** What the webhooks service works with. */
export interface WebhooksDeps {
  readonly flows: Flows;
  readonly executions: Executions;
  /** Renders a trigger's key, which may be a secret; rejects when that cannot be done. */
  readonly renderKey: (tenant: TenantId, namespace: string, template: string) => Promise<string>;
}

/** A call as it came in: `body`, `headers` and `parameters`, the latter two with lists of texts. */
export type WebhookCall = JsonObject;

const DUMMY_KEY = "no such key";

/** The use cases of webhooks. */
export class Webhooks {
  readonly #deps: WebhooksDeps;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an execution of the flow whose webhook has that key; the answer's text.
   * @throws DomainError not_found for an unknown namespace, flow or key alike; conflict for a disabled flow
   */
  async call(
    tenant: TenantId,
    flowKey: FlowKey,
    key: string,
    readCall: () => Promise<WebhookCall>,
    urlOf: (execution: Execution) => string,
  ): Promise<string> {
    const plan = await this.#planOf(tenant, flowKey);
    const trigger = await this.#match(plan, key);
    if (!plan || !trigger) throw new DomainError("not_found", "Not Found: Webhook not found");
    if (plan.flow.disabled) {
      throw new DomainError("conflict", "Illegal state: Cannot execute a disabled flow");
    }
    const variables = await readCall();
    const { id, type } = trigger;
    const options = { labels: [], kind: "NORMAL", trigger: { id, type, variables }, urlOf } as const;
    return await this.#deps.executions.startByTrigger(plan, options);
  }

  async #planOf(tenant: TenantId, key: FlowKey): Promise<FlowPlan | undefined> {
    try {
      return await this.#deps.flows.plan(tenant, key);
    } catch (error) {
      if (error instanceof DomainError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  /** The first enabled webhook trigger with that key. Every key is compared, and a dummy when there is none, so that timing tells nothing. */
  async #match(plan: FlowPlan | undefined, key: string): Promise<Trigger | undefined> {
    const triggers =
      plan?.flow.triggers.filter(({ kind, disabled }) => kind === WEBHOOK_TRIGGER && !disabled) ?? [];
    let found: Trigger | undefined;
    for (const trigger of triggers) {
      const expected = await this.#keyOf(plan as FlowPlan, trigger);
      const isEqual = equalKeys(expected ?? DUMMY_KEY, key) && expected !== undefined;
      if (isEqual && !found) found = trigger;
    }
    if (triggers.length === 0) equalKeys(DUMMY_KEY, key);
    return found;
  }

  /** The rendered key; a key that cannot be rendered matches nothing. */
  async #keyOf({ flow }: FlowPlan, trigger: Trigger): Promise<string | undefined> {
    const template = String(trigger.properties.key ?? "");
    if (!template.includes("{")) return template.trim();
    const rendered = await this.#deps.renderKey(flow.tenant, flow.namespace, template).catch(() => undefined);
    const key = rendered?.trim();
    return key === "" ? undefined : key;
  }
}

/** Compares digests: neither the length nor the place of the first difference shows in the time it takes. */
function equalKeys(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
