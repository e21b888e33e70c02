/** Valid declarations → typed tasks, outputs, retries, concurrency limits and SLAs. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type {
  ConcurrencyLimit,
  LogLevel,
  Output,
  RetryPolicy,
  Sla,
  Task,
  WorkerGroup,
} from "../../model/flows/flow.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { nestedTaskProperties, type TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { flagOf, scalarText, textOf } from "../schema/describe.ts";
import { COMMON_BLOCKS } from "../schema/nested_tasks.ts";
import { readLabels } from "../../model/flows/label.ts";

const DEFAULT_DELAY_FACTOR = 2;

/** Tasks of a valid list. Aliases and nested tasks are resolved only with a catalog. */
export function buildTasks(list: JsonValue | undefined, catalog?: TaskCatalog): Task[] {
  return objectsOf(list).map((properties) => buildTask(properties, catalog));
}

function buildTask(properties: JsonObject, catalog?: TaskCatalog): Task {
  const type = textOf(properties, "type") ?? "";
  const name = canonicalType(type), kind = catalog?.find(name)?.type ?? name;
  return {
    id: textOf(properties, "id") ?? "",
    type,
    kind,
    properties,
    disabled: flagOf(properties, "disabled", false),
    allowFailure: flagOf(properties, "allowFailure", false),
    allowWarning: flagOf(properties, "allowWarning", false),
    runIf: textOf(properties, "runIf") ?? textOf(properties, "when"),
    logLevel: textOf(properties, "logLevel") as LogLevel | undefined,
    logToFile: flagOf(properties, "logToFile", false) || undefined,
    workerGroup: buildWorkerGroup(ownProperty(properties, "workerGroup")),
    timeout: textOf(properties, "timeout"),
    retry: buildRetry(ownProperty(properties, "retry")),
    blocks: buildBlocks(properties, kind, catalog),
    ...(kind === LOOP ? { passOutputs: buildOutputs(ownProperty(properties, "outputs")) } : {}),
  };
}

/** The worker group of a valid declaration. */
export function buildWorkerGroup(declared: JsonValue | undefined): WorkerGroup | undefined {
  const key = isJsonObject(declared) ? textOf(declared, "key") : undefined;
  if (key === undefined || !isJsonObject(declared)) return undefined;
  return { key, fallback: (textOf(declared, "fallback") ?? "WAIT") as WorkerGroup["fallback"] };
}

const NO_BLOCKS: ReadonlyMap<string, readonly Task[]> = new Map();

function buildBlocks(properties: JsonObject, kind: string, catalog?: TaskCatalog): Task["blocks"] {
  const type = catalog?.find(kind);
  if (!type || type.form === "runnable" || type.form === "waiting") return NO_BLOCKS;
  const blocks = new Map<string, readonly Task[]>();
  for (const name of new Set([...nestedTaskProperties(type), ...COMMON_BLOCKS])) {
    const value = ownProperty(properties, name);
    if (type.properties[name]?.type === "cases" && isJsonObject(value)) {
      for (const key of Object.keys(value)) blocks.set(`${name}.${key}`, buildTasks(value[key], catalog));
    } else if (type.properties[name]?.type === "dagTasks") {
      blocks.set(name, objectsOf(value).flatMap((entry) => buildDagTask(entry, catalog)));
    } else if (Array.isArray(value)) blocks.set(name, buildTasks(value, catalog));
    else if (isJsonObject(value)) blocks.set(name, buildTasks([value], catalog));
  }
  return blocks;
}

function buildDagTask(entry: JsonObject, catalog?: TaskCatalog): Task[] {
  const task = ownProperty(entry, "task");
  if (!isJsonObject(task)) return [];
  const dependsOn = ownProperty(entry, "dependsOn");
  const ids = Array.isArray(dependsOn) ? dependsOn.map((id) => scalarText(id) ?? "") : [];
  return [{ ...buildTask(task, catalog), dependsOn: ids }];
}

/** Outputs of a valid list of declarations. */
export function buildOutputs(list: JsonValue | undefined): Output[] {
  return objectsOf(list).map((properties) => ({
    id: textOf(properties, "id") ?? "",
    type: textOf(properties, "type"),
    value: ownProperty(properties, "value") ?? null,
    required: flagOf(properties, "required", true),
  }));
}

/** A retry as declared; `undefined` if it does not exist. */
export function buildRetry(value: JsonValue | undefined): RetryPolicy | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = textOf(value, "type") as RetryPolicy["type"];
  const isRandom = type === "random";
  const maxAttempts = textOf(value, "maxAttempt") ?? textOf(value, "maxAttempts");
  return {
    type,
    maxAttempts: maxAttempts === undefined ? undefined : Number(maxAttempts),
    maxDurationMs: durationOf(value, "maxDuration"),
    intervalMs: durationOf(value, isRandom ? "minInterval" : "interval") ?? 0,
    maxIntervalMs: durationOf(value, "maxInterval"),
    delayFactor: Number(textOf(value, "delayFactor") ?? DEFAULT_DELAY_FACTOR),
    warningOnRetry: flagOf(value, "warningOnRetry", false),
    behavior: textOf(value, "behavior") === "CREATE_NEW_EXECUTION"
      ? "CREATE_NEW_EXECUTION"
      : "RETRY_FAILED_TASK",
  };
}

/** The concurrency limit of a flow, if any. */
export function buildConcurrency(value: JsonValue | undefined): ConcurrencyLimit | undefined {
  if (!isJsonObject(value)) return undefined;
  const behavior = textOf(value, "behavior") as ConcurrencyLimit["behavior"] | undefined;
  return { limit: Number(textOf(value, "limit") ?? 1), behavior: behavior ?? "QUEUE" };
}

/** The SLAs of a flow. */
export function buildSlas(list: JsonValue | undefined): Sla[] {
  return objectsOf(list).map((properties) => ({
    id: textOf(properties, "id") ?? "",
    type: textOf(properties, "type") as Sla["type"],
    behavior: (textOf(properties, "behavior") ?? "FAIL") as Sla["behavior"],
    labels: readLabels(ownProperty(properties, "labels")),
    durationMs: durationOf(properties, "duration"),
    assertion: textOf(properties, "assert"),
  }));
}

function durationOf(properties: JsonObject, name: string): number | undefined {
  return readDuration(ownProperty(properties, name));
}
