/** SLAs of executions, and the effect of a violation. */
import type { Sla } from "../../model/flows/flow.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { hasLabel, mergeLabels } from "../../model/flows/label.ts";
import { changedAt, isEnded, startedAt } from "../../model/executions/state.ts";
import type { FlowPlan } from "../plan.ts";
import { abortExecution } from "./stop.ts";
import type { Transition } from "../transition.ts";

/** Sets the timers of maximal durations at the start of the execution. */
export function setSlaTimers(t: Transition): void {
  for (const sla of t.plan.flow.sla) {
    if (sla.type !== "MAX_DURATION" || sla.durationMs === undefined) continue;
    const dueAt = changedAt(t.execution.history) + sla.durationMs;
    t.emit({ type: "set_timer", timer: `sla/${slaKey(t.plan.flow.sla, sla)}`, dueAt });
  }
}

/** True when the flow has SLA assertions, which must hold after every change. */
export function hasAssertions({ flow }: FlowPlan): boolean {
  return flow.sla.some(({ assertion }) => assertion !== undefined);
}

/** Applies the end of a maximal duration. */
export function violateDuration(t: Transition, key: string): void {
  const sla = t.plan.flow.sla[Number(key)];
  if (sla) violate(t, sla);
}

/** Applies violated assertions, given by {@link slaKey}. */
export function applyViolations(t: Transition, violated: readonly string[]): void {
  for (const sla of t.plan.flow.sla) {
    if (sla.type === "EXECUTION_ASSERTION" && violated.includes(slaKey(t.plan.flow.sla, sla))) {
      violate(t, sla);
    }
  }
}

/** The position of an SLA: two SLAs of a flow may share an id. */
export function slaKey(slas: readonly Sla[], sla: Sla): string {
  return `${slas.indexOf(sla)}`;
}

function violate(t: Transition, sla: Sla): void {
  const { execution } = t;
  if (isEnded(execution.history) || execution.isAborting) return;
  // An assertion that does not end the execution is violated again after each change.
  const isRepeated = sla.behavior === "NONE" && sla.type === "EXECUTION_ASSERTION" &&
    sla.labels.every((label) => hasLabel(execution.labels, label));
  if (isRepeated) return;
  execution.labels = mergeLabels(execution.labels, sla.labels);
  const violation = `SLA '${sla.id}' violated: ${reasonOf(t, sla)}`;
  t.log("WARN", violation);
  if (sla.behavior === "NONE") return;
  if (sla.behavior === "FAIL") t.log("ERROR", `Execution failed due to ${violation}`);
  abortExecution(t, sla.behavior === "CANCEL" ? "CANCELLED" : "FAILED");
}

function reasonOf({ execution, now }: Transition, { assertion, durationMs = 0 }: Sla): string {
  if (assertion !== undefined) return `assertion is false: ${assertion}.`;
  const duration = formatDuration(now - startedAt(execution.history));
  return `execution duration of ${duration} exceed the maximum duration of ${formatDuration(durationMs)}.`;
}
