/** Flows that are a little simpler than a given one: a task less, a task without its children, a property less. */
import type { Flow, Task } from "../../src/model/flows/flow.ts";
import { task } from "../support/flows/flows.ts";

const LISTS = ["tasks", "errors", "finally", "afterExecution"] as const;

/** All flows that differ from `flow` in one thing that was taken away, the largest first. */
export function* simplerFlows(flow: Flow): Generator<Flow> {
  for (const name of LISTS) {
    if (name !== "tasks" && flow[name].length > 0) yield { ...flow, [name]: [] };
    for (const list of simplerLists(flow[name])) if (list.length > 0) yield { ...flow, [name]: list };
  }
  if (flow.retry) yield { ...flow, retry: undefined };
  if (flow.sla.length > 0) yield { ...flow, sla: [] };
  if (flow.outputs.length > 0) yield { ...flow, outputs: [] };
}

function* simplerLists(list: readonly Task[]): Generator<readonly Task[]> {
  for (let index = 0; index < list.length; index++) yield list.toSpliced(index, 1);
  for (const [index, member] of list.entries()) {
    for (const children of member.blocks.values()) yield list.toSpliced(index, 1, ...children);
    for (const simpler of simplerTasks(member)) yield list.with(index, simpler);
  }
}

function* simplerTasks(member: Task): Generator<Task> {
  const { id, type, kind, blocks, runIf, retry, disabled, allowFailure, allowWarning, dependsOn } = member;
  if (kind !== "core.debug.Return") {
    yield { ...task(id, "io.svc.plugin.core.debug.Return"), dependsOn };
  }
  if (runIf !== undefined || retry || disabled || allowFailure || allowWarning) {
    yield { ...task(id, type), blocks, dependsOn };
  }
  if (runIf !== undefined) yield { ...member, runIf: undefined };
  if (retry) yield { ...member, retry: undefined };
  if (disabled) yield { ...member, disabled: false };
  if (allowFailure) yield { ...member, allowFailure: false };
  if (allowWarning) yield { ...member, allowWarning: false };
  for (const [name, children] of blocks) {
    const others = [...blocks].filter(([other]) => other !== name);
    yield { ...member, blocks: new Map(others) };
    for (const list of simplerLists(children)) {
      if (list.length > 0) yield { ...member, blocks: new Map([...others, [name, list]]) };
    }
  }
}
