/** Log lines of a task run about executions that it has started and that have not succeeded. */
import type { TaskRun } from "../../model/executions/execution.ts";
import { isEnded, type State } from "../../model/executions/state.ts";
import type { EndReport } from "../events.ts";
import type { Transition } from "../transition.ts";

/** The end of a child execution. */
interface ChildEnd {
  readonly executionId: string;
  readonly state: State;
  readonly report?: EndReport;
}

/** Logs which execution ended in what state, and why. `fails`: the task run takes over the state. */
export function logChildEnd(
  t: Transition,
  taskRun: TaskRun,
  { end, fails, iteration }: { readonly end: ChildEnd; readonly fails: boolean; readonly iteration?: number },
): void {
  // Executions that are killed with the task run, or with this execution, are not logged: their end is the consequence.
  if (!end.report || t.state === "KILLING" || isEnded(taskRun.history)) return;
  const which = iteration === undefined ? "Execution" : `Iteration ${iteration}: execution`;
  const level = fails && end.state !== "WARNING" ? "ERROR" : "WARN";
  const { flow } = end.report;
  t.log(
    level,
    `${which} "${end.executionId}" of flow "${flow}" ended ${end.state}${causeOf(end.report)}`,
    taskRun,
  );
}

function causeOf({ task, lines = [] }: EndReport): string {
  const parts = [
    ...task === undefined ? [] : [`task "${task}"`],
    ...lines.length > 0 ? [lines.join("; ")] : [],
  ];
  return parts.map((part) => `: ${part}`).join("");
}
