/** How the properties of a task, trigger or input type are described, once: validation, editors and docs read the same. */
import type { JsonValue } from "../base/json.ts";

/** What a property may hold. A dynamic property may also be a string with expressions, checked when it is rendered. */
export interface PropertySchema {
  readonly type: "string" | "integer" | "number" | "boolean" | "duration" | "list" | "map" | "any" | "tasks";
  readonly description: string;
  readonly required?: boolean;
  /** Expressions are allowed; rendered before each attempt. */
  readonly dynamic?: boolean;
  /** Allowed texts, compared exactly. */
  readonly values?: readonly string[];
  readonly default?: JsonValue;
  /** Also accepted: a list of what is described (a Log's `message`). */
  readonly orList?: boolean;
  readonly minimum?: number;
  readonly maxLength?: number;
}

/** Properties by name. */
export type PropertySchemas = Readonly<Record<string, PropertySchema>>;
