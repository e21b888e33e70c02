/** Derives Avro schemas from rows. */
import { Double, isJsonObject, type JsonValue, objectsOf } from "../../base/json.ts";

/** The schema of rows: all members of all rows, each of which may be null. @throws Error a row is no object */
export function inferSchema(rows: readonly JsonValue[]): JsonValue {
  if (rows.length === 0) throw new Error("Cannot derive a schema: there are no rows");
  if (!rows.every(isJsonObject)) throw new Error("Cannot derive a schema: a row is no object");
  return schemaOf(rows, "Row");
}

function schemaOf(values: readonly JsonValue[], name: string): JsonValue {
  const given = values.filter((value) => value !== null);
  const kinds = new Set(given.map(kindOf));
  const [kind = "string"] = kinds;
  if (kinds.size > 1) {
    return [...kinds].every((each) => each === "long" || each === "double") ? "double" : "string";
  }
  if (kind === "array") {
    return {
      type: "array",
      items: nullable(schemaOf(given.flatMap((list) => list as JsonValue[]), name)),
    };
  }
  if (kind !== "record") return kind;
  const objects = objectsOf([...given]);
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  const fields = [...names].map((member) => ({
    name: member,
    type: nullable(
      schemaOf(
        objects.map((object) => Object.hasOwn(object, member) ? object[member] ?? null : null),
        `${name}_${member.replace(/\W/g, "_")}`,
      ),
    ),
    default: null,
  }));
  return { type: "record", name, fields };
}

function nullable(schema: JsonValue): JsonValue {
  return ["null", schema];
}

function kindOf(value: JsonValue): string {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number" || typeof value === "bigint") return "long";
  if (value instanceof Double) return "double";
  if (typeof value === "string") return "string";
  return Array.isArray(value) ? "array" : "record";
}
