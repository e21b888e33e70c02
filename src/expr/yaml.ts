/** Data ↔ YAML text: block style with the fewest quotes one way, number kinds kept the other. */
import { isAlias, isMap, isScalar, isSeq, parseDocument, stringify } from "@std/yaml";
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOfSource,
  setOwnProperty,
} from "../base/json.ts";
import { fail } from "./errors.ts";
import { MAX_VALUE_DEPTH } from "./limits.ts";
import { measureValue } from "./print.ts";

/** Nodes of one document, those that aliases repeat counted each time. */
const MAX_NODES = 100_000;
const PLAIN_TEXT = /^[A-Za-z_][\w ./-]*[\w./]$/;
const PLAIN_NUMBER = /^[-+]?\d+$/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** YAML text that ends with a line break; items of a list are indented by one space. @throws ExpressionError `limit` */
export function yamlText(value: JsonValue): string {
  measureValue(value);
  return isBranch(value) ? block(value, "") : `${scalar(value, "")}\n`;
}

function isBranch(value: JsonValue): value is JsonValue[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function block(value: JsonValue[] | JsonObject, indent: string): string {
  if (!Array.isArray(value)) {
    return Object.keys(value).map((name) => indent + entry(name, value[name] as JsonValue, indent)).join("");
  }
  return value.map((item) =>
    isBranch(item)
      ? `${indent}- ${block(item, `${indent}  `).trimStart()}`
      : `${indent}- ${scalar(item, `${indent}  `)}\n`
  ).join("");
}

function entry(name: string, value: JsonValue, indent: string): string {
  const key = name.includes("\n") ? JSON.stringify(name) : scalar(name, "");
  if (!isBranch(value)) return `${key}: ${scalar(value, `${indent}  `)}\n`;
  return `${key}:\n${block(value, indent + (Array.isArray(value) ? " " : "  "))}`;
}

function scalar(value: JsonValue, indent: string): string {
  if (value === null) return "null";
  if (typeof value === "object") {
    return value instanceof Double ? String(value) : Array.isArray(value) ? "[]" : "{}";
  }
  if (typeof value !== "string") return String(value);
  if (PLAIN_TEXT.test(value) && !AMBIGUOUS.test(value)) return value;
  if (AMBIGUOUS.test(value)) return JSON.stringify(value);
  if (value.includes("\n")) return literalBlock(value, indent);
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

/** `|` style where it keeps every character, else a double-quoted string. */
function literalBlock(text: string, indent: string): string {
  const isPlain = indent !== "" && /^[^\s]/.test(text) && !/[^\S\n]\n|[\p{Cc}--\n]|[^\S\n]$/v.test(text);
  if (!isPlain) return JSON.stringify(text);
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  const body = text.slice(0, end);
  const breaks = text.length - body.length;
  const header = breaks === 0 ? "|-" : breaks === 1 ? "|" : "|+";
  const lines = (breaks <= 1 ? body : text.slice(0, -1)).split("\n");
  return `${header}\n${lines.map((line) => line === "" ? "" : indent + line).join("\n")}`;
}

/** The data of a YAML text; aliases are resolved, map keys are texts. @throws ExpressionError `argument`, `limit` */
export function parseYaml(text: string): JsonValue {
  const document = parseDocument(text, { logLevel: "silent", uniqueKeys: true });
  const [error] = document.errors;
  if (error?.message.includes("call stack")) {
    fail("limit", "Cannot read the YAML text: it is nested too deeply");
  }
  if (error) fail("argument", `Cannot read the YAML text: ${error.message.split("\n")[0]}`);
  let count = 0;
  const read = (node: unknown, depth: number): JsonValue => {
    if (++count > MAX_NODES || depth > MAX_VALUE_DEPTH) {
      fail("limit", "Cannot read the YAML text: it is too large");
    }
    if (isAlias(node)) return read(node.resolve(document), depth + 1);
    if (isSeq(node)) return node.items.map((item) => read(item, depth + 1));
    if (isMap(node)) return readMap(node.items, (item) => read(item, depth + 1));
    return isScalar(node) ? scalarValue(node.value, node.source) : null;
  };
  return read(document.contents, 0);
}

function readMap(
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  read: (node: unknown) => JsonValue,
): JsonObject {
  const map: JsonObject = {};
  for (const { key, value } of items) {
    const name = isScalar(key)
      ? key.source ?? String(key.value)
      : fail("argument", "Cannot read a YAML key: not a scalar");
    setOwnProperty(map, name, read(value));
  }
  return map;
}

function scalarValue(value: unknown, source = ""): JsonValue {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") return null;
  if (!Number.isFinite(value)) return source;
  if (PLAIN_NUMBER.test(source)) return numberOfSource(source.replace(/^\+/, ""));
  return Number.isInteger(value) && !/[.eE]/.test(source) ? value : new Double(value);
}
