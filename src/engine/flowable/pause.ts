/** `core.flow.Pause`: waits for a resume or for a time. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import { sequence } from "../branches.ts";
import type { Expiry, Flowable } from "./flowable.ts";
import { durationMsOf } from "./values.ts";

const EXPIRIES: readonly string[] = ["RESUME", "WARN", "FAIL", "CANCEL"];

/** Outputs when resumed: `onResume`, the given inputs, and `resumed`: by whom, when, and to which state. */
export const pause: Flowable = {
  kind: "core.flow.Pause",
  renders: ["pauseDuration", "delay", "timeout", "behavior"],
  begin(properties, now) {
    const { behavior } = properties;
    const delay = properties.pauseDuration ?? properties.delay;
    const dueAt = dueAfter(delay, now);
    const timeoutAt = dueAfter(properties.timeout, now);
    if (timeoutAt !== undefined && (dueAt === undefined || timeoutAt < dueAt)) {
      return { decision: { expiry: "FAIL" }, pause: { dueAt: timeoutAt } };
    }
    const expiry = String(behavior ?? "RESUME").toUpperCase();
    if (!EXPIRIES.includes(expiry)) {
      throw new Error(`Invalid behavior "${expiry}": it must be one of ${EXPIRIES.join(", ")}`);
    }
    return { decision: { expiry }, pause: { dueAt } };
  },
  branches: (place) => sequence(place.blocks.get("tasks")),
  hasOwnEnd: true,
  expiry: ({ expiry }) => expiry as Expiry,
};

function dueAfter(duration: JsonValue | undefined, now: Instant): Instant | undefined {
  if (duration === undefined || duration === null) return undefined;
  return now + durationMsOf(duration);
}
