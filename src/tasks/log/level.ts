/** Levels of log lines as tasks are given them. */
import type { JsonObject } from "../../base/json.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { textOf } from "../property_values.ts";

/** The level that a property names, in any case; INFO when it is absent or empty. @throws Error */
export function readLogLevel(properties: JsonObject, name: string): LogLevel {
  return checkLogLevel(textOf(properties, name) || "INFO");
}

/** The level of that name, in any case. @throws Error */
export function checkLogLevel(text: string): LogLevel {
  const name = text.trim().toUpperCase();
  const level = LOG_LEVELS.find((candidate) => candidate === name);
  if (level) return level;
  throw new Error(`Invalid level "${name}": it must be one of ${LOG_LEVELS.join(", ")}`);
}
