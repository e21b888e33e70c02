/** Rules of retries and of single task types that schemas cannot express; a new type is a line of the table. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType, type FlowKey } from "../../model/flows/flow.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { MAX_TASK_ID_LENGTH } from "../../model/limits.ts";
import type { ScriptPlaces } from "../../model/ports/processes.ts";
import { nestedTaskProperties, type TaskCatalog, type TaskType } from "../../model/tasks/task_catalog.ts";
import { orderByNeeds } from "../inputs/depends_on.ts";
import { cutText, elementsOf, hasValue, namesOf, scalarText, textOf } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";
import { checkNoSystemLabels } from "./label_rules.ts";
import { checkOutputs } from "./validate_inputs.ts";

/** Shared by all tasks of one validation. */
export interface RuleContext {
  readonly catalog: TaskCatalog;
  readonly report: Report;
  /** The flow of the tasks, when its key is known. */
  readonly flow?: FlowKey;
  /** Where scripts may run; absent: unknown. */
  readonly scriptPlaces?: ScriptPlaces;
  readonly obstacleTo?: StartObstacle;
}

/** Why no execution of a flow can start at present; `undefined` if one can. */
export type StartObstacle = (flow: FlowKey) => "missing" | "disabled" | undefined;

interface TypedTask {
  readonly task: JsonObject;
  readonly type: TaskType;
  readonly path: Path;
}

/** Returns the names of members that the schema check must skip. */
type Rule = (task: TypedTask, context: RuleContext) => ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();
const TASKS: ReadonlySet<string> = new Set(["tasks"]);
const OUTPUTS: ReadonlySet<string> = new Set(["outputs"]);

/** Its tasks share a directory. */
export const WORKING_DIRECTORY = "core.flow.WorkingDirectory";
const SUBFLOW = "core.flow.Subflow";

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["core.flow.Dag", checkDag],
  ["core.flow.Switch", checkBranches],
  [WORKING_DIRECTORY, checkWorkingDirectory],
  [SUBFLOW, checkStartedFlow],
  ["core.flow.ForEachItem", checkStartedFlow],
  [LOOP, checkPassOutputs],
]);

/** Members, by task type, whose expressions are rendered with the variables of another execution. */
export const FOREIGN_TASK_PROPERTIES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [SUBFLOW, new Set(["outputs"])],
]);

/** Types without nested tasks that are not runnable: they change the execution, or start another one. */
const NOT_RUNNABLE: ReadonlySet<string> = new Set([
  SUBFLOW,
  "core.flow.ForEachItem",
  "core.execution.Exit",
  "core.execution.Labels",
  "core.execution.SetVariables",
  "core.execution.UnsetVariables",
]);

/** Refused, not ignored: the author of a flow chooses a machine for a reason. */
const NO_WORKERS = "is not supported with a WorkingDirectory, whose tasks share a directory of the server: " +
  "remove it, or write the commands as one scripts task";

/** Existing clients know the first half, which is true of the language. */
const NO_WORKERS_WITHIN =
  "Cannot set a Worker Group in any WorkingDirectory sub-tasks, it is only supported at the " +
  "WorkingDirectory level, and not by this server: its tasks share a directory of the server";

/** Reports what schemas cannot express; returns the names of members that the schema check must skip. */
export function checkTaskRules(task: TypedTask, context: RuleContext): ReadonlySet<string> {
  checkRetry(ownProperty(task.task, "retry"), [...task.path, "retry"], context.report);
  reportUselessCache(task, context);
  reportUselessWorkerGroup(task, context);
  return RULES.get(task.type.type)?.(task, context) ?? NONE;
}

/** Only outputs of runnable tasks can be cached. */
function reportUselessCache({ task, type, path }: TypedTask, { report }: RuleContext): void {
  if (!hasValue(task, "taskCache") || type.form === "runnable") return;
  const message =
    `has no effect on a task of type "${type.type}" and is ignored: only runnable tasks keep outputs`;
  report.warning("ignored", [...path, "taskCache"], message);
}

/** Tasks that need the database run on the server. */
function reportUselessWorkerGroup({ task, type, path }: TypedTask, { report }: RuleContext): void {
  if (
    !hasValue(task, "workerGroup") || type.type === WORKING_DIRECTORY ||
    type.form === "runnable" && type.runsOnWorkers
  ) return;
  const message = `has no effect on a task of type "${type.type}" and is ignored: it runs on the server`;
  report.warning("ignored", [...path, "workerGroup"], message);
}

/** The id of a task in messages; a longer one is refused. */
function shownId(task: JsonObject): string {
  return cutText(textOf(task, "id") ?? "", MAX_TASK_ID_LENGTH);
}

function checkBranches({ task, path }: TypedTask, { report }: RuleContext) {
  if (hasMembers(ownProperty(task, "cases")) || hasMembers(ownProperty(task, "defaults"))) return NONE;
  const id = shownId(task);
  report.error("required", path, `${id}: No task defined, neither cases or default have any tasks`);
  return NONE;
}

/** True for a list or map with elements, and for any other value: the schema check refuses that. */
function hasMembers(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : (value ?? null) !== null;
}

/** The tasks share a directory of the server, so each of them must be runnable, and none can run on a worker. */
function checkWorkingDirectory({ task, path }: TypedTask, { catalog, report }: RuleContext) {
  if (hasValue(task, "workerGroup")) report.error("not_supported", [...path, "workerGroup"], NO_WORKERS);
  const tasks = ownProperty(task, "tasks") ?? null;
  const id = shownId(task);
  const at = [...path, "tasks"];
  if (tasks === null || Array.isArray(tasks) && tasks.length === 0) {
    report.error("required", at, `${id}: The 'tasks' property cannot be empty`);
    return TASKS;
  }
  for (const [index, child] of Array.isArray(tasks) ? tasks.entries() : []) {
    const written = isJsonObject(child) ? textOf(child, "type") : undefined;
    if (isJsonObject(child) && hasValue(child, "workerGroup")) {
      report.error("not_supported", [...at, index, "workerGroup"], NO_WORKERS_WITHIN);
    }
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

/** Outputs of one iteration are declared as those of a flow. */
function checkPassOutputs({ task, path }: TypedTask, { report }: RuleContext) {
  const outputs = ownProperty(task, "outputs");
  if (!Array.isArray(outputs)) return NONE;
  checkOutputs(outputs, [...path, "outputs"], report);
  return OUTPUTS;
}

/** A flow that starts itself would never end. Expressions are known only after rendering. */
function checkStartedFlow(typed: TypedTask, context: RuleContext) {
  const { task, path } = typed, { flow, report } = context;
  const id = textOf(task, "flowId"), namespace = textOf(task, "namespace");
  if (flow && id === flow.id && namespace === flow.namespace) {
    report.error("recursion", [...path, "flowId"], `Recursive call to flow [${namespace}.${id}]`);
  } else reportObstacle(typed, context);
  checkNoSystemLabels(task, path, report);
  return NONE;
}

/** A warning: the flow may be saved or enabled later. */
function reportObstacle({ task, path }: TypedTask, { report, obstacleTo }: RuleContext): void {
  const id = textOf(task, "flowId"), namespace = textOf(task, "namespace");
  if (!id || !namespace || hasExpression(id) || hasExpression(namespace)) return;
  const obstacle = obstacleTo?.({ namespace, id });
  const at = [...path, "flowId"], subflow = `The subflow '${cutText(id)}'`;
  const place = `in namespace '${cutText(namespace)}'.`;
  if (obstacle === "missing") report.warning("missing_flow", at, `${subflow} not found ${place}`);
  if (obstacle === "disabled") report.warning("disabled_flow", at, `${subflow} is disabled ${place}`);
}

interface DagEntry {
  readonly id: string;
  readonly needs: readonly JsonValue[];
  readonly path: Path;
}

/** Dependencies of a Dag name tasks of the same Dag and have no cycle. */
function checkDag({ task: dag, path }: TypedTask, { report }: RuleContext) {
  const entries = dagEntries(dag, [...path, "tasks"]);
  const name = shownId(dag);
  reportUnknownNeeds(name, entries, report);
  const { cyclic } = orderByNeeds(entries, ({ needs }) => needs.flatMap((need) => scalarText(need) ?? []));
  const [first] = cyclic;
  if (!first) return NONE;
  const message = `${name}: Cyclic dependency detected: ${namesOf(cyclic.map(({ id }) => id))}`;
  report.error("dependency_cycle", [...first.path, "dependsOn"], message);
  return NONE;
}

/** Each problem has a place of its own; the first names all unknown tasks. */
function reportUnknownNeeds(name: string, entries: readonly DagEntry[], report: Report): void {
  const ids = new Set(entries.map(({ id }) => id));
  const unknown = entries.flatMap(({ needs, path }) =>
    needs.flatMap((need, index) => {
      const id = scalarText(need);
      return id === undefined || ids.has(id) ? [] : [{ id, path: [...path, "dependsOn", index] }];
    })
  );
  for (const [index, { id, path }] of unknown.entries()) {
    const named = index === 0 ? unknown.map(({ id }) => id) : [id];
    const hint = report.suggest(id, ids);
    const about = hint !== "" && named.length > 1 ? ` for "${cutText(id)}"` : "";
    const message = `${name}: Not existing task id in dependency: ${namesOf(named)}${hint}${about}`;
    report.error("unknown_task", path, message);
  }
}

function dagEntries(dag: JsonObject, path: Path): DagEntry[] {
  return elementsOf(dag, "tasks").flatMap((entry, index) => {
    const task = isJsonObject(entry) ? ownProperty(entry, "task") : undefined;
    if (!isJsonObject(entry) || !isJsonObject(task)) return [];
    return [{ id: textOf(task, "id") ?? "", needs: elementsOf(entry, "dependsOn"), path: [...path, index] }];
  });
}

/** Pairs of retry members by retry type: the first must be less than the second. */
const RETRY_ORDERS: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  ["constant", [["interval", "maxDuration"]]],
  ["exponential", [["interval", "maxInterval"], ["interval", "maxDuration"]]],
  [
    "random",
    [["minInterval", "maxInterval"], ["minInterval", "maxDuration"], ["maxInterval", "maxDuration"]],
  ],
]);

/** Reports retry intervals in the wrong order. Values that are no durations are reported by the schema check. */
export function checkRetry(retry: JsonValue | undefined, path: Path, report: Report): void {
  if (!isJsonObject(retry)) return;
  for (const [less, more] of RETRY_ORDERS.get(String(ownProperty(retry, "type"))) ?? []) {
    const low = durationOf(retry, less), high = durationOf(retry, more);
    if (low === undefined || high === undefined || low < high) continue;
    const message = `'${less}' must be less than '${more}' but is ${String(ownProperty(retry, less))}`;
    report.error("bad_retry", [...path, less], message);
  }
}

function durationOf(retry: JsonObject, name: string): number | undefined {
  return readDuration(ownProperty(retry, name));
}
