/** Fields that a transformation computes from a record: an expression, and the type of its value. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { dynamicProperty, type PropertySchema } from "../../model/flows/schema.ts";
import { compileRecordExpression, type RecordExpression } from "./record_expression.ts";
import { castTo, FIELD_TYPES } from "./record_values.ts";

/** Property: the computed fields. */
export const FIELDS: PropertySchema = dynamicProperty(
  "map",
  `Fields of the result by name: an expression such as \`sum(items[].price)\`, or a map of \`expr\`, \`type\` (${
    FIELD_TYPES.join(", ")
  }) and \`optional\`, which allows null.`,
);

/** A declared field. */
export interface Field {
  readonly name: string;
  /** Expression as written. */
  readonly source: string;
  readonly type: string | undefined;
  /** The value may be null. */
  readonly isOptional: boolean;
}

/** The fields of a property of that name. @throws Error one is malformed */
export function declaredFields(property: string, given: JsonValue | undefined): Field[] {
  if (!isJsonObject(given)) return [];
  return Object.entries(given).map(([name, declared]) => {
    const definition: JsonObject = isJsonObject(declared) ? declared : { expr: declared };
    const source = String(ownProperty(definition, "expr") ?? "").trim();
    const type = ownProperty(definition, "type");
    if (source === "") throw new Error(`Invalid ${property}: "${name}" has no expr`);
    if (type !== undefined && type !== null && !FIELD_TYPES.includes(String(type))) {
      throw new Error(`Invalid ${property}: the type of "${name}" must be one of ${FIELD_TYPES.join(", ")}`);
    }
    const optional = String(ownProperty(definition, "optional") ?? false);
    return { name, source, type: type ? String(type) : undefined, isOptional: optional === "true" };
  });
}

/** A field that can be computed. */
export interface ComputedField extends Field {
  readonly value: RecordExpression;
}

/** The fields of `fields`. @throws Error an expression is malformed */
export function computedFields(given: JsonValue | undefined): ComputedField[] {
  return declaredFields("fields", given).map((field) => {
    const evaluate = compileRecordExpression(field.source);
    return {
      ...field,
      value(record, steps) {
        const value = steps.read(evaluate(record, steps));
        return field.type === undefined ? value : castTo(field.type, value);
      },
    };
  });
}

/** The record without its null fields. */
export function withoutNulls(record: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(record)) {
    if (value !== null) setOwnProperty(kept, name, value);
  }
  return kept;
}
