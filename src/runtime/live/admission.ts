/** When executions start: at once, at their scheduled date, or when their flow has a free slot. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { Event } from "../../engine/events.ts";
import { replayExecution } from "../../engine/requests/replay.ts";
import { successorId } from "../../engine/attempts.ts";
import type { LiveExecution } from "./live_execution.ts";
import type { NewExecution } from "./messages.ts";
import type { Slots } from "./slots.ts";

/** Decides the first event of executions. */
export class Admission {
  readonly #clock: Clock;
  readonly #slots: Slots;

  constructor({ clock, slots }: { readonly clock: Clock; readonly slots: Slots }) {
    this.#clock = clock;
    this.#slots = slots;
  }

  /** Starts a new execution, or sets its start timer. */
  admit(live: LiveExecution): void {
    const { execution: { scheduleDate, timers } } = live;
    if (scheduleDate !== undefined && scheduleDate > this.#clock.now()) {
      timers.set("start", scheduleDate);
      live.timerChanges.push({ type: "set", name: "start", dueAt: scheduleDate });
      live.isDirty = true;
    } else live.events.push(this.startEvent(live));
  }

  /** The event that starts an execution now, or starts it again. */
  startEvent({ execution, plan }: LiveExecution): Event {
    const { concurrency } = plan.flow;
    const state = concurrency && this.#slots.admit(execution, concurrency);
    return state ? { type: "refused_slot", state } : { type: "started" };
  }

  /** Takes a slot of its flow regardless of the limit; stored by the next commit. */
  forceSlot({ execution, plan }: LiveExecution): void {
    if (plan.flow.concurrency) this.#slots.force(execution);
  }

  /** Creates the execution that replaces a retried one and starts at `at`. */
  startOver({ execution, plan, renderer: { outer } }: LiveExecution, at: Instant): NewExecution {
    const now = this.#clock.now();
    const scheduleDate = at > now ? at : undefined;
    const id = successorId(execution);
    const next = replayExecution(plan, execution, { id, now, isRetry: true, scheduleDate });
    if (scheduleDate === undefined) this.#slots.replace(execution, next);
    return { execution: next, plan, outer };
  }
}
