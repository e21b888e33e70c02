/** Schemas of properties of tasks, triggers, conditions and inputs, used by validation, editors and documentation. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";

/** Types of property values. Scalars may also be given as texts. */
export type PropertyType =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  /** ISO 8601, such as `PT10S`, or a number of seconds. */
  | "duration"
  /** ISO 8601, with or without time and zone. */
  | "dateTime"
  /** Elements as in `items`; any elements without it. */
  | "list"
  /** Any keys; values as in `items`; any values without it. */
  | "map"
  /** Only the members in `properties` and `variants`. */
  | "object"
  | "any"
  /** A task, a list of tasks, the entries of a Dag; validated as tasks. */
  | "task"
  | "tasks"
  | "dagTasks"
  /** Named branches of a Switch: a map of lists of tasks. */
  | "cases"
  /** A list of declared inputs. */
  | "inputs"
  /** A trigger condition, a list or a map of them. */
  | "condition"
  | "conditions"
  | "conditionMap"
  /** A task runner, with the properties of its type. */
  | "taskRunner"
  /** An object of a type of the `family`, with the properties of that type; see `PartType`. */
  | "part";

/** Schema of a property. A dynamic property may also be a string with expressions, validated after rendering. */
export interface PropertySchema {
  readonly type: PropertyType;
  readonly description: string;
  readonly required?: boolean;
  /** Allows expressions, also within lists and maps; rendered before each attempt. */
  readonly dynamic?: boolean;
  /** Allowed texts, compared exactly. */
  readonly values?: readonly string[];
  readonly default?: JsonValue;
  /** A required list may have no elements. */
  readonly mayBeEmpty?: boolean;
  /** Also accepts a list of such values (`message` of a Log). */
  readonly orList?: boolean;
  /** Also accepts a map (`values` of a ForEach). */
  readonly orMap?: boolean;
  /** Of a dynamic text: also accepts a list or an object, whose JSON is the text (`body` of a request). */
  readonly orJson?: boolean;
  /** Also accepts a text that contains the value as JSON or YAML. */
  readonly orText?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of a duration: it is longer than nothing, or at least not negative. */
  readonly sign?: "positive" | "notNegative";
  readonly maxLength?: number;
  /** Regular expression that the whole text must match. */
  readonly pattern?: string;
  /** Elements of a list, values of a map. */
  readonly items?: PropertySchema;
  /** Members of an object. */
  readonly properties?: PropertySchemas;
  /** Further members of an object, by the value of its `type`. */
  readonly variants?: Readonly<Record<string, PropertySchemas>>;
  /** Of a part: the family of types that it may have, such as `ai.provider`. */
  readonly family?: string;
  /** Of a part: a value for derived examples. */
  readonly sample?: JsonObject;
  /** Legacy names; their use causes a warning. */
  readonly aliases?: readonly string[];
  /** Deprecated but supported; the text names the replacement. */
  readonly deprecated?: string;
  /** Not implemented: a flow that uses it is refused. */
  readonly planned?: boolean;
  /** Accepted without effect; its use causes a warning. */
  readonly ignored?: boolean;
}

/** Properties by name. */
export type PropertySchemas = Readonly<Record<string, PropertySchema>>;

/** The current name of a property that is given under it or under an alias; `undefined` if there is no such property. */
export function currentName(name: string, schemas: PropertySchemas): string | undefined {
  if (Object.hasOwn(schemas, name)) return name;
  return Object.keys(schemas).find((each) => schemas[each]?.aliases?.includes(name));
}

/** Members of a schema beside those that a function below takes. */
type FurtherMembers = Omit<PropertySchema, "type" | "description" | "dynamic">;

/** A dynamic property. */
export function dynamicProperty(
  type: PropertyType,
  description: string,
  further: FurtherMembers = {},
): PropertySchema {
  return Object.freeze({ type, dynamic: true, ...further, description });
}

/** A dynamic text. */
export function dynamicText(description: string, further?: FurtherMembers): PropertySchema {
  return dynamicProperty("string", description, further);
}

/** A dynamic text that is content, not a name: the JSON of a list or an object, where one is given. */
export function dynamicContent(description: string, further?: FurtherMembers): PropertySchema {
  return dynamicText(description, { orJson: true, ...further });
}

/** The value of a property with the JSON of each list and object that stands where content is expected. */
export function withJsonTexts(value: JsonValue, schema: PropertySchema): JsonValue {
  if (!takesJson(schema)) return value;
  if (Array.isArray(value)) {
    const item = schema.orList ? { ...schema, orList: false } : schema.items;
    if (item && (schema.orList || !schema.orJson)) {
      return value.map((element) => withJsonTexts(element, item));
    }
  } else if (!isJsonObject(value)) return value;
  if (schema.orJson) return stringifyJson(value);
  const { items } = schema;
  if (!items || Array.isArray(value)) return value;
  const object: JsonObject = {};
  for (const name of Object.keys(value)) {
    setOwnProperty(object, name, withJsonTexts(ownProperty(value, name) ?? null, items));
  }
  return object;
}

function takesJson({ orJson, items }: PropertySchema): boolean {
  return orJson === true || items !== undefined && takesJson(items);
}

/** A dynamic flag with a default. */
export function dynamicFlag(
  fallback: boolean,
  description: string,
  further?: FurtherMembers,
): PropertySchema {
  return dynamicProperty("boolean", description, { default: fallback, ...further });
}

/** A dynamic text with allowed values and a default. */
export function dynamicChoice(
  values: readonly string[],
  fallback: string,
  description: string,
  further?: FurtherMembers,
): PropertySchema {
  return dynamicProperty("string", description, { values, default: fallback, ...further });
}
