/** Rules that single task types add to their schemas, by canonical name: a new one is a line of the table. */
import { isJsonObject, type JsonObject, ownProperty } from "../base/json.ts";
import type { FlowKey } from "../model/flow.ts";
import { nestedTaskProperties, type TaskCatalog, type TaskType } from "../model/task_catalog.ts";
import { checkDag } from "./check_dag.ts";
import { checkRetry } from "./check_retry.ts";
import { scalarText } from "./describe.ts";
import { kindName } from "./kinds.ts";
import type { Path } from "./parse.ts";
import type { Report } from "./report.ts";

/** What the rules look things up in. */
export interface RuleContext {
  readonly catalog: TaskCatalog;
  readonly report: Report;
  /** The flow that the tasks belong to, when it says so. */
  readonly flow?: FlowKey;
}

/** A task whose type is known. */
export interface TypedTask {
  readonly task: JsonObject;
  readonly type: TaskType;
  readonly path: Path;
}

/** Gives the names of members that it has checked in place of the schema. */
type Rule = (task: TypedTask, context: RuleContext) => ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();
const TASKS: ReadonlySet<string> = new Set(["tasks"]);

const WORKING_DIRECTORY = "core.flow.WorkingDirectory";
const SUBFLOW = "core.flow.Subflow";

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["core.flow.Dag", checkDependencies],
  [WORKING_DIRECTORY, checkWorkingDirectory],
  [SUBFLOW, checkRecursion],
  ["core.flow.ForEachItem", checkRecursion],
]);

/** Members, by task type, whose expressions are rendered with the variables of another execution. */
export const FOREIGN_TASK_PROPERTIES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [SUBFLOW, new Set(["outputs"])],
]);

/** Types that do no work of their own although they nest no tasks: they change the execution, or start another one. */
const NOT_RUNNABLE: ReadonlySet<string> = new Set([
  SUBFLOW,
  "core.flow.ForEachItem",
  "core.execution.Exit",
  "core.execution.Labels",
  "core.execution.SetVariables",
  "core.execution.UnsetVariables",
]);

/** Reports what schemas cannot say; gives the names of members that need no other check. */
export function checkTaskRules(task: TypedTask, context: RuleContext): ReadonlySet<string> {
  checkRetry(ownProperty(task.task, "retry"), [...task.path, "retry"], context.report);
  return RULES.get(task.type.type)?.(task, context) ?? NONE;
}

function checkDependencies({ task, path }: TypedTask, { report }: RuleContext) {
  checkDag(task, path, report);
  return NONE;
}

/** Its tasks share a directory on one worker, so each of them must do work itself. */
function checkWorkingDirectory({ task, path }: TypedTask, { catalog, report }: RuleContext) {
  const tasks = ownProperty(task, "tasks") ?? null;
  const at = [...path, "tasks"];
  if (tasks === null || Array.isArray(tasks) && tasks.length === 0) {
    const id = scalarText(ownProperty(task, "id")) ?? "";
    report.error("required", at, `${id}: The 'tasks' property cannot be empty`);
    return TASKS;
  }
  for (const [index, child] of Array.isArray(tasks) ? tasks.entries() : []) {
    const written = isJsonObject(child) ? scalarText(ownProperty(child, "type")) : undefined;
    const type = written === undefined ? undefined : catalog.find(kindName(written));
    if (!type || isRunnable(type)) continue;
    const message = "Only runnable tasks are allowed as children of a WorkingDirectory task";
    report.error("not_runnable", [...at, index, "type"], message);
  }
  return NONE;
}

function isRunnable(type: TaskType): boolean {
  return type.form !== "flowable" && nestedTaskProperties(type).length === 0 && !NOT_RUNNABLE.has(type.type);
}

/** A flow that starts itself would never end. Expressions are not known before they are rendered. */
function checkRecursion({ task, path }: TypedTask, { flow, report }: RuleContext) {
  const id = scalarText(ownProperty(task, "flowId"));
  const namespace = scalarText(ownProperty(task, "namespace"));
  if (flow && id === flow.id && namespace === flow.namespace) {
    report.error("recursion", [...path, "flowId"], `Recursive call to flow [${namespace}.${id}]`);
  }
  return NONE;
}
