/** Values of DynamoDB, each with its type. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html */
import {
  Double,
  exactDecimal,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOrText,
  setOwnProperty,
} from "../../base/json.ts";

/** The members of an item or a key as DynamoDB has them. */
export function toAttributes(values: JsonObject): JsonObject {
  return mapped(values, toAttribute);
}

/** The members of an item of DynamoDB as values. Sets become lists, bytes base64 texts. */
export function fromAttributes(attributes: JsonObject): JsonObject {
  return mapped(attributes, fromAttribute);
}

function mapped(object: JsonObject, map: (value: JsonValue) => JsonValue): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(object)) setOwnProperty(result, name, map(value));
  return result;
}

function toAttribute(value: JsonValue): JsonObject {
  if (value === null) return { NULL: true };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "string") return { S: value };
  if (typeof value === "number" || typeof value === "bigint") return { N: String(value) };
  if (value instanceof Double) return { N: String(value.value) };
  return Array.isArray(value) ? { L: value.map(toAttribute) } : { M: toAttributes(value) };
}

function fromAttribute(attribute: JsonValue): JsonValue {
  if (!isJsonObject(attribute)) return null;
  const [[type, value] = ["NULL", null]] = Object.entries(attribute);
  const list = Array.isArray(value) ? value : [];
  switch (type) {
    case "NULL":
      return null;
    case "N":
      return numberOf(String(value));
    case "NS":
      return list.map((item) => numberOf(String(item)));
    case "L":
      return list.map(fromAttribute);
    case "M":
      return isJsonObject(value) ? fromAttributes(value) : null;
    default:
      return value;
  }
}

/** Numbers have up to 38 digits. */
function numberOf(text: string): JsonValue {
  return /[.eE]/.test(text) ? exactDecimal(text) : numberOrText(text);
}
