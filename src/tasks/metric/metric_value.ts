/** Values of metrics as flows and scripts give them. */
import { parseDuration } from "../../base/time/duration.ts";
import type { JsonValue } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import type { MetricType } from "../../model/executions/metric.ts";

/** Milliseconds of a timer, given in seconds or as an ISO 8601 duration; otherwise the number. @throws Error neither */
export function metricValue(name: string, type: MetricType, given: JsonValue): number {
  const text = printValue(given).trim();
  const number = text === "" ? NaN : Number(text);
  const value = type !== "timer" ? number : Number.isNaN(number) ? parseDuration(text) : number * 1000;
  if (value !== undefined && Number.isFinite(value)) return value;
  const form = type === "timer" ? "seconds, or an ISO 8601 duration such as PT10S" : "a number";
  throw new Error(`Invalid value "${text.slice(0, 100)}" of metric "${name}": it must be ${form}`);
}
