/**
 * Announcements of execution states to the triggers that react to them. An announcement is stored with the transition, and
 * deleted in the entry of what the reaction starts: a crash neither loses nor repeats a reaction.
 */
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { AnyAnnouncement } from "../model/triggers/announcement.ts";
import { isEnded } from "../model/executions/state.ts";
import type { LiveExecution } from "./live/live_execution.ts";

/** Triggers that react to states of executions. */
export interface Reactions {
  /** Announcements of the states from index `from` on. Called with each commit: must be quick if no trigger listens. */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly AnyAnnouncement[];
  /** Called once they are durable. */
  announced(announcements: readonly AnyAnnouncement[]): void;
}

/** Announcements of the states that the next commit makes durable; triggers do not react to passes of a Loop. */
export function newAnnouncements(live: LiveExecution, reactions: Reactions): readonly AnyAnnouncement[] {
  const { execution, plan } = live;
  const from = firstNewState(live);
  if (execution.history.length <= from || execution.loop) return NONE;
  return reactions.announcementsOf(execution, plan, from);
}

/** An execution may be created with states of another one, which are not new; its end before its first commit is new. */
function firstNewState({ execution: { history }, form, isBeforeFirstCommit }: LiveExecution): number {
  return isBeforeFirstCommit && isEnded(history)
    ? Math.min(form.storedStates, history.length - 1)
    : form.storedStates;
}

const NONE: readonly AnyAnnouncement[] = [];
