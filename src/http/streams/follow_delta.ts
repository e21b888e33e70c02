/** The delta stream of an execution: numbered events with only the changed parts. */
import type { Actor } from "../../model/access/actor.ts";
import type { Instant } from "../../base/time/clock.ts";
import { DeltaTracker } from "../../model/executions/execution_delta.ts";
import { FOLLOW_PAUSE_MS, type FollowTarget, Watch } from "./follow.ts";
import type { EventProducer } from "./sse.ts";

const ENCODER = new TextEncoder();

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
    const send = async () => {
      const current = await currentDelta(watch, tracker, target.actor);
      if (current?.event && !signal.aborted) await writer.send(current.event);
      return current?.hasEnded === false;
    };
    while (!signal.aborted && await send()) {
      await watch.pause(FOLLOW_PAUSE_MS);
      await watch.changed();
    }
  };
}

/** Without the view, as clients that do not read wait. There is no event if nothing has changed. */
async function currentDelta(watch: Watch, tracker: DeltaTracker, { durations }: Actor) {
  const view = await watch.read();
  const delta = view && tracker.next(view);
  if (!delta) return view && { hasEnded: view.hasEnded };
  const id = String(delta.upTo);
  const members = delta.members.join(",");
  if (!delta.isSnapshot) return { event: { id, data: `{${members}}` }, hasEnded: view.hasEnded };
  const end = members === "" ? "}" : `,${members}}`;
  const data = [ENCODER.encode('{"execution":'), await view.bytes(durations), ENCODER.encode(end)];
  return { event: { id, data }, hasEnded: view.hasEnded };
}
