/**
 * Control lines, by which a script reports results to the server:
 * `::{"outputs": {…}, "encryptedOutputs": {…}, "metrics": […], "logs": […]}::`.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, parseJson } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { type Metric, METRIC_TYPES } from "../../model/executions/metric.ts";

/** A metric as a script reports it. */
export type GivenMetric = Omit<Metric, "value"> & { readonly value: JsonValue };

/** The content of a control line. */
interface ControlLine {
  readonly outputs: JsonObject;
  /** Outputs that are stored encrypted. */
  readonly encryptedOutputs: JsonObject;
  readonly metrics: readonly GivenMetric[];
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
}

/** Matches the whole line without surrounding blanks. */
const PATTERN = /^\s*::(\{.*\})::\s*$/s;

/** True for a control line; it is not logged. */
export function isControlLine(text: string): boolean {
  return text.includes("::{") && PATTERN.test(text);
}

/** Parses a control line. @throws Error malformed content */
export function readControlLine(text: string): ControlLine {
  const value = parse(PATTERN.exec(text)?.[1] ?? "");
  return {
    outputs: objectOf(value, "outputs"),
    encryptedOutputs: objectOf(value, "encryptedOutputs"),
    metrics: listOf(value, "metrics").map(metricOf),
    logs: listOf(value, "logs").map((entry) => ({
      level: levelOf(ownProperty(entry, "level")),
      message: String(ownProperty(entry, "message") ?? ""),
    })),
  };
}

function parse(text: string): JsonObject {
  try {
    return parseJson(text) as JsonObject;
  } catch (error) {
    // The text comes from a script.
    throw new Error(`Cannot read a control line: ${(error as Error).message}`);
  }
}

function objectOf(value: JsonObject, name: string): JsonObject {
  const object = ownProperty(value, name) ?? {};
  if (isJsonObject(object)) return object;
  throw new Error(`Cannot read a control line: "${name}" must be an object`);
}

function listOf(value: JsonObject, name: string): JsonObject[] {
  const list = ownProperty(value, name) ?? [];
  if (Array.isArray(list) && list.every((entry) => isJsonObject(entry))) return list;
  throw new Error(`Cannot read a control line: "${name}" must be a list of objects`);
}

/** A metric with its value unread, so that an invalid value does not affect the rest of the line. */
function metricOf(entry: JsonObject): GivenMetric {
  const given = String(ownProperty(entry, "type") ?? "counter").toLowerCase();
  const type = METRIC_TYPES.find((each) => each === given);
  if (!type) {
    throw new Error(
      `Cannot read a control line: "${given}" is not a metric type; it must be ${METRIC_TYPES.join(" or ")}`,
    );
  }
  const tags = ownProperty(entry, "tags");
  return {
    name: String(ownProperty(entry, "name") ?? ""),
    type,
    value: ownProperty(entry, "value") ?? null,
    tags: isJsonObject(tags) ? tagsOf(tags) : undefined,
  };
}

function tagsOf(tags: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, tag]) => [name, printValue(tag)]));
}

function levelOf(value: JsonValue | undefined): LogLevel {
  const given = String(value ?? "INFO").toUpperCase();
  const name = given === "WARNING" ? "WARN" : given;
  return LOG_LEVELS.find((level) => level === name) ?? "INFO";
}
