/** Finds the webhook trigger that a call addresses. */
import { ownProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { FlowKey, Trigger } from "../../model/flows/flow.ts";
import { isWebhookKind } from "../../model/triggers/webhook_kinds.ts";
import { constantTimeEqual } from "../../base/crypto/constant_time_equal.ts";
import type { TriggerIndex } from "../triggers/trigger_index.ts";
import type { RenderedKeys } from "./rendered_keys.ts";

const DUMMY_KEY = "no such key";

/** The address of a call. */
export interface WebhookAddress extends FlowKey {
  readonly key: string;
  /** The part of the URL after the key, with its slashes; may be empty. */
  readonly path: string;
}

interface MatchedWebhook {
  readonly trigger: Trigger;
  /** False for a disabled trigger: the caller must not learn that it exists. */
  readonly isOn: boolean;
}

/** Compares keys in constant time. */
export class WebhookKeys {
  readonly #rendered: RenderedKeys;
  readonly #index: TriggerIndex;

  constructor(rendered: RenderedKeys, index: TriggerIndex) {
    this.#rendered = rendered;
    this.#index = index;
  }

  /**
   * The first webhook trigger with that key and path; an enabled one is preferred. Every key is compared, or a dummy
   * without a webhook, so that timing reveals nothing.
   */
  async match(
    plan: FlowPlan | undefined,
    { key, path }: WebhookAddress,
  ): Promise<MatchedWebhook | undefined> {
    const triggers = plan?.flow.triggers.filter(({ kind }) => isWebhookKind(kind)) ?? [];
    let found: MatchedWebhook | undefined;
    for (const trigger of triggers) {
      const expected = await this.#rendered.of((plan as FlowPlan).flow, trigger);
      const isEqual = constantTimeEqual(expected ?? DUMMY_KEY, key) && expected !== undefined;
      if (!isEqual || !isPathOf(trigger, path)) continue;
      const isOn = this.#isOn(plan as FlowPlan, trigger);
      if (!found || isOn && !found.isOn) found = { trigger, isOn };
    }
    if (triggers.length === 0) constantTimeEqual(DUMMY_KEY, key);
    return found;
  }

  #isOn({ flow: { tenant, namespace, id } }: FlowPlan, trigger: Trigger): boolean {
    if (trigger.disabled) return false;
    return !this.#index.isDisabled(tenant, { namespace, flowId: id, triggerId: trigger.id });
  }
}

/** Slashes around a declared path do not matter. A trigger that declares none accepts no path, not even a slash. */
function isPathOf({ properties }: Trigger, path: string): boolean {
  const declared = bare(String(ownProperty(properties, "path") ?? ""));
  return declared === "" ? path === "" : declared === bare(path);
}

/** The path without leading and trailing slashes. Not by a regex, which is quadratic in the slashes of a caller. */
function bare(path: string): string {
  let start = 0;
  let end = path.length;
  while (path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  return path.slice(start, end);
}
