/**
 * Documents of MongoDB: values of flows as BSON and back. Extended JSON such as `{"$oid": "…"}` stands for the types that JSON lacks.
 * https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
 */
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOfSource,
  setOwnProperty,
  tryParseJson,
} from "../../base/json.ts";

/** The package `bson`. */
export type Bson = typeof import("bson");

/** A value of BSON. */
export type BsonValue = unknown;

/** A document of BSON. */
export type BsonDocument = Map<string, BsonValue>;

/** Loads the package. */
export function loadBson(): Promise<Bson> {
  return import("bson");
}

/** Members of objects of extended JSON; `$regex` and the like are operators. */
const EXTENDED = new Set([
  ...["$oid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$binary", "$uuid"],
  ...["$timestamp", "$regularExpression", "$minKey", "$maxKey", "$undefined", "$code", "$symbol"],
]);
const MAX_INT32 = 2 ** 31;

/** The document of a property: a map, or the text of one; empty without a value. @throws Error it is something else */
export function documentOf(bson: Bson, value: JsonValue | undefined, property: string): BsonDocument {
  const given = typeof value === "string" && value.trim() !== "" ? tryParseJson(value) : value;
  if (given === undefined && typeof value !== "string" || given === null || value === "") return new Map();
  if (!isJsonObject(given)) throw new Error(`Invalid ${property}: it must be a map, or its JSON`);
  return toDocument(bson, given);
}

/** A map as a document. @throws Error a value of extended JSON is malformed */
export function toDocument(bson: Bson, map: JsonObject): BsonDocument {
  return new Map(Object.entries(map).map(([name, value]) => [name, toBson(bson, value)]));
}

function toBson(bson: Bson, value: JsonValue): BsonValue {
  if (value instanceof Double) return new bson.Double(value.value);
  if (typeof value === "bigint") return bson.Long.fromBigInt(value);
  if (typeof value === "number" && Math.abs(value) >= MAX_INT32) return bson.Long.fromNumber(value);
  if (Array.isArray(value)) return value.map((each) => toBson(bson, each));
  if (!isJsonObject(value)) return value;
  const [name = ""] = Object.keys(value);
  if (!EXTENDED.has(name)) return toDocument(bson, value);
  try {
    return bson.EJSON.deserialize(value as Parameters<Bson["EJSON"]["deserialize"]>[0], { relaxed: false });
  } catch (error) {
    throw new Error(`Invalid value of ${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** A document as bytes. @throws Error it has more than 16 MiB */
export function serialize(bson: Bson, document: BsonDocument): Uint8Array {
  return bson.serialize(document, { ignoreUndefined: true });
}

/** The document of bytes, its values as they are in BSON. */
export function deserialize(bson: Bson, bytes: Uint8Array): Record<string, BsonValue> {
  return bson.deserialize(bytes, { promoteValues: false, bsonRegExp: true });
}

/** A value that was read: times as ISO 8601, ids and decimals as texts or numbers, bytes in Base64. */
export function fromBson(bson: Bson, value: BsonValue): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (Array.isArray(value)) return value.map((each) => fromBson(bson, each));
  if (value instanceof bson.Double) return doubleOf(value.value);
  if (value instanceof bson.Int32) return value.value;
  if (value instanceof bson.Long) return numberOfSource(value.toString());
  if (value instanceof bson.Decimal128) return decimalOf(value.toString());
  if (value instanceof bson.ObjectId) return value.toHexString();
  if (value instanceof bson.Timestamp) return new Date(value.getHighBitsUnsigned() * 1000).toISOString();
  if (value instanceof bson.Binary) return Uint8Array.from(value.value()).toBase64();
  if ("_bsontype" in (value as object)) return (bson.EJSON.serialize({ value }) as JsonObject).value ?? null;
  return rowOf(bson, value as Record<string, BsonValue>);
}

/** A document that was read. */
export function rowOf(bson: Bson, document: Record<string, BsonValue>): JsonObject {
  const row: JsonObject = {};
  for (const [name, value] of Object.entries(document)) setOwnProperty(row, name, fromBson(bson, value));
  return row;
}

function doubleOf(value: number): JsonValue {
  return Number.isFinite(value) ? new Double(value) : String(value);
}

function decimalOf(text: string): JsonValue {
  return /^-?\d/.test(text) ? numberOfSource(text) : text;
}
