/** Which nodes of a graph the flow declares. */
import type { FlowGraph, PlacedNode } from "./graph_layout.ts";

/** The node of a task that the flow declares: a ForEachItem has internal tasks, too. */
export function isDeclaredTask({ task }: FlowGraph["nodes"][number]): boolean {
  return task !== undefined && !isInternal(task.type);
}

/** The id of the task or trigger to which a node belongs in the source of the flow. */
export function declaredIdOf({ uid, id, type }: Pick<PlacedNode, "uid" | "id" | "type">): string {
  return isInternal(type) ? uid.split(".").at(-2) ?? id : id;
}

function isInternal(type: string): boolean {
  return type.includes("$");
}
