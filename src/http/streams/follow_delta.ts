/** The stream of an execution for those who keep what they were told: numbered events that say only what has changed. */
import type { Instant } from "../../base/clock.ts";
import { DeltaTracker } from "../../model/executions/execution_delta.ts";
import { FOLLOW_PAUSE_MS, type FollowTarget, Watch } from "./follow.ts";
import type { EventProducer } from "./sse.ts";

/** The number of the last event that a client saw, as it sends it when it comes back; `undefined` for none. */
export function readLastEventId(text: string | undefined): Instant | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Sends the whole execution, then what changes, until it ends. The number of an event is the time up to which it tells, in
 * milliseconds: a client that comes back with it is sent what has changed since then.
 */
export function deltaEvents(target: FollowTarget, lastEventId: Instant | undefined): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    const tracker = new DeltaTracker(lastEventId);
    for (let view = await watch.read(); view && !signal.aborted; view = await watch.read()) {
      const delta = tracker.next(view);
      if (delta) await writer.send({ id: String(delta.upTo), data: delta.data });
      if (view.hasEnded) return;
      await watch.pause(FOLLOW_PAUSE_MS);
      await watch.changed();
    }
  };
}
