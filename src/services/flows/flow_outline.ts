/** The outline of a flow, for callers that start and read executions: forms and lists of tasks, without properties. */
import { type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import { flowResponse } from "../../flow/mod.ts";
import type { Flow, Task } from "../../model/flows/flow.ts";
import { STARTING_TASKS } from "./flow_links.ts";

const TASK_LISTS = ["tasks", "errors", "finally", "afterExecution"] as const;
/** Members that are shown in full. */
const SHOWN = [
  "id",
  "namespace",
  "revision",
  "description",
  "labels",
  "inputs",
  "disabled",
  "deleted",
  "draft",
];

/** The JSON text of a flow whose tasks and triggers have only what an outline shows of them. */
export function flowOutlineText(flow: Flow): string {
  const response = flowResponse(flow, { source: false });
  const outline: JsonObject = {};
  for (const name of SHOWN) {
    const value = ownProperty(response, name);
    if (value !== undefined) outline[name] = value;
  }
  for (const name of TASK_LISTS) {
    if (name === "tasks" || flow[name].length > 0) outline[name] = flow[name].map(taskOutline);
  }
  outline.triggers = flow.triggers.map(({ id, type }) => ({ id, type }));
  return stringifyJson(outline);
}

/** A Pause shows its `onResume` as `inputs`, as the forms of clients read it. */
function taskOutline({ id, type, kind, properties, blocks }: Task): JsonObject {
  const outline: JsonObject = { id, type };
  const children = [...blocks.values()].flat();
  if (children.length > 0) outline.tasks = children.map(taskOutline);
  const onResume = ownProperty(properties, "onResume");
  if (kind === "core.flow.Pause" && Array.isArray(onResume)) outline.inputs = onResume;
  if (STARTING_TASKS.has(kind)) outline.subflowId = startedFlow(properties);
  return outline;
}

/** As written: names may be expressions. */
function startedFlow(properties: JsonObject): JsonObject {
  const started: JsonObject = {};
  for (const name of ["namespace", "flowId", "revision"]) {
    const value = ownProperty(properties, name);
    if (value !== undefined && value !== null) started[name] = value;
  }
  return started;
}
