/** Rules of tasks, nested ones included: ids, types, properties. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { TYPE_PREFIXES } from "../model/flow.ts";
import { MAX_TASKS_PER_FLOW } from "../model/limits.ts";
import type { PropertySchemas } from "../model/schema.ts";
import type { TaskCatalog, TaskType } from "../model/task_catalog.ts";
import { checkId, IdSet, TASK_ID } from "./check_ids.ts";
import { checkTypeMember, refuseType } from "./check_type.ts";
import { describeValue } from "./describe.ts";
import { TASK_PROPERTIES } from "./flow_schema.ts";
import { kindName } from "./kinds.ts";
import {
  IGNORED_TASK_PROPERTIES,
  UNSUPPORTED_TASK_PROPERTIES,
  UNSUPPORTED_TASK_TYPES,
} from "./not_supported.ts";
import type { Path } from "./parse.ts";
import type { Report } from "./report.ts";
import { checkMembers } from "./schema_check.ts";

/** Checks the tasks of one flow; ids are unique over all its blocks. */
export class TaskValidator {
  readonly #catalog: TaskCatalog;
  readonly #report: Report;
  readonly #ids: IdSet;
  readonly #schemas = new Map<TaskType, PropertySchemas>();
  #count = 0;

  constructor(catalog: TaskCatalog, report: Report) {
    this.#catalog = catalog;
    this.#report = report;
    this.#ids = new IdSet("task", report);
  }

  /** The `tasks` of the flow: at least one. */
  checkRequired(value: JsonValue | undefined, path: Path): void {
    const isEmpty = value === undefined || value === null || Array.isArray(value) && value.length === 0;
    if (isEmpty) this.#report.error("required", path, "must not be empty");
    else if (Array.isArray(value)) this.checkList(value, path);
    else {this.#report.error(
        "wrong_type",
        path,
        `must be a list of tasks, but received ${describeValue(value)}`,
      );}
  }

  /** A list of tasks, of the flow or of a task. */
  checkList(tasks: JsonValue[], path: Path): void {
    for (const [index, task] of tasks.entries()) {
      if (++this.#count > MAX_TASKS_PER_FLOW) {
        const isFirst = this.#count === MAX_TASKS_PER_FLOW + 1;
        if (isFirst) this.#report.error("too_many", path, `a flow has at most ${MAX_TASKS_PER_FLOW} tasks`);
        return;
      }
      this.#check(task, [...path, index]);
    }
  }

  /** One task: its id, type and properties. */
  #check(task: JsonValue, path: Path): void {
    const report = this.#report;
    if (!isJsonObject(task)) {
      report.error("wrong_type", path, `must be a task, but received ${describeValue(task)}`);
      return;
    }
    this.#ids.add(checkId(ownProperty(task, "id"), TASK_ID, [...path, "id"], report), [...path, "id"]);
    const type = checkTypeMember(task, path, report);
    if (type === undefined) return;
    const found = this.#catalog.find(kindName(type));
    if (found) this.#checkProperties(task, found, path);
    else this.#refuse(type, path);
  }

  #refuse(type: string, path: Path): void {
    const isPlanned = UNSUPPORTED_TASK_TYPES.has(kindName(type));
    refuseType(type, path, { report: this.#report, isPlanned, known: this.#knownTypes(type) });
  }

  #checkProperties(task: JsonObject, type: TaskType, path: Path): void {
    checkMembers(task, this.#schemaOf(type), {
      path,
      report: this.#report,
      unsupported: UNSUPPORTED_TASK_PROPERTIES,
      ignored: IGNORED_TASK_PROPERTIES,
      checkTasks: (tasks, at) => this.checkList(tasks, at),
    });
  }

  #schemaOf(type: TaskType): PropertySchemas {
    const known = this.#schemas.get(type);
    if (known) return known;
    const schemas = { ...TASK_PROPERTIES, ...type.properties };
    this.#schemas.set(type, schemas);
    return schemas;
  }

  /** Full names with the prefix that the author used. */
  #knownTypes(type: string): string[] {
    const prefix = TYPE_PREFIXES.find((candidate) => type.startsWith(candidate)) ?? TYPE_PREFIXES[0];
    return this.#catalog.list().map((known) => prefix + known.type);
  }
}
