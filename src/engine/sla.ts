/** Promises about executions, and what happens when one is broken. */
import type { Sla } from "../model/flows/flow.ts";
import { mergeLabels } from "../model/flows/label.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { FlowPlan } from "./plan.ts";
import { breakOff } from "./stop.ts";
import type { Transition } from "./transition.ts";

/** Sets the timers of maximal durations, when the execution starts. */
export function setSlaTimers(t: Transition): void {
  for (const sla of t.plan.flow.sla) {
    if (sla.type !== "MAX_DURATION" || sla.durationMs === undefined) continue;
    const dueAt = changedAt(t.execution.history) + sla.durationMs;
    t.ask({ type: "set_timer", timer: `sla/${slaKey(t.plan.flow.sla, sla)}`, dueAt });
  }
}

/** True when something is promised that must hold after every change. */
export function hasAssertions({ flow }: FlowPlan): boolean {
  return flow.sla.some(({ assertion }) => assertion !== undefined);
}

/** The time of a maximal duration is over. */
export function violateDuration(t: Transition, key: string): void {
  const sla = t.plan.flow.sla[Number(key)];
  if (sla) violate(t, sla);
}

/** Assertions that do not hold, by {@link slaKey}. */
export function applyViolations(t: Transition, violated: readonly string[]): void {
  for (const sla of t.plan.flow.sla) {
    if (sla.type === "EXECUTION_ASSERTION" && violated.includes(slaKey(t.plan.flow.sla, sla))) {
      violate(t, sla);
    }
  }
}

/** Two SLAs of a flow may share an id: their position tells them apart. */
export function slaKey(slas: readonly Sla[], sla: Sla): string {
  return `${slas.indexOf(sla)}`;
}

function violate(t: Transition, sla: Sla): void {
  const { execution } = t;
  if (isEnded(execution.history)) return;
  execution.labels = mergeLabels(execution.labels, sla.labels);
  if (sla.behavior === "NONE") return;
  t.log("ERROR", `SLA "${sla.id}" was violated`);
  breakOff(t, sla.behavior === "CANCEL" ? "CANCELLED" : "FAILED");
}
