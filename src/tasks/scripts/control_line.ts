/**
 * Lines by which a script tells the server something:
 * `::{"outputs": {…}, "encryptedOutputs": {…}, "metrics": […], "logs": […]}::`.
 */
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  parseJson,
  stringifyJson,
} from "../../base/json.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { type Metric, METRIC_TYPES } from "../../model/executions/metric.ts";

/** What such a line says. */
interface ControlLine {
  readonly outputs: JsonObject;
  /** Outputs that are kept encrypted only. */
  readonly encryptedOutputs: JsonObject;
  readonly metrics: readonly Metric[];
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
}

/** The line as a whole, blanks around it left out. */
const PATTERN = /^\s*::(\{.*\})::\s*$/s;

/** True for a line that is meant for the server and is not logged. */
export function isControlLine(text: string): boolean {
  return text.includes("::{") && PATTERN.test(text);
}

/** What a control line says. @throws Error: it cannot be read */
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
    // What stands between the colons is what a script has printed.
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

/** Timers are given in seconds. */
function metricOf(entry: JsonObject): Metric {
  const given = String(ownProperty(entry, "type") ?? "counter").toLowerCase();
  const type = METRIC_TYPES.find((each) => each === given);
  if (!type) {
    throw new Error(
      `Cannot read a control line: "${given}" is no type of a metric; it must be ${
        METRIC_TYPES.join(" or ")
      }`,
    );
  }
  const value = numberOf(ownProperty(entry, "value"));
  const tags = ownProperty(entry, "tags");
  return {
    name: String(ownProperty(entry, "name") ?? ""),
    type,
    value: type === "timer" ? value * 1000 : value,
    tags: isJsonObject(tags) ? tagsOf(tags) : undefined,
  };
}

function tagsOf(tags: JsonObject): Record<string, string> {
  const text = (tag: JsonValue) => typeof tag === "object" ? stringifyJson(tag) : String(tag);
  return Object.fromEntries(Object.entries(tags).map(([name, tag]) => [name, text(tag)]));
}

function numberOf(value: JsonValue | undefined): number {
  return value instanceof Double ? value.value : Number(value);
}

function levelOf(value: JsonValue | undefined): LogLevel {
  const given = String(value ?? "INFO").toUpperCase();
  const name = given === "WARNING" ? "WARN" : given;
  return LOG_LEVELS.find((level) => level === name) ?? "INFO";
}
