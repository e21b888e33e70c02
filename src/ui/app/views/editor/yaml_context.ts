/** Where a position of a YAML source is: found by indentation, so that it works while the source is incomplete. */

/** A map around the position. */
export interface Level {
  /** The key whose value it is, or is an item of; empty for the document. */
  readonly key: string;
  /** It is an item of a list. */
  readonly isItem: boolean;
  /** Its keys with the text of their values on the same line, also those below the position. */
  readonly entries: ReadonlyMap<string, string>;
}

/** A position in a source. */
export interface YamlContext {
  /** Maps from the document to the innermost around the position. */
  readonly levels: readonly Level[];
  /** A key is written, or the value of `key`. */
  readonly kind: "key" | "value";
  /** The key of the value. */
  readonly key: string;
  /** What stands before the position of the key or value. */
  readonly prefix: string;
  /** Column of the key, from 0. */
  readonly indent: number;
}

interface Frame {
  readonly key: string;
  readonly isItem: boolean;
  readonly entries: Map<string, string>;
  readonly indent: number;
  lastKey: string;
}

const LINE = /^(\s*)((?:-\s+)*)(?:(["']?)([\w.$-]+)\3\s*:(?:\s+(.*))?$)?/;
const BLOCK = /^[|>][-+\d]*\s*(?:#.*)?$/;

/** The context of an offset. */
export function yamlContext(source: string, offset: number): YamlContext {
  const lines = source.split("\n");
  const before = source.slice(0, offset).split("\n");
  const at = before.length - 1;
  const prefix = before[at] ?? "";
  const frames: Frame[] = [{ key: "", isItem: false, entries: new Map(), indent: 0, lastKey: "" }];
  let found: YamlContext | undefined;
  let blockIndent = -1;
  for (const [index, line] of lines.entries()) {
    const isInBlock = blockIndent >= 0 && (line.trim() === "" || indentOf(line) > blockIndent);
    if (!isInBlock) blockIndent = -1;
    const isSkipped = isInBlock || line.trim() === "" || line.trimStart().startsWith("#");
    if (isSkipped && index === at && !isInBlock) enter(indentOf(prefix), "", frames);
    const value = isSkipped ? undefined : readLine(line, frames);
    if (index === at) found = contextOf(prefix, isInBlock, frames);
    if (value !== undefined && BLOCK.test(value.text)) blockIndent = value.indent;
  }
  return found ?? contextOf(prefix, false, frames);
}

/** The innermost `type` around an offset. */
export function typeAt(source: string, offset: number): string | undefined {
  return innermost(source, offset, (entries) => entries.get("type"));
}

/** The id of the innermost task or trigger around an offset. */
export function taskIdAt(source: string, offset: number): string | undefined {
  return innermost(source, offset, (entries) => entries.has("type") ? entries.get("id") : undefined);
}

/** The source with a complete template in place of the one that is being written. */
export function withoutOpenTemplate(source: string, offset: number): string {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", offset);
  const line = source.slice(start, end < 0 ? undefined : end);
  const [, before = ""] = /^(\s*(?:-\s+)*(?:[\w.$-]+:\s)?)/.exec(line) ?? [];
  return `${source.slice(0, start)}${before}"{{ 1 }}"${end < 0 ? "" : source.slice(end)}`;
}

function innermost(
  source: string,
  offset: number,
  read: (entries: ReadonlyMap<string, string>) => string | undefined,
): string | undefined {
  const { levels } = yamlContext(source, offset);
  // Inputs and retries have types, too, but without a package.
  const level = levels.findLast(({ entries }) => entries.get("type")?.includes(".") && read(entries));
  return level && read(level.entries);
}

/** Records a line in its frame; gives the value of its key. */
function readLine(line: string, frames: Frame[]): { text: string; indent: number } | undefined {
  const [, spaces = "", dashes = "", , key, text = ""] = LINE.exec(line) ?? [];
  const indent = enter(spaces.length, dashes, frames);
  const frame = frames.at(-1);
  if (key === undefined || !frame) return undefined;
  frame.entries.set(key, unquoted(text.trim()));
  frame.lastKey = key;
  return { text: text.trim(), indent };
}

/** Leaves and opens frames for a line; gives the column of its key. */
function enter(spaces: number, dashes: string, frames: Frame[]): number {
  let column = spaces;
  for (const [dash] of dashes.matchAll(/-\s+/g)) {
    leave(column, frames);
    column += dash.length;
    open(frames, column, true);
  }
  if (dashes === "") {
    leave(column, frames);
    if ((frames.at(-1)?.indent ?? 0) < column) open(frames, column, false);
  }
  return column;
}

function leave(column: number, frames: Frame[]): void {
  while (frames.length > 1 && (frames.at(-1)?.indent ?? 0) > column) frames.pop();
}

function open(frames: Frame[], indent: number, isItem: boolean): void {
  frames.push({ key: frames.at(-1)?.lastKey ?? "", isItem, entries: new Map(), indent, lastKey: "" });
}

/** The frames are shared with the lines that follow, which add their keys. */
function contextOf(prefix: string, isInBlock: boolean, present: readonly Frame[]): YamlContext {
  const levels = [...present];
  const { lastKey = "", indent = 0 } = levels.at(-1) ?? {};
  if (isInBlock) return { levels, kind: "value", key: lastKey, prefix, indent };
  const [, spaces = "", dashes = "", , key, text = ""] = LINE.exec(prefix) ?? [];
  if (key !== undefined && /:\s/.test(prefix)) return { levels, kind: "value", key, prefix: text, indent };
  return { levels, kind: "key", key: "", prefix: prefix.slice(spaces.length + dashes.length), indent };
}

/** For a line of spaces its length. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text.replace(/\s+#.*$/, "");
}
