/** Tasks within a document as it was written: at any depth, each with its place. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { scalarText } from "./describe.ts";
import type { Path } from "../source/parse.ts";

/** A task as written. */
export interface WrittenTask {
  readonly task: JsonObject;
  readonly path: Path;
}

/** Lists of tasks of a flow. */
const BLOCKS = ["tasks", "errors", "finally", "afterExecution"];
/** Blocks that every flowable task may have. */
const COMMON_BLOCKS = ["errors", "finally"];

/** All tasks of a document, each before those nested in it. */
export function* writtenTasks(document: JsonObject, catalog: TaskCatalog): Generator<WrittenTask> {
  for (const name of BLOCKS) yield* listed(ownProperty(document, name), [name], catalog);
}

/** The task of that id as it was written, at any depth. */
export function findWrittenTask(
  document: JsonObject,
  taskId: string,
  catalog: TaskCatalog,
): JsonObject | undefined {
  for (const { task } of writtenTasks(document, catalog)) {
    if (scalarText(ownProperty(task, "id")) === taskId) return task;
  }
  return undefined;
}

/** Ids of the tasks whose type is deprecated. */
export function deprecatedTaskIds(document: JsonObject, catalog: TaskCatalog): string[] {
  return [...writtenTasks(document, catalog)].flatMap(({ task }) => {
    const type = catalog.find(canonicalType(scalarText(ownProperty(task, "type")) ?? ""));
    return type?.deprecated === undefined ? [] : scalarText(ownProperty(task, "id")) ?? [];
  });
}

function* listed(value: JsonValue | undefined, path: Path, catalog: TaskCatalog): Generator<WrittenTask> {
  if (!Array.isArray(value)) return;
  for (const [index, task] of value.entries()) yield* single(task, [...path, index], catalog);
}

function* single(task: JsonValue | undefined, path: Path, catalog: TaskCatalog): Generator<WrittenTask> {
  if (!isJsonObject(task)) return;
  yield { task, path };
  const type = catalog.find(canonicalType(scalarText(ownProperty(task, "type")) ?? ""));
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
