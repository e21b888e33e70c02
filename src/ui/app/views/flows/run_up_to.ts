/** Runs of a flow that end at a chosen task: the tasks that follow it are breakpoints. */
import { get } from "../../api/client.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import type { FlowGraph } from "../../kit/graph_layout.ts";
import { isDeclaredTask } from "../../kit/graph_tasks.ts";

/** The nearest ones stop the execution; the others only matter where these are skipped. An address has limited room. */
const MAX_BREAKPOINTS = 100;
/** Edges of handlers: these are entered only after a failure, or when the flow ends. */
const LATE: ReadonlySet<string> = new Set(["ERROR", "FINALLY", "AFTER_EXECUTION"]);
/** Where handlers are entered; within one, its tasks follow each other. */
const ENTRY = /\.@(?:root|finally|afterExecution)$/;

/** The value of the parameter `breakpoints` with which a flow stops after a task. @throws ApiError */
export async function breakpointsOf({ namespace, id }: FlowKey, taskId: string): Promise<string> {
  const graph = await get<FlowGraph>(`${apiPath("flows", namespace, id)}/graph`);
  return tasksAfter(graph, taskId).join(",");
}

/** Ids of the tasks that follow a task and what is in it, nearest first. */
export function tasksAfter({ nodes, edges }: FlowGraph, taskId: string): readonly string[] {
  const start = nodes.find(({ task }) => task?.id === taskId)?.uid;
  if (start === undefined) return [];
  const tasks = new Map(nodes.filter(isDeclaredTask).map(({ uid, task }) => [uid, task?.id]));
  const reached = new Set([start]);
  const found: string[] = [];
  // A set is iterated over what is added meanwhile, too.
  for (const uid of reached) {
    const task = tasks.get(uid);
    if (task !== undefined && uid !== start && !uid.startsWith(`${start}.`)) found.push(task);
    for (const { source, target, relation } of edges) {
      if (source !== uid) continue;
      if (!ENTRY.test(source) || !LATE.has(relation?.relationType ?? "")) reached.add(target);
    }
  }
  return found.slice(0, MAX_BREAKPOINTS);
}
