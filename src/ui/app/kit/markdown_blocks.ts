/** Reads Markdown as CommonMark and GitHub's tables have it, without HTML, images and link definitions. */
import { type Inline, readInline } from "./markdown_inline.ts";

/** A block. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "rule" }
  | List
  | Table;

interface List {
  readonly kind: "list";
  /** Of the first item, in an ordered list. */
  readonly start?: number;
  readonly items: readonly (readonly Block[])[];
}

interface Table {
  readonly kind: "table";
  readonly head: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
}

interface Read {
  readonly block: Block;
  /** Number of the line after the block. */
  readonly end: number;
}

type Reader = (lines: readonly string[], at: number, depth: number) => Read | undefined;

/** Deeper lists and quotes are text: the reader is recursive. */
const MAX_DEPTH = 8;
const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?: (\s*)|$)/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** The blocks of a text. */
export function readMarkdown(text: string): Block[] {
  return readBlocks(text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n"), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines, at)) {
      at++;
      continue;
    }
    const { block, end } = readBlock(lines, at, depth);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function readBlock(lines: readonly string[], at: number, depth: number): Read {
  for (const reader of READERS) {
    const read = reader(lines, at, depth);
    if (read) return read;
  }
  return readParagraph(lines, at, depth);
}

const readFence: Reader = (lines, at) => {
  const [, indent = "", fence] = FENCE.exec(lines[at] ?? "") ?? [];
  if (fence === undefined) return undefined;
  const isEnd = (line: string) => line.trim().startsWith(fence) && /^\s*([`~])\1*\s*$/.test(line);
  const close = lines.findIndex((line, index) => index > at && isEnd(line));
  const last = close === -1 ? lines.length : close;
  const margin = new RegExp(`^ {0,${indent.length}}`);
  const text = lines.slice(at + 1, last).map((line) => line.replace(margin, "")).join("\n");
  return { block: { kind: "code", text }, end: last + 1 };
};

const readHeading: Reader = (lines, at) => {
  const [, marks, text = ""] = HEADING.exec(lines[at] ?? "") ?? [];
  if (marks === undefined) return undefined;
  return { block: { kind: "heading", level: marks.length, content: readInline(text) }, end: at + 1 };
};

const readRule: Reader = (lines, at) =>
  RULE.test(lines[at] ?? "") ? { block: { kind: "rule" }, end: at + 1 } : undefined;

const readQuote: Reader = (lines, at, depth) => {
  if (depth >= MAX_DEPTH || !QUOTE.test(lines[at] ?? "")) return undefined;
  let end = at;
  while (QUOTE.test(lines[end] ?? "")) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { block: { kind: "quote", blocks: readBlocks(inner, depth + 1) }, end };
};

const readList: Reader = (lines, at, depth) => {
  const first = itemOf(lines[at]);
  if (depth >= MAX_DEPTH || !first) return undefined;
  const items: Block[][] = [];
  let end = at;
  for (let item = itemOf(lines[end]); item?.sort === first.sort; item = itemOf(lines[end])) {
    const last = endOfItem(lines, end, item.indent);
    const [head = "", ...rest] = lines.slice(end, last);
    const margin = new RegExp(`^ {0,${item.indent}}`);
    const inner = [head.slice(item.indent), ...rest.map((line) => line.replace(margin, ""))];
    items.push(readBlocks(inner, depth + 1));
    end = last;
    const next = lines.findIndex((_, index) => index >= end && !isBlank(lines, index));
    if (next !== -1 && itemOf(lines[next])?.sort === first.sort) end = next;
  }
  return { block: { kind: "list", start: first.start, items }, end };
};

interface Item {
  /** Lists of another sort are other lists. */
  readonly sort: string;
  readonly start?: number;
  /** Columns before its text. */
  readonly indent: number;
}

function itemOf(line = ""): Item | undefined {
  const [whole, , marker = ""] = ITEM.exec(line) ?? [];
  if (whole === undefined || RULE.test(line)) return undefined;
  const space = /\s*$/.exec(whole)?.[0].length ?? 0;
  const start = /\d/.test(marker) ? parseInt(marker) : undefined;
  const indent = space > 4 || space === 0 ? whole.trimEnd().length + 1 : whole.length;
  return { sort: marker.slice(-1), start, indent };
}

/** An item has the indented lines below it, and the lines that continue its last paragraph. */
function endOfItem(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let index = at + 1; index < lines.length; index++) {
    if (isBlank(lines, index)) continue;
    const line = lines[index] ?? "";
    const isContinued = index === end && !isBlank(lines, index - 1) && !startsBlock(line);
    if (line.search(/\S/) < indent && !isContinued) break;
    end = index + 1;
  }
  return end;
}

const readTable: Reader = (lines, at) => {
  const head = cellsOf(lines[at] ?? "");
  const marks = lines[at + 1] ?? "";
  if (!lines[at]?.includes("|") || !TABLE_LINE.test(marks) || cellsOf(marks).length !== head.length) {
    return undefined;
  }
  let end = at + 2;
  const rows: Inline[][][] = [];
  for (; !isBlank(lines, end) && lines[end]?.includes("|"); end++) {
    const cells = cellsOf(lines[end] ?? "");
    rows.push(head.map((_, column) => readInline(cells[column] ?? "")));
  }
  return { block: { kind: "table", head: head.map((cell) => readInline(cell)), rows }, end };
};

/** `\|` is a bar within a cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

const readParagraph = (lines: readonly string[], at: number, _depth: number): Read => {
  let end = at + 1;
  while (!isBlank(lines, end) && !startsBlock(lines[end] ?? "")) end++;
  const text = lines.slice(at, end).map((line) => line.trimStart()).join("\n").trimEnd();
  return { block: { kind: "paragraph", content: readInline(text) }, end };
};

const READERS: readonly Reader[] = [readFence, readHeading, readRule, readQuote, readList, readTable];

function startsBlock(line: string): boolean {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

/** Lines after the last are blank, too. */
function isBlank(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? "").trim() === "";
}
