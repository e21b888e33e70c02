/** A flow in a few lines, for the report of a failure. */
import type { FlowPlan } from "../../src/engine/plan.ts";
import type { Task } from "../../src/model/flows/flow.ts";

/** A line a task, indented by depth; lists by their names. */
export function flowText({ flow }: FlowPlan): string[] {
  const { retry, sla, outputs } = flow;
  const facts = [
    retry && `retry ${JSON.stringify(retry)}`,
    sla[0] && JSON.stringify(sla[0]),
    outputs[0] && "outputs",
  ];
  const lists = ["tasks", "errors", "finally", "afterExecution"] as const;
  return [
    `  flow ${facts.filter(Boolean).join(" ")}`,
    ...lists.flatMap((name) => listText(name, flow[name], "    ")),
  ];
}

function listText(name: string, tasks: readonly Task[], indent: string): string[] {
  return tasks.length === 0
    ? []
    : [`${indent}${name}:`, ...tasks.flatMap((task) => taskText(task, `${indent}  `))];
}

function taskText(task: Task, indent: string): string[] {
  const { id, kind, disabled, runIf, allowFailure, allowWarning, retry, dependsOn, listener, conditions } =
    task;
  const flags = Object.entries({ disabled, runIf, allowFailure, allowWarning }).filter(([, value]) => value);
  const facts = [
    ...flags.map(([name]) => name),
    retry && `retry ${retry.behavior} ${retry.intervalMs} x${retry.maxAttempts}`,
    listener !== undefined && `listener ${listener}${conditions ? " with conditions" : ""}`,
    dependsOn && dependsOn.length > 0 && `after ${dependsOn}`,
  ].filter(Boolean);
  return [
    `${indent}${id} ${kind.replace(/^core\.\w+\./, "")} ${facts.join(", ")}`,
    ...[...task.blocks].flatMap(([name, tasks]) => listText(name, tasks, `${indent}  `)),
  ];
}
