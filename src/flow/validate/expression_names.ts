/** Names that expressions of a flow may use, for completion in editors. */
import { isJsonObject, type JsonObject, objectsOf, ownProperty } from "../../base/json.ts";
import { PathSet } from "../../base/path_set.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { scalarText, textOf } from "../schema/describe.ts";
import { flattenForms, inputIdOf } from "../inputs/form.ts";
import { readLabels } from "../../model/flows/label.ts";
import { typeOf, type WrittenTask, writtenTasks } from "../schema/nested_tasks.ts";
import { isInIteration, type LoopPaths } from "./static_expressions.ts";

const FLOW = ["flow.id", "flow.namespace", "flow.revision", "flow.tenantId"];
const EXECUTION = ["execution.id", "execution.startDate", "execution.state", "execution.originalId"];
const TASK = ["task.id", "task.type"];
const TASK_RUN = [
  "taskrun.id",
  "taskrun.startDate",
  "taskrun.attemptsCount",
  "taskrun.value",
  "taskrun.iteration",
];
/** In the tasks of a Loop only. */
const ITEM = ["item.index", "item.value", "item.key", "item.parent", "item.parents"];
/** A name that may follow a dot; others need brackets. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface NameOptions {
  readonly taskId?: string;
  /** Variables that the flow inherits. */
  readonly inherited?: JsonObject;
}

/**
 * Expressions by root variable. With a task, outputs are those of the tasks written before it; `undefined` when the flow
 * has no such task. The document may be invalid.
 */
export function expressionNames(
  document: JsonObject,
  catalog: TaskCatalog,
  { taskId, inherited = {} }: NameOptions = {},
): JsonObject | undefined {
  const tasks = [...writtenTasks(document, catalog)];
  const end = taskId === undefined ? tasks.length : tasks.findIndex(({ task }) => idOf(task) === taskId);
  if (end < 0) return undefined;
  const variables = ownProperty(document, "variables");
  const namespace = Object.keys(inherited).map((name) => dotted("namespace", [name]));
  return {
    flow: FLOW,
    execution: EXECUTION,
    task: TASK,
    taskrun: TASK_RUN,
    inputs: flattenForms(ownProperty(document, "inputs")).map((input) =>
      dotted("inputs", inputIdOf(input).split("."))
    ),
    vars: isJsonObject(variables) ? Object.keys(variables).map((name) => dotted("vars", [name])) : [],
    ...(namespace.length > 0 ? { namespace } : {}),
    labels: readLabels(ownProperty(document, "labels")).map(({ key }) => dotted("labels", key.split("."))),
    outputs: tasks.slice(0, end).flatMap((written) => outputNames(written, catalog)),
    trigger: objectsOf(ownProperty(document, "triggers")).length > 0 ? ["trigger"] : [],
    ...(isInLoop(tasks, tasks[end]) ? { item: ITEM } : {}),
  };
}

function isInLoop(tasks: readonly WrittenTask[], written: WrittenTask | undefined): boolean {
  const loops: LoopPaths = new PathSet();
  for (const { task, path } of tasks) {
    if (canonicalType(textOf(task, "type") ?? "") === LOOP) loops.add(path);
  }
  return written !== undefined && isInIteration(written.path, loops);
}

function outputNames({ task }: WrittenTask, catalog: TaskCatalog): string[] {
  const id = idOf(task);
  const type = typeOf(task, catalog);
  if (id === undefined) return [];
  const outputs: PropertySchemas = type?.outputs ?? {};
  return Object.keys(outputs).map((name) => dotted("outputs", [id, name]));
}

/** `a.b`, or `a["b c"]` for a name that may not follow a dot. */
function dotted(root: string, names: readonly string[]): string {
  return names.reduce(
    (text, name) => PLAIN_NAME.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`,
    root,
  );
}

function idOf(object: JsonObject): string | undefined {
  return scalarText(ownProperty(object, "id") ?? ownProperty(object, "name"));
}
