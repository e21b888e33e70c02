/** Checks tasks, nested ones included: ids, types, properties. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { PathSet } from "../../base/path_set.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { FOR_EACH_ITEM, itemPartIds } from "../../model/executions/for_each_item.ts";
import { MAX_TASKS_PER_FLOW } from "../../model/limits.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { IdSet } from "./check_ids.ts";
import { checkObject, resolveRunner, resolveType } from "./check_type.ts";
import { describeValue, textOf } from "../schema/describe.ts";
import { TASK_PROPERTIES } from "../schema/flow_schema.ts";
import type { Path } from "../source/parse.ts";
import { checkMembers, type NestedChecks } from "../schema/schema_check.ts";
import type { LoopPaths } from "./static_expressions.ts";
import { checkTaskRules, FOREIGN_TASK_PROPERTIES, type RuleContext } from "./task_rules.ts";
import { checkInputDeclarations } from "./validate_inputs.ts";

const IDENTITY: ReadonlySet<string> = new Set(["id", "type"]);
const TYPE: ReadonlySet<string> = new Set(["type"]);

/** Checks the tasks of one flow; ids are unique across all its blocks. */
export class TaskValidator {
  /** Checks of nested declarations. */
  readonly nested: NestedChecks;
  /** Canonical types of all checked tasks; for an unknown type its name without prefix. */
  readonly kinds = new Set<string>();
  /** Paths of the Loops. */
  readonly loops: LoopPaths = new PathSet();
  readonly #rules: RuleContext;
  readonly #ids: IdSet;
  readonly #schemas = new Map<TaskType, PropertySchemas>();
  #count = 0;

  /** `checkCondition` checks conditions within tasks. */
  constructor(rules: RuleContext, checkCondition?: NestedChecks["checkCondition"]) {
    this.#rules = rules;
    this.#ids = new IdSet("task id", rules.report);
    this.nested = {
      checkTask: (task, path) => this.check(task, path),
      checkTasks: (tasks, path) => this.checkList(tasks, path),
      checkInputs: (inputs, path) => {
        checkInputDeclarations(inputs, path, { report: rules.report, isForeign: path.length > 1 });
      },
      checkCondition,
      checkRunner: (runner, path) => this.#checkRunner(runner, path),
      checkPart: (part, family, path) => this.#checkPart(part, family, path),
    };
  }

  /** Ids of all checked tasks. */
  get ids(): ReadonlySet<string> {
    return this.#ids.ids;
  }

  /** Reports ids that several tasks have. Called once, after all tasks. */
  reportDuplicates(): void {
    this.#ids.reportDuplicates();
  }

  /** The `tasks` of the flow: at least one. */
  checkRequired(value: JsonValue | undefined, path: Path): void {
    const { report } = this.#rules;
    if (value === undefined || value === null || Array.isArray(value) && value.length === 0) {
      report.error("required", path, "must not be empty");
    } else if (Array.isArray(value)) this.checkList(value, path);
    else {
      const message = `must be a list of tasks, but received ${describeValue(value)}`;
      report.error("wrong_type", path, message);
    }
  }

  /** A list of tasks, of the flow or of a task. */
  checkList(tasks: readonly JsonValue[], path: Path): void {
    for (const [index, task] of tasks.entries()) {
      if (this.#count > MAX_TASKS_PER_FLOW) return;
      this.check(task, [...path, index]);
    }
  }

  /** One task: its id, type and properties, and what is nested in it. */
  check(task: JsonValue, path: Path): void {
    const { report, catalog } = this.#rules;
    if (++this.#count > MAX_TASKS_PER_FLOW) {
      if (this.#count > MAX_TASKS_PER_FLOW + 1) return;
      return report.error("too_many", path.slice(0, -1), `a flow has at most ${MAX_TASKS_PER_FLOW} tasks`);
    }
    if (!checkObject(task, "a task", path, report)) return;
    const id = this.#ids.check(ownProperty(task, "id"), [...path, "id"]);
    const type = resolveType(task, path, report, catalog);
    this.kinds.add(type?.type ?? canonicalType(textOf(task, "type") ?? ""));
    if (type?.type === LOOP) this.loops.add(path);
    // A ForEachItem creates tasks of its own, which need unique ids too.
    const parts = id !== undefined && type?.type === FOR_EACH_ITEM ? itemPartIds(id) : [];
    for (const part of parts) this.#ids.add(part, [...path, "id"]);
    if (type) this.#checkProperties(task, type, path);
  }

  #checkProperties(task: JsonObject, type: TaskType, path: Path): void {
    const { report, scriptPlaces } = this.#rules;
    const { errorCount } = report;
    const apart = checkTaskRules({ task, type, path }, this.#rules);
    checkMembers(task, this.#schemaOf(type), {
      path,
      report,
      nested: this.nested,
      apart: apart.size === 0 ? IDENTITY : new Set([...IDENTITY, ...apart]),
      foreign: FOREIGN_TASK_PROPERTIES.get(type.type),
    });
    if (type.form !== "runnable" || report.errorCount > errorCount) return;
    for (const problem of type.check?.(task, scriptPlaces) ?? []) {
      const at = [...path, ...problem.path];
      if (problem.severity === "error") report.error("bad_place", at, problem.message);
      else report.warning("other_place", at, problem.message);
    }
  }

  #checkRunner(runner: JsonObject, path: Path): void {
    const { report, catalog: { runners } } = this.#rules;
    const type = resolveRunner(runner, path, report, runners);
    if (type) checkMembers(runner, type.properties, { path, report, apart: TYPE, isDynamic: true });
  }

  #checkPart(part: JsonObject, family: string, path: Path): void {
    const { report, catalog: { parts } } = this.#rules;
    const ofFamily = parts.list().filter((type) => type.family === family);
    const find = (kind: string) => ofFamily.find((type) => type === parts.find(kind));
    const type = resolveType(part, path, report, { find, list: () => ofFamily });
    if (type?.form !== "part") return;
    checkMembers(part, type.properties, { path, report, nested: this.nested, apart: TYPE, isDynamic: true });
  }

  #schemaOf(type: TaskType): PropertySchemas {
    const known = this.#schemas.get(type);
    if (known) return known;
    const schemas = { ...TASK_PROPERTIES, ...type.properties };
    this.#schemas.set(type, schemas);
    return schemas;
  }
}
