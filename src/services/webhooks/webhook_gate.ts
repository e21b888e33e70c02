/** Who gets through to a webhook: not who tries keys, not more calls than its trigger takes, nobody whose signature is wrong. */
import type { Clock } from "../../base/clock.ts";
import { formatDuration, parseDuration } from "../../base/duration.ts";
import { parseIp } from "../../base/ip.ts";
import { isJsonObject, ownProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { DomainError } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";
import { MAX_WRONG_WEBHOOK_KEYS, WRONG_WEBHOOK_KEYS_WINDOW_MS } from "../../model/limits.ts";
import { type CallLimit, CallWindows } from "./call_windows.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import { checkSignature, signatureRuleOf, type SignedCall } from "./webhook_signature.ts";

/** What the gate works with. */
interface WebhookGateDeps {
  readonly clock: Clock;
  readonly renderer: TriggerRenderer;
}

/** Who calls. */
export interface WebhookCaller {
  /** IP address. */
  readonly address: string;
  /** Tenant as the address of the call names it; it need not exist. */
  readonly tenant: string;
}

/** A webhook that was called. */
export interface CalledWebhook {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
}

/** Refuses a call that is not signed as it must be. @throws DomainError forbidden */
export type VerifyCall = (call: SignedCall) => void;

/** Windows that are counted in. */
const MAX_WINDOWS = 10_000;
/** Characters of a tenant's name that count: those that exist are shorter. */
const MAX_TENANT_CHARS = 100;
/** Bytes of an IPv6 address that a site is given: it has all addresses that begin with them. */
const NETWORK_BYTES = 8;
const DEFAULT_PERIOD_MS = 60_000;
const WRONG_KEYS: CallLimit = { calls: MAX_WRONG_WEBHOOK_KEYS, periodMs: WRONG_WEBHOOK_KEYS_WINDOW_MS };

/** Counts in memory: a restart begins anew. */
export class WebhookGate {
  readonly #deps: WebhookGateDeps;
  readonly #unknown = new CallWindows(MAX_WINDOWS);
  readonly #calls = new CallWindows(MAX_WINDOWS);

  constructor(deps: WebhookGateDeps) {
    this.#deps = deps;
  }

  /** What a call is refused with that has found no webhook: the one not_found, too_many_requests after many of them. */
  unknown({ address, tenant }: WebhookCaller): DomainError {
    const name = `${networkOf(address)}\n${tenant.slice(0, MAX_TENANT_CHARS)}`;
    const waitMs = this.#unknown.take(name, WRONG_KEYS, this.#deps.clock.monotonicMs());
    if (waitMs === undefined) return new DomainError("not_found", "Not Found: Webhook not found");
    const message = "Too many calls from this address have found no webhook: try again later";
    return new DomainError("too_many_requests", message, { retryAfter: secondsOf(waitMs) });
  }

  /** Counts a call with the right key; what it is refused with when there were too many. */
  excess({ plan: { flow }, trigger }: CalledWebhook): DomainError | undefined {
    const limit = limitOf(trigger);
    if (!limit) return undefined;
    const name = [flow.tenant, flow.namespace, flow.id, trigger.id].join("\n");
    const waitMs = this.#calls.take(name, limit, this.#deps.clock.monotonicMs());
    if (waitMs === undefined) return undefined;
    const shown = `${limit.calls} calls in ${formatDuration(limit.periodMs)}`;
    const message = `Too many calls: the webhook takes ${shown}, try again later`;
    return new DomainError("too_many_requests", message, { retryAfter: secondsOf(waitMs) });
  }

  /** What checks the signature of calls; `undefined` where none is asked for. Without a secret nobody gets through. */
  async verifierOf({ plan: { flow }, trigger }: CalledWebhook): Promise<VerifyCall | undefined> {
    const rule = signatureRuleOf(trigger);
    if (!rule) return undefined;
    const { clock, renderer } = this.#deps;
    const secret = rule.secret.includes("{")
      ? await renderer.text(flow, rule.secret, {}).catch(() => "")
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
  const periodMs = parseDuration(String(ownProperty(given, "period") ?? "")) ?? DEFAULT_PERIOD_MS;
  return { calls: Number(ownProperty(given, "calls")), periodMs };
}

function networkOf(address: string): string {
  const bytes = parseIp(address);
  return bytes && bytes.length > 4 ? bytes.slice(0, NETWORK_BYTES).join(".") : address;
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
