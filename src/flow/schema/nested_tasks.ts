/** Finds the tasks of a document as written, at any depth, with their paths. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { TaskCatalog, TaskType } from "../../model/tasks/task_catalog.ts";
import { textOf } from "./describe.ts";
import type { Path } from "../source/parse.ts";

/** A task as written. */
export interface WrittenTask {
  readonly task: JsonObject;
  readonly path: Path;
}

const BLOCKS = ["tasks", "errors", "finally", "afterExecution"];
/** Task lists that every flowable task may have. */
export const COMMON_BLOCKS = ["errors", "finally"];

/** All tasks of a document, each before its nested tasks. */
export function* writtenTasks(document: JsonObject, catalog: TaskCatalog): Generator<WrittenTask> {
  for (const name of BLOCKS) yield* listed(ownProperty(document, name), [name], catalog);
}

/** The task of that id as written, at any depth. */
export function findWrittenTask(
  document: JsonObject,
  taskId: string,
  catalog: TaskCatalog,
): JsonObject | undefined {
  for (const { task } of writtenTasks(document, catalog)) {
    if (textOf(task, "id") === taskId) return task;
  }
  return undefined;
}

/** Ids of the tasks of deprecated types. */
export function deprecatedTaskIds(document: JsonObject, catalog: TaskCatalog): string[] {
  return [...writtenTasks(document, catalog)].flatMap(({ task }) => {
    return typeOf(task, catalog)?.deprecated === undefined ? [] : textOf(task, "id") ?? [];
  });
}

/** The type of a task as written, if it is known. */
export function typeOf(task: JsonObject, catalog: TaskCatalog): TaskType | undefined {
  return catalog.find(canonicalType(textOf(task, "type") ?? ""));
}

function* listed(value: JsonValue | undefined, path: Path, catalog: TaskCatalog): Generator<WrittenTask> {
  if (!Array.isArray(value)) return;
  for (const [index, task] of value.entries()) yield* single(task, [...path, index], catalog);
}

function* single(task: JsonValue | undefined, path: Path, catalog: TaskCatalog): Generator<WrittenTask> {
  if (!isJsonObject(task)) return;
  yield { task, path };
  const type = typeOf(task, catalog);
  if (!type || type.form === "runnable" || type.form === "waiting") return;
  for (const name of new Set([...Object.keys(type.properties), ...COMMON_BLOCKS])) {
    const value = ownProperty(task, name);
    const at = [...path, name];
    switch (type.properties[name]?.type ?? "tasks") {
      case "task":
        yield* single(value, at, catalog);
        break;
      case "tasks":
        yield* listed(value, at, catalog);
        break;
      case "cases":
        if (!isJsonObject(value)) break;
        for (const key of Object.keys(value)) yield* listed(ownProperty(value, key), [...at, key], catalog);
        break;
      case "dagTasks":
        yield* dagEntries(value, at, catalog);
        break;
      default:
        break;
    }
  }
}

function* dagEntries(value: JsonValue | undefined, path: Path, catalog: TaskCatalog): Generator<WrittenTask> {
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries()) {
    if (isJsonObject(entry)) yield* single(ownProperty(entry, "task"), [...path, index, "task"], catalog);
  }
}
