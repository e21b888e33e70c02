/** Reads the messages of workers. */
import type { Context } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { isWorkerGroup, WORKER_GROUP_RULE } from "../../base/worker_group.ts";
import { type Metric, MetricList, type MetricType } from "../../model/executions/metric.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import {
  type AttemptEndReport,
  type AttemptReport,
  MAX_REPORT_LINES,
  MAX_WORKER_MESSAGE_BYTES,
  type ReportedLine,
  type WorkerHello,
} from "../../model/http/worker_protocol.ts";
import { readJson } from "../bodies/body.ts";
import { isTextList } from "../bodies/entity_body.ts";
import type { AppEnv } from "../env.ts";
import { invalidEntity } from "../refusals.ts";

const MAX_TEXT = 200;
const MAX_CONCURRENCY = 10_000;
const END_STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;

/** What a worker says of itself. @throws DomainError invalid_json, invalid_entity, too_large */
export async function readHello(c: Context<AppEnv>): Promise<WorkerHello> {
  const body = await readMessage(c);
  const groups = textsOf(body, "groups");
  const bad = groups.find((group) => !isWorkerGroup(group));
  if (bad !== undefined || groups.length === 0) {
    throw invalidEntity(`groups: each must be ${WORKER_GROUP_RULE}`);
  }
  const concurrency = ownProperty(body, "concurrency");
  if (!isCount(concurrency, MAX_CONCURRENCY)) {
    throw invalidEntity(`concurrency: must be a whole number from 1 to ${MAX_CONCURRENCY}`);
  }
  return {
    id: shortText(body, "id"),
    name: shortText(body, "name"),
    version: shortText(body, "version"),
    groups,
    concurrency,
    leases: textsOf(body, "leases"),
  };
}

/** The id of a worker, and the attempts that it runs. @throws DomainError as {@link readHello} */
export async function readHeartbeat(c: Context<AppEnv>): Promise<Pick<WorkerHello, "id" | "leases">> {
  const body = await readMessage(c);
  return { id: shortText(body, "id"), leases: textsOf(body, "leases") };
}

/** The id of a worker that stops. @throws DomainError as {@link readHello} */
export async function readLeave(c: Context<AppEnv>): Promise<string> {
  return shortText(await readMessage(c), "id");
}

/** Log lines of an attempt. @throws DomainError as {@link readHello} */
export async function readReport(c: Context<AppEnv>): Promise<AttemptReport> {
  return reportOf(await readMessage(c));
}

/** The end of an attempt. @throws DomainError as {@link readHello} */
export async function readEnd(c: Context<AppEnv>): Promise<AttemptEndReport> {
  const body = await readMessage(c);
  const state = END_STATES.find((each) => each === ownProperty(body, "state"));
  if (state === undefined) throw invalidEntity(`state: must be one of ${END_STATES.join(", ")}`);
  const outputs = ownProperty(body, "outputs");
  const message = ownProperty(body, "message");
  return {
    ...reportOf(body),
    state,
    ...(isJsonObject(outputs) && { outputs }),
    ...(typeof message === "string" && { message }),
    metrics: metricsOf(ownProperty(body, "metrics")),
    files: textsOf(body, "files"),
  };
}

async function readMessage(c: Context<AppEnv>): Promise<JsonObject> {
  const body = await readJson(c, MAX_WORKER_MESSAGE_BYTES);
  if (isJsonObject(body)) return body;
  throw invalidEntity("the message of a worker must be an object");
}

function reportOf(body: JsonObject): AttemptReport {
  const seq = ownProperty(body, "seq");
  if (!isCount(seq, Number.MAX_SAFE_INTEGER)) throw invalidEntity("seq: must be a whole number from 1");
  const lines = ownProperty(body, "lines") ?? [];
  if (Array.isArray(lines) && lines.length <= MAX_REPORT_LINES) return { seq, lines: lines.map(lineOf) };
  throw invalidEntity(`lines: must be a list of at most ${MAX_REPORT_LINES} lines`);
}

function lineOf(value: JsonValue): ReportedLine {
  const [level, message] = Array.isArray(value) ? value : [];
  if (typeof message === "string" && LOG_LEVELS.includes(level as LogLevel)) {
    return [level as LogLevel, message];
  }
  throw invalidEntity(`lines: each must be a list of a level, one of ${LOG_LEVELS.join(", ")}, and a text`);
}

/** Those beyond the limits of an attempt are left out by the list of the worker already. */
function metricsOf(value: JsonValue | undefined): readonly Metric[] {
  const list = new MetricList();
  for (const item of Array.isArray(value) ? value : []) {
    if (!isJsonObject(item)) throw invalidEntity("metrics: each must be an object");
    const { name, type, value: number, tags } = item;
    const metric = { name: String(name), type: String(type) as MetricType, value: Number(number) };
    try {
      list.add({ ...metric, ...(isJsonObject(tags) && { tags: tagsOf(tags) }) });
    } catch (error) {
      throw invalidEntity(`metrics: ${(error as Error).message}`);
    }
  }
  return list.metrics;
}

function tagsOf(tags: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, String(value)]));
}

function textsOf(body: JsonObject, name: string): string[] {
  const value = ownProperty(body, name) ?? [];
  if (isTextList(value)) return value;
  throw invalidEntity(`${name}: must be a list of texts`);
}

function shortText(body: JsonObject, name: string): string {
  const value = ownProperty(body, name);
  if (typeof value === "string" && value !== "" && value.length <= MAX_TEXT) return value;
  throw invalidEntity(`${name}: must be a text of at most ${MAX_TEXT} characters`);
}

function isCount(value: JsonValue | undefined, max: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max;
}
