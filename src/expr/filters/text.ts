/** Filters on text. */
import { indexOfText, lastIndexOfText } from "../../base/text/find_text.ts";
import type { Context } from "../context.ts";
import {
  type Arguments,
  type Filter,
  type FilterEntry,
  integerArgument,
  joinedTextFilter,
  textArgument,
  textFilter,
} from "../entry.ts";
import { fail, joinText, printValue } from "../../languages/values/mod.ts";

const NONE = { parameters: [] } as const;
const SEPARATOR = { parameters: ["separator"], required: 1 } as const;
const VALUE = { parameters: ["value"], required: 1 } as const;
const INDENT = { parameters: ["amount", "prefix"], required: 1 } as const;
/** Characters that are replaced one by one in one step, as a power of two. */
const SCAN_SHIFT = 4;
const TITLE_SHIFT = 2;
const LINE_BREAK = /\r\n|\r|\n/g;

/** Filters on text; null stays null, except where the result is a boolean. Some take lists and maps, too. */
export const TEXT_FILTERS: readonly FilterEntry[] = [
  ["upper", joinedTextFilter(NONE, (text) => text.toUpperCase())],
  ["lower", joinedTextFilter(NONE, (text) => text.toLowerCase())],
  ["trim", textFilter(NONE, (text) => text.trim())],
  ["capitalize", textFilter(NONE, capitalize)],
  ["title", textFilter(NONE, title)],
  ["abbreviate", textFilter({ parameters: ["length"], required: 1 }, abbreviate)],
  ["nl2br", textFilter(NONE, (text, _, context) => withBreaks(text, context))],
  ["slugify", joinedTextFilter(NONE, slugify)],
  ["string", { ...NONE, apply: (input, _, context) => input === null ? null : printValue(input, context) }],
  ["startsWith", edgeFilter((text, value) => text.startsWith(value))],
  ["endsWith", edgeFilter((text, value) => text.endsWith(value))],
  ["substringBefore", substring((text, separator) => head(text, indexOfText(text, separator)))],
  ["substringBeforeLast", substring((text, separator) => head(text, lastIndexOfText(text, separator)))],
  ["substringAfter", substring((text, separator) => tail(text, indexOfText(text, separator), separator))],
  [
    "substringAfterLast",
    substring((text, separator) => tail(text, lastIndexOfText(text, separator), separator)),
  ],
  ["indent", joinedTextFilter(INDENT, (text, args, context) => indent(text, args, context))],
  [
    "nindent",
    joinedTextFilter(INDENT, (text, args, context) => text === "" ? "" : newLine(text, args, context)),
  ],
];

/** Makes the first character that is not white space upper case. */
function capitalize(text: string): string {
  const at = text.search(/\S/u);
  if (at < 0) return text;
  const letter = String.fromCodePoint(text.codePointAt(at) as number);
  return text.slice(0, at) + letter.toUpperCase() + text.slice(at + letter.length);
}

function abbreviate(text: string, args: Arguments): string {
  const length = integerArgument(args[0], "length");
  if (length < 0) fail("argument", `Cannot abbreviate to ${length} characters`);
  if (text.length < length) return text;
  return length <= 3 ? text.slice(0, length) : `${text.slice(0, length - 3)}...`;
}

function title(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> TITLE_SHIFT);
  return text.replace(/(^|\s)(\S)/gu, (match) => match.toUpperCase());
}

function withBreaks(text: string, context: Context): string {
  context.spend(text.length >>> SCAN_SHIFT);
  context.checkLength(text.length * 2);
  return text.replace(LINE_BREAK, (lineBreak) => `<br />${lineBreak}`);
}

function slugify(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> SCAN_SHIFT);
  // Marks are dropped first: sorting many of them takes a time that is quadratic in their number.
  return text.replace(/\s/g, "-").replace(/\p{M}+/gu, "").normalize("NFD").replace(/[^\w-]/g, "").replace(
    /_/g,
    "-",
  )
    .replace(/-+/g, "-").replace(/^-|-$/g, "").toLowerCase();
}

/** False for null. */
function edgeFilter(test: (text: string, value: string) => boolean): Filter {
  return {
    ...VALUE,
    apply: (input, args, context) =>
      input !== null && test(joinText(input, context), textArgument(args[0], "value")),
  };
}

function substring(cut: (text: string, separator: string) => string) {
  return joinedTextFilter(SEPARATOR, (text, args) => cut(text, textArgument(args[0], "separator")));
}

function head(text: string, at: number): string {
  return at < 0 ? text : text.slice(0, at);
}

function tail(text: string, at: number, separator: string): string {
  return at < 0 ? "" : text.slice(at + separator.length);
}

/** An indented text after a line break of its own kind. */
function newLine(text: string, args: Arguments, context: Context): string {
  const prefix = linePrefix(args, context);
  return `${lineBreakOf(text)}${prefix}${indent(text, args, context)}`;
}

function lineBreakOf(text: string): string {
  if (text.includes("\r\n")) return "\r\n";
  return text.includes("\r") && !text.includes("\n") ? "\r" : "\n";
}

function linePrefix(args: Arguments, context: Context): string {
  const amount = integerArgument(args[0], "amount");
  const prefix = textArgument(args[1], "prefix", " ");
  if (amount < 0) fail("argument", `Cannot indent by ${amount}`);
  context.checkLength(amount * prefix.length);
  return prefix.repeat(amount);
}

/** Prefixes every line except the first; line breaks are kept. */
function indent(text: string, args: Arguments, context: Context): string {
  const prefix = linePrefix(args, context);
  context.spend(text.length >>> SCAN_SHIFT);
  const lines = text.match(LINE_BREAK)?.length ?? 0;
  context.checkLength(text.length + lines * prefix.length);
  return text.replace(LINE_BREAK, (lineBreak) => lineBreak + prefix);
}
