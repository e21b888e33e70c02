/** How executions begin: at once, at their time, or when the limit of their flow lets them. */
import type { Clock, Instant } from "../../base/clock.ts";
import type { Event } from "../../engine/events.ts";
import { replayExecution } from "../../engine/replay.ts";
import { successorId } from "../../engine/attempts.ts";
import type { LiveExecution } from "./live_execution.ts";
import type { NewExecution } from "./messages.ts";
import type { Slots } from "./slots.ts";

/** Decides with which event an execution begins. */
export class Admission {
  readonly #clock: Clock;
  readonly #slots: Slots;

  constructor(
    { clock, slots }: { readonly clock: Clock; readonly slots: Slots },
  ) {
    this.#clock = clock;
    this.#slots = slots;
  }

  /** Lets a new execution begin, or sets the timer that will. */
  admit(live: LiveExecution): void {
    const { execution: { scheduleDate, timers } } = live;
    if (scheduleDate !== undefined && scheduleDate > this.#clock.now()) {
      timers.set("start", scheduleDate);
      live.timerChanges.push({ type: "set", name: "start", dueAt: scheduleDate });
      live.isDirty = true;
    } else live.events.push(this.startEvent(live));
  }

  /** The event with which an execution begins now, or begins again. */
  startEvent({ execution, plan }: LiveExecution): Event {
    const { concurrency } = plan.flow;
    const state = concurrency && this.#slots.admit(execution, concurrency);
    return state ? { type: "refused_slot", state } : { type: "started" };
  }

  /** Takes a slot of its flow whatever the limit; stored with the next commit. */
  forceSlot({ execution, plan }: LiveExecution): void {
    if (plan.flow.concurrency) this.#slots.force(execution);
  }

  /** Makes the execution that takes the place of one that is tried again; it begins then. */
  startOver({ execution, plan, renderer: { outer } }: LiveExecution, at: Instant): NewExecution {
    const now = this.#clock.now();
    const scheduleDate = at > now ? at : undefined;
    const id = successorId(execution);
    const next = replayExecution(plan, execution, { id, now, isRetry: true, scheduleDate });
    return { execution: next, plan, outer };
  }
}
