/** How the properties of a task, trigger, condition or input type are described, once: validation, editors and docs read the same. */
import type { JsonValue } from "../../base/json.ts";

/** Kinds of values that a property may hold. Scalars may be written as texts. */
const PROPERTY_TYPES = [
  "string",
  "integer",
  "number",
  "boolean",
  /** ISO 8601, such as `PT10S`. */
  "duration",
  /** ISO 8601, with or without time and zone. */
  "dateTime",
  /** Elements as `items` says; any without it. */
  "list",
  /** Any names; values as `items` says; any without it. */
  "map",
  /** The members that `properties` or `variants` say, and no others. */
  "object",
  "any",
  /** One task, a list of tasks; entries of a Dag; what they nest is validated as tasks are. */
  "task",
  "tasks",
  "dagTasks",
  /** Named branches of a Switch: a map of lists of tasks. */
  "cases",
  /** A list of declared inputs. */
  "inputs",
  /** One condition of a trigger, a list of them, a map of them. */
  "condition",
  "conditions",
  "conditionMap",
] as const;

/** One of {@link PROPERTY_TYPES}. */
export type PropertyType = typeof PROPERTY_TYPES[number];

/** What a property may hold. A dynamic property may also be a string with expressions, checked when it is rendered. */
export interface PropertySchema {
  readonly type: PropertyType;
  readonly description: string;
  readonly required?: boolean;
  /** Expressions are allowed, also within lists and maps; rendered before each attempt. */
  readonly dynamic?: boolean;
  /** Allowed texts, compared exactly. */
  readonly values?: readonly string[];
  readonly default?: JsonValue;
  /** Also accepted: a list of what is described (a Log's `message`). */
  readonly orList?: boolean;
  /** Also accepted: a map (the `values` of a ForEach). */
  readonly orMap?: boolean;
  /** Also accepted: a text, which holds JSON or YAML of what is described. */
  readonly orText?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Source of a regular expression that a text must match as a whole. */
  readonly pattern?: string;
  /** Elements of a list, values of a map. */
  readonly items?: PropertySchema;
  /** Members of an object. */
  readonly properties?: PropertySchemas;
  /** Objects whose further members depend on their `type`. */
  readonly variants?: Readonly<Record<string, PropertySchemas>>;
  /** Other names under which existing flows give it; told in a warning. */
  readonly aliases?: readonly string[];
  /** Still works; says what to use instead. */
  readonly deprecated?: string;
  /** Nothing acts on it yet: a flow that uses it is refused. */
  readonly planned?: boolean;
  /** Accepted without effect; told in a warning. */
  readonly ignored?: boolean;
}

/** Properties by name. */
export type PropertySchemas = Readonly<Record<string, PropertySchema>>;

/** A text that may have expressions. */
export function dynamicText(description: string): PropertySchema {
  return Object.freeze({ type: "string", dynamic: true, description });
}

/** A flag that may be an expression, with its default. */
export function dynamicFlag(fallback: boolean, description: string): PropertySchema {
  return Object.freeze({ type: "boolean", dynamic: true, default: fallback, description });
}
