/** The formats of jq, `@name`: a value → text. */
import type { JsonValue } from "../../base/json.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import { encodeBase64, isNumber } from "../values/mod.ts";
import type { Machine } from "./code.ts";
import { raise } from "./errors.ts";
import { describe, type Meter, toDisplay, toJson } from "./values.ts";

type Format = (value: JsonValue, meter: Meter) => string;

/** A cell takes some 150 ns, a move 60. */
const MOVES_PER_CELL = 2;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HTML_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["<", "&lt;"],
  [">", "&gt;"],
  ["&", "&amp;"],
  ["'", "&#39;"],
  ['"', "&quot;"],
]);
const TSV_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\\", "\\\\"],
]);

/** Formats by name, without the `@`. @throws JqError, ExpressionError `limit` */
export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["text", toDisplay],
  ["json", toJson],
  ["csv", (value) => row(value, { name: "csv", separator: ",", cell: csvCell })],
  ["tsv", (value) => row(value, { name: "tsv", separator: "\t", cell: tsvCell })],
  ["html", (value, meter) => replaced(toDisplay(value, meter), /[<>&'"]/g, HTML_ESCAPES)],
  ["uri", (value, meter) => encodeURIComponent(toDisplay(value, meter).toWellFormed())],
  ["sh", shellText],
  ["base64", (value, meter) => encodeBase64(bytesOf(toDisplay(value, meter)))],
  ["base64d", (value, meter) => decodedText(toDisplay(value, meter))],
  ["base32", (value, meter) => encodeBase32(bytesOf(toDisplay(value, meter)))],
  ["base32d", (value, meter) => decodedBase32(toDisplay(value, meter))],
]);

/** A value in a format. Counts the work first: failing takes as long as succeeding. */
export function formatText(format: Format, value: JsonValue, machine: Machine): string {
  if (Array.isArray(value)) machine.spend(MOVES_PER_CELL * value.length);
  else if (typeof value === "string") machine.spend(value.length >>> 3);
  const text = format(value, machine);
  machine.spendText(text.length);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function replaced(text: string, pattern: RegExp, by: ReadonlyMap<string, string>): string {
  return text.replace(pattern, (sign) => by.get(sign) ?? sign);
}

interface RowForm {
  readonly name: string;
  readonly separator: string;
  readonly cell: (text: string) => string;
}

function row(value: JsonValue, { name, separator, cell }: RowForm): string {
  if (!Array.isArray(value)) {
    return raise(`${describe(value)} cannot be ${name}-formatted, only an array can be`);
  }
  const cells = value.map((item) => {
    if (item === null) return "";
    if (typeof item === "string") return cell(item);
    if (typeof item === "boolean" || isNumber(item)) return toJson(item);
    return raise(`${describe(item)} is not valid in a csv row`);
  });
  return cells.join(separator);
}

function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function tsvCell(text: string): string {
  return replaced(text, /[\t\n\r\\]/g, TSV_ESCAPES);
}

function shellText(value: JsonValue): string {
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (typeof item === "string") return shellWord(item);
    if (typeof item === "object" && item !== null && !isNumber(item)) {
      return raise(`${describe(item)} can not be escaped for shell`);
    }
    return toJson(item);
  }).join(" ");
}

function decodedText(text: string): string {
  const digits = text.replace(/(?<!=)=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) {
    return raise(`${describe(text)} is not valid base64 data`);
  }
  const bytes = Uint8Array.from(atob(digits), (sign) => sign.charCodeAt(0));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function encodeBase32(bytes: Uint8Array): string {
  let text = "", bits = 0, held = 0;
  for (const byte of bytes) {
    held = (held << 8 | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
  }
  if (bits > 0) text += BASE32[(held << (5 - bits)) & 31];
  return text + "=".repeat((8 - text.length % 8) % 8);
}

function decodedBase32(text: string): string {
  const bytes: number[] = [];
  let bits = 0, held = 0;
  for (const sign of text.replace(/(?<!=)=+$/, "")) {
    const value = BASE32.indexOf(sign);
    if (value < 0) return raise(`${describe(text)} is not valid base32 data`);
    held = (held << 5 | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
}
