/** The level of log lines as a property of tasks. */
import type { JsonObject } from "../../base/json.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { dynamicChoice, type PropertySchema } from "../../model/flows/schema.ts";
import { oneOf, textOf } from "../property_values.ts";

/** Schema of the property; INFO is its default. */
export function levelProperty(description: string): PropertySchema {
  return dynamicChoice(LOG_LEVELS, "INFO", description);
}

/** The value of the property `level`, in any case; INFO if it is absent or empty. @throws Error unknown level */
export function readLogLevel(properties: JsonObject): LogLevel {
  return checkLogLevel(textOf(properties, "level") || "INFO");
}

/** The level of that name, in any case. @throws Error unknown level */
export function checkLogLevel(text: string): LogLevel {
  return oneOf(LOG_LEVELS, text.trim().toUpperCase(), "level");
}
