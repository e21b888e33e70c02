/** Values → YAML text: block style with the fewest quotes. */
import { stringify } from "@std/yaml";
import { Double, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { measureValue } from "../values/mod.ts";

const PLAIN_TEXT = /^[A-Za-z_][\w ./-]*[\w./]$/;
/** Longer keys need a question mark: YAML allows 1,024 characters, the colon included. */
const MAX_IMPLICIT_KEY = 1_000;
/** White space that a reader may drop, or read as a line end. */
const ODD_SPACE = /[^\S \t\n]/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Where a list or map within a list begins: behind the dash of its item, or on the next line. */
type YamlLayout = "compact" | "open";

/** YAML text that ends with a line break; list items are indented by one space. @throws ExpressionError `limit` */
export function yamlText(value: JsonValue, layout: YamlLayout = "compact"): string {
  measureValue(value);
  if (!isBranch(value)) return `${scalar(value, "  ")}\n`;
  return block(value, { indent: Array.isArray(value) ? " " : "", layout });
}

/** The indent of the lines of a block, and their layout. */
interface Place {
  readonly indent: string;
  readonly layout: YamlLayout;
}

function isBranch(value: JsonValue): value is JsonValue[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function block(value: JsonValue[] | JsonObject, place: Place): string {
  const parts = Array.isArray(value)
    ? value.map((item) => listItem(item, place))
    : Object.keys(value).map((name) => entry(name, value[name] as JsonValue, place));
  return parts.map((part) => place.indent + part).join("");
}

function listItem(item: JsonValue, { indent, layout }: Place): string {
  const isOpen = layout === "open";
  if (!isBranch(item)) return `- ${scalar(item, indent + (isOpen ? " " : "  "))}\n`;
  if (isOpen) return `-\n${block(item, { indent: indent + (Array.isArray(item) ? "  " : " "), layout })}`;
  return `- ${block(item, { indent: `${indent}  `, layout }).trimStart()}`;
}

function entry(name: string, value: JsonValue, { indent, layout }: Place): string {
  const key = name.includes("\n") ? JSON.stringify(name) : scalar(name, "");
  const head = key.length <= MAX_IMPLICIT_KEY ? `${key}:` : `? ${key}\n${indent}:`;
  if (!isBranch(value)) return `${head} ${scalar(value, `${indent}  `)}\n`;
  return `${head}\n${block(value, { indent: indent + (Array.isArray(value) ? " " : "  "), layout })}`;
}

function scalar(value: JsonValue, indent: string): string {
  if (value === null) return "null";
  if (typeof value === "object") {
    return value instanceof Double ? String(value) : Array.isArray(value) ? "[]" : "{}";
  }
  if (typeof value !== "string") return String(value);
  if (PLAIN_TEXT.test(value) && !AMBIGUOUS.test(value)) return value;
  if (AMBIGUOUS.test(value) || ODD_SPACE.test(value)) return JSON.stringify(value);
  if (value.includes("\n")) return literalBlock(value, indent);
  const text = stringify(value, { lineWidth: 0 }).replace(/\n$/, "");
  return text.includes("\n") ? JSON.stringify(value) : text;
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
