/** Rules that single task types add to their schemas, by canonical name: a new one is a line of the table. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType, type FlowKey } from "../../model/flows/flow.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { nestedTaskProperties, type TaskCatalog, type TaskType } from "../../model/tasks/task_catalog.ts";
import { checkDag } from "./check_dag.ts";
import { checkRetry } from "./check_retry.ts";
import { scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";
import { checkOutputs } from "./validate_outputs.ts";

/** What the rules look things up in. */
export interface RuleContext {
  readonly catalog: TaskCatalog;
  readonly report: Report;
  /** The flow that the tasks belong to, when it says so. */
  readonly flow?: FlowKey;
}

/** A task whose type is known. */
interface TypedTask {
  readonly task: JsonObject;
  readonly type: TaskType;
  readonly path: Path;
}

/** Gives the names of members that it has checked in place of the schema. */
type Rule = (task: TypedTask, context: RuleContext) => ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();
const TASKS: ReadonlySet<string> = new Set(["tasks"]);
const OUTPUTS: ReadonlySet<string> = new Set(["outputs"]);

const WORKING_DIRECTORY = "core.flow.WorkingDirectory";
const SUBFLOW = "core.flow.Subflow";

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["core.flow.Dag", checkDependencies],
  ["core.flow.Switch", checkBranches],
  [WORKING_DIRECTORY, checkWorkingDirectory],
  [SUBFLOW, checkRecursion],
  ["core.flow.ForEachItem", checkRecursion],
  [LOOP, checkPassOutputs],
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
  noteUselessCache(task, context);
  return RULES.get(task.type.type)?.(task, context) ?? NONE;
}

/** Only what does work itself has outputs that can be kept. */
function noteUselessCache({ task, type, path }: TypedTask, { report }: RuleContext): void {
  if ((ownProperty(task, "taskCache") ?? null) === null || type.form === "runnable") return;
  const message =
    `has no effect on a task of type "${type.type}" and is ignored: only runnable tasks keep outputs`;
  report.warning("ignored", [...path, "taskCache"], message);
}

function checkDependencies({ task, path }: TypedTask, { report }: RuleContext) {
  checkDag(task, path, report);
  return NONE;
}

/** Whatever its value, a Switch without any branch has nothing to run. */
function checkBranches({ task, path }: TypedTask, { report }: RuleContext) {
  if (hasMembers(ownProperty(task, "cases")) || hasMembers(ownProperty(task, "defaults"))) return NONE;
  const id = scalarText(ownProperty(task, "id")) ?? "";
  report.error("required", path, `${id}: No task defined, neither cases or default have any tasks`);
  return NONE;
}

/** Whether a list or a map holds anything; what is neither is refused by the schema. */
function hasMembers(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : (value ?? null) !== null;
}

/** Its tasks share a directory on one worker, so each of them must do work itself. */
function checkWorkingDirectory({ task, path }: TypedTask, { catalog, report }: RuleContext) {
  const tasks = ownProperty(task, "tasks") ?? null;
  const id = scalarText(ownProperty(task, "id")) ?? "";
  const at = [...path, "tasks"];
  if (tasks === null || Array.isArray(tasks) && tasks.length === 0) {
    report.error("required", at, `${id}: The 'tasks' property cannot be empty`);
    return TASKS;
  }
  for (const [index, child] of Array.isArray(tasks) ? tasks.entries() : []) {
    const written = isJsonObject(child) ? scalarText(ownProperty(child, "type")) : undefined;
    const type = written === undefined ? undefined : catalog.find(canonicalType(written));
    if (!type || isRunnable(type)) continue;
    const message = `${id}: Only runnable tasks are allowed as children of a WorkingDirectory task`;
    report.error("not_runnable", [...at, index, "type"], message);
  }
  return NONE;
}

function isRunnable(type: TaskType): boolean {
  return type.form !== "flowable" && nestedTaskProperties(type).length === 0 && !NOT_RUNNABLE.has(type.type);
}

/** Outputs of a pass are declared as those of a flow. */
function checkPassOutputs({ task, path }: TypedTask, { report }: RuleContext) {
  const outputs = ownProperty(task, "outputs");
  if (!Array.isArray(outputs)) return NONE;
  checkOutputs(outputs, [...path, "outputs"], report);
  return OUTPUTS;
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
