/** Derives Avro schemas from rows. */
import { Double, isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";

/** Of all records of a schema. */
const MAX_MEMBERS = 10_000;
/** Of the name of a record, in which those of the members that lead to it are repeated. */
const MAX_NAME_CHARS = 1_000;
/** Characters of a name in a message. */
const SHOWN_CHARS = 50;

/** The schema of rows: all members of all rows, each of which may be null. @throws Error a row is no object, they have too many members */
export function inferSchema(rows: readonly JsonValue[]): JsonValue {
  if (rows.length === 0) throw new Error("Cannot derive a schema: there are no rows");
  if (!rows.every(isJsonObject)) throw new Error("Cannot derive a schema: a row is no object");
  return schemaOf(rows, "Row", { members: 0 });
}

/** What the schema has so far. */
interface Counts {
  members: number;
}

function schemaOf(values: readonly JsonValue[], name: string, counts: Counts): JsonValue {
  const given = values.filter((value) => value !== null);
  const kinds = new Set(given.map(kindOf));
  const [kind = "string"] = kinds;
  if (kinds.size > 1) {
    return [...kinds].every((each) => each === "long" || each === "double") ? "double" : "string";
  }
  if (kind === "array") {
    return {
      type: "array",
      items: nullable(schemaOf(given.flatMap((list) => list as JsonValue[]), name, counts)),
    };
  }
  if (kind !== "record") return kind;
  const members = membersOf(objectsOf([...given]));
  counts.members += members.size;
  if (counts.members > MAX_MEMBERS) {
    throw new Error(`Cannot derive a schema: the rows have more than ${MAX_MEMBERS} members; give a schema`);
  }
  const fields = [...members].map(([member, found]) => ({
    name: member,
    type: nullable(schemaOf(found, innerName(name, member), counts)),
    default: null,
  }));
  return { type: "record", name, fields };
}

/** The values of all objects by their members. */
function membersOf(objects: readonly JsonObject[]): Map<string, JsonValue[]> {
  const members = new Map<string, JsonValue[]>();
  for (const object of objects) {
    for (const [member, value] of Object.entries(object)) {
      const values = members.get(member);
      if (values) values.push(value);
      else members.set(member, [value]);
    }
  }
  return members;
}

/** @throws Error it is too long */
function innerName(name: string, member: string): string {
  if (name.length + member.length < MAX_NAME_CHARS) return `${name}_${member.replace(/\W/g, "_")}`;
  throw new Error(
    `Cannot derive a schema: with the member "${
      member.slice(0, SHOWN_CHARS)
    }" a name has more than ${MAX_NAME_CHARS} characters; give a schema`,
  );
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
