/** The delta stream of an execution: numbered events with only the changed parts. */
import type { Instant } from "../../base/time/clock.ts";
import { DeltaTracker } from "../../model/executions/execution_delta.ts";
import { FOLLOW_PAUSE_MS, type FollowTarget, Watch } from "./follow.ts";
import type { EventProducer } from "./sse.ts";

/** The `Last-Event-ID` of a reconnecting client; `undefined` without a valid one. */
export function readLastEventId(text: string | undefined): Instant | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Sends the complete execution, then its changes, until it ends. The id of an event is the time in milliseconds up to which
 * it covers the changes: a client that reconnects with it gets only later ones.
 */
export function deltaEvents(target: FollowTarget, lastEventId: Instant | undefined): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    const tracker = new DeltaTracker(lastEventId, target.actor.durations);
    for (let view = await watch.read(); view && !signal.aborted; view = await watch.read()) {
      const delta = tracker.next(view);
      if (delta) await writer.send({ id: String(delta.upTo), data: delta.data });
      if (view.hasEnded) return;
      await watch.pause(FOLLOW_PAUSE_MS);
      await watch.changed();
    }
  };
}
