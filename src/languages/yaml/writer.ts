/** Values → YAML text: block style with the fewest quotes. */
import { stringify } from "@std/yaml";
import { Double, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { DEFAULT_LIMITS, fail, measureValue, type StepCounter } from "../values/mod.ts";

const PLAIN_TEXT = /^[A-Za-z_][\w ./-]*[\w./]$/;
/** Longer keys need a question mark: YAML allows 1,024 characters, the colon included. */
const MAX_IMPLICIT_KEY = 1_000;
/** White space that a reader may drop, or read as a line end. */
const ODD_SPACE = /[^\S \t\n]/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Characters of indents that are written in one step, as a power of two. */
const INDENT_SHIFT = 5;

/** Where a list or map within a list begins: behind the dash of its item, or on the next line. */
type YamlLayout = "compact" | "open";

interface YamlOptions {
  /** By default `compact`. */
  readonly layout?: YamlLayout;
  /** Counts steps for the indents, which are most of the text of a deep value; by default against the limit of an expression. */
  readonly counter?: StepCounter;
}

/** YAML text that ends with a line break; list items are indented by one space. @throws ExpressionError `limit` */
export function yamlText(
  value: JsonValue,
  { layout = "compact", counter = limitedCounter() }: YamlOptions = {},
): string {
  measureValue(value);
  if (!isBranch(value)) return `${scalar(value, { indent: "  ", layout, counter })}\n`;
  return block(value, { indent: Array.isArray(value) ? " " : "", layout, counter });
}

function limitedCounter(): StepCounter {
  let left = DEFAULT_LIMITS.maxSteps;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) fail("limit", "Cannot write YAML that consists mostly of indents");
    },
  };
}

/** The indent of the lines of a block, and their layout. */
interface Place extends Required<YamlOptions> {
  readonly indent: string;
  /** Characters of the indent that are not those of the list or map around it; absent at the top. */
  readonly step?: number;
}

/** The same place, further to the right. */
function within(place: Place, indent: string): Place {
  return { ...place, indent: place.indent + indent, step: indent.length };
}

/** The lines, each behind the indent; empty ones stay empty. */
function indented(lines: readonly string[], { indent, counter }: Place): string[] {
  counter.spend(lines.length * indent.length >>> INDENT_SHIFT);
  return lines.map((line) => line === "" ? "" : indent + line);
}

function isBranch(value: JsonValue): value is JsonValue[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function block(value: JsonValue[] | JsonObject, place: Place): string {
  const parts = Array.isArray(value)
    ? value.map((item) => listItem(item, place))
    : Object.keys(value).map((name) => entry(name, value[name] as JsonValue, place));
  return indented(parts, place).join("");
}

function listItem(item: JsonValue, place: Place): string {
  const isOpen = place.layout === "open";
  if (!isBranch(item)) return `- ${scalar(item, within(place, isOpen ? " " : "  "))}\n`;
  if (isOpen) return `-\n${block(item, within(place, Array.isArray(item) ? "  " : " "))}`;
  return `- ${block(item, within(place, "  ")).trimStart()}`;
}

function entry(name: string, value: JsonValue, place: Place): string {
  const key = name.includes("\n") ? JSON.stringify(name) : scalar(name, place);
  const head = key.length <= MAX_IMPLICIT_KEY ? `${key}:` : `? ${key}\n${place.indent}:`;
  if (!isBranch(value)) return `${head} ${scalar(value, within(place, "  "))}\n`;
  return `${head}\n${block(value, within(place, Array.isArray(value) ? " " : "  "))}`;
}

function scalar(value: JsonValue, place: Place): string {
  if (value === null) return "null";
  if (typeof value === "object") {
    return value instanceof Double ? String(value) : Array.isArray(value) ? "[]" : "{}";
  }
  if (typeof value !== "string") return String(value);
  if (PLAIN_TEXT.test(value) && !AMBIGUOUS.test(value)) return value;
  if (AMBIGUOUS.test(value) || ODD_SPACE.test(value)) return JSON.stringify(value);
  if (value.includes("\n")) return literalBlock(value, place);
  const text = stringify(value, { lineWidth: 0 }).replace(/\n$/, "");
  return text.includes("\n") ? JSON.stringify(value) : text;
}

/** `|` style where it keeps every character, else a double-quoted string. */
function literalBlock(text: string, place: Place): string {
  // The number of the indent is needed where a reader would count spaces of the text.
  const step = /^\s/.test(text) ? place.step : "";
  if (step === undefined || /[\p{Cc}--\n]|[^\S\n]$/v.test(text)) return JSON.stringify(text);
  const body = text.slice(0, endOf(text));
  if (body.trim() === "") return JSON.stringify(text);
  const breaks = text.length - body.length;
  const ending = breaks === 0 ? "-" : breaks === 1 ? "" : "+";
  const lines = (breaks <= 1 ? body : text.slice(0, -1)).split("\n");
  return `|${step}${ending}\n${indented(lines, place).join("\n")}`;
}

/** Where the line breaks at the end begin. */
function endOf(text: string): number {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return end;
}
