/** Data ↔ YAML text: block style with the fewest quotes one way, number kinds kept the other. */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  stringify,
} from "@std/yaml";
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOfSource,
  setOwnProperty,
} from "../../base/json.ts";
import { fail } from "../values/errors.ts";
import { MAX_VALUE_DEPTH } from "../values/limits.ts";
import { measureValue } from "../values/print.ts";

/** Nodes of one document, those that aliases repeat counted each time. */
const MAX_NODES = 100_000;
const PLAIN_TEXT = /^[A-Za-z_][\w ./-]*[\w./]$/;
const PLAIN_NUMBER = /^[-+]?\d+$/;
/** Longer keys, of more than 1,024 characters with their colon, are marked by a question mark. */
const MAX_IMPLICIT_KEY = 1_000;
/** White space that a reader may drop or take for the end of a line. */
const ODD_SPACE = /[^\S \t\n]/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** YAML text that ends with a line break; items of a list are indented by one space. @throws ExpressionError `limit` */
export function yamlText(value: JsonValue): string {
  measureValue(value);
  return isBranch(value) ? block(value, indentOf(value)) : `${scalar(value, "")}\n`;
}

function isBranch(value: JsonValue): value is JsonValue[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

/** What the items of a list are indented by, more than what holds them. */
function indentOf(value: JsonValue[] | JsonObject): string {
  return Array.isArray(value) ? " " : "";
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
  const head = key.length <= MAX_IMPLICIT_KEY ? `${key}:` : `? ${key}\n${indent}:`;
  if (!isBranch(value)) return `${head} ${scalar(value, `${indent}  `)}\n`;
  return `${head}\n${block(value, indent + (Array.isArray(value) ? " " : "  "))}`;
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

/** The data of a YAML text; aliases are resolved, map keys are texts. @throws ExpressionError `argument`, `limit` */
export function parseYaml(text: string): JsonValue {
  const { contents } = parseTree(text);
  const targets = new Map<unknown, unknown>();
  findTargets(contents, { targets, anchors: new Map() }, 0);
  let count = 0;
  const read = (node: unknown, depth: number): JsonValue => {
    if (++count > MAX_NODES || depth > MAX_VALUE_DEPTH) {
      failTooLarge();
    }
    if (isAlias(node)) return read(targets.get(node), depth + 1);
    if (isSeq(node)) return node.items.map((item) => read(item, depth + 1));
    if (isMap(node)) return readMap(node.items, (item) => read(item, depth + 1));
    return isScalar(node) ? scalarValue(node.value, node.source) : null;
  };
  return read(contents, 0);
}

/** The only document of a text. @throws ExpressionError `argument`, `limit` */
function parseTree(text: string): Document.Parsed {
  const lines = new LineCounter();
  // The library would compare each key with each other one; whoever reads the maps finds those that are there twice.
  const composer = new Composer({ logLevel: "silent", uniqueKeys: false, prettyErrors: false });
  const [document, second] = composer.compose(tokens(text, new Parser(lines.addNewLine)), true, text.length);
  const [error] = document?.errors ?? [];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    fail("argument", `Cannot read the YAML text: ${error.message} at line ${line}, column ${col}`);
  }
  if (!document || second) fail("argument", "Cannot read the YAML text: it holds several documents");
  return document;
}

/** Concrete syntax, one lexeme at a time: the cost of nesting grows with the square of its depth. */
function* tokens(text: string, parser: Parser) {
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_VALUE_DEPTH) {
      fail("limit", "Cannot read the YAML text: it is nested too deeply");
    }
  }
  yield* parser.end();
}

function failTooLarge(): never {
  return fail("limit", "Cannot read the YAML text: it is too large");
}

interface Targets {
  /** The node of each alias: the last one before it with its anchor. */
  readonly targets: Map<unknown, unknown>;
  readonly anchors: Map<string, unknown>;
}

/** Finds the nodes of all aliases, in the order of the text. @throws ExpressionError `argument` for one that has none, `limit` */
function findTargets(node: unknown, found: Targets, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) failTooLarge();
  if (isAlias(node)) {
    const target = found.anchors.get(node.source);
    if (!target) {
      fail("argument", `Cannot read the YAML text: alias "${node.source}" has no anchor before it`);
    }
    found.targets.set(node, target);
    return;
  }
  if (!isScalar(node) && !isSeq(node) && !isMap(node)) return;
  if (node.anchor) found.anchors.set(node.anchor, node);
  if (isSeq(node)) { for (const item of node.items) findTargets(item, found, depth + 1); }
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    findTargets(key, found, depth + 1);
    findTargets(value, found, depth + 1);
  }
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
    if (Object.hasOwn(map, name)) {
      fail("argument", `Cannot read the YAML text: Map keys must be unique, but "${name}" is there twice`);
    }
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
