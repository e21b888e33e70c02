/** Limits key guessing and the call rate of webhooks; verifies signatures. */
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { networkOf } from "../../base/network/ip.ts";
import { isJsonObject, ownProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { DomainError, notFound } from "../../model/errors.ts";
import type { TenantId, Trigger } from "../../model/flows/flow.ts";
import { MAX_WRONG_WEBHOOK_KEYS, WRONG_WEBHOOK_KEYS_WINDOW_MS } from "../../model/limits.ts";
import { type CallLimit, CallWindows } from "./call_windows.ts";
import { FailureLimiter } from "../access/failure_limiter.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import { emptyText } from "./rendered_keys.ts";
import { checkSignature, signatureRuleOf, type SignedCall } from "./webhook_signature.ts";

interface WebhookGateDeps {
  readonly clock: Clock;
  readonly renderer: TriggerRenderer;
}

/** The sender of a call. */
export interface WebhookCaller {
  /** IP address. */
  readonly address: string;
  /** Tenant of the URL; it need not exist. */
  readonly tenant: string;
}

/** A webhook that was called. */
export interface CalledWebhook {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
}

/** Verifies the signature of a call. @throws DomainError forbidden */
export type VerifyCall = (call: SignedCall) => void;

const MAX_WINDOWS = 10_000;
const DEFAULT_PERIOD_MS = 60_000;
const WRONG_KEYS = {
  ofName: MAX_WRONG_WEBHOOK_KEYS,
  ofNetwork: 10 * MAX_WRONG_WEBHOOK_KEYS,
  windowMs: WRONG_WEBHOOK_KEYS_WINDOW_MS,
};

/** Counts in memory: a restart resets the counters. */
export class WebhookGate {
  readonly #deps: WebhookGateDeps;
  /** By network and tenant. */
  readonly #unknown = new FailureLimiter(WRONG_KEYS);
  /** By tenant: the calls of one must not drop the windows of another. */
  readonly #calls = new Map<TenantId, CallWindows>();

  constructor(deps: WebhookGateDeps) {
    this.#deps = deps;
  }

  /** The refusal of a call that matches no webhook: always the same not_found, too_many_requests after many of them. */
  unknown({ address, tenant }: WebhookCaller): DomainError {
    const place = { name: tenant, network: networkOf(address) };
    const nowMs = this.#deps.clock.monotonicMs();
    const waitMs = this.#unknown.waitMs(place, nowMs);
    if (waitMs === undefined) {
      this.#unknown.add(place, nowMs);
      // Clients know both sentences, of a flow and of a key; the response does not say which of them is true.
      return notFound("Webhook not found: Flow not found, or it has no webhook with this key");
    }
    const message = "Too many calls from this address have found no webhook: try again later";
    return new DomainError("too_many_requests", message, { retryAfter: secondsOf(waitMs) });
  }

  /** Counts a call with the right key; returns the refusal if it exceeds the rate limit of the trigger. */
  excess({ plan: { flow }, trigger }: CalledWebhook): DomainError | undefined {
    const limit = limitOf(trigger);
    if (!limit) return undefined;
    const name = [flow.namespace, flow.id, trigger.id].join("\n");
    const windows = this.#calls.get(flow.tenant) ?? new CallWindows(MAX_WINDOWS);
    this.#calls.set(flow.tenant, windows);
    const waitMs = windows.take(name, limit, this.#deps.clock.monotonicMs());
    if (waitMs === undefined) return undefined;
    const shown = `${limit.calls} calls in ${formatDuration(limit.periodMs)}`;
    const message = `Too many calls: the webhook takes ${shown}, try again later`;
    return new DomainError("too_many_requests", message, { retryAfter: secondsOf(waitMs) });
  }

  /** Drops the rate limits of a removed tenant. */
  forget(tenant: TenantId): void {
    this.#calls.delete(tenant);
  }

  /** The verifier of signatures; `undefined` if the trigger requires none. It refuses all calls if the secret is empty. */
  async verifierOf({ plan: { flow }, trigger }: CalledWebhook): Promise<VerifyCall | undefined> {
    const rule = signatureRuleOf(trigger);
    if (!rule) return undefined;
    const { clock, renderer } = this.#deps;
    const secret = rule.secret.includes("{")
      ? await renderer.text(flow, rule.secret, {}).catch(emptyText)
      : rule.secret;
    return (call) => {
      if (secret !== "") return checkSignature(rule, call, { secret, now: clock.now() });
      throw new DomainError(
        "forbidden",
        "Forbidden: the signature cannot be checked, the webhook has no secret",
      );
    };
  }
}

function limitOf({ properties }: Trigger): CallLimit | undefined {
  const given = ownProperty(properties, "rateLimit");
  if (!isJsonObject(given)) return undefined;
  const periodMs = readDuration(ownProperty(given, "period")) ?? DEFAULT_PERIOD_MS;
  return { calls: Number(ownProperty(given, "calls")), periodMs };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
