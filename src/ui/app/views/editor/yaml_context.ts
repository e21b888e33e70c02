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
const INLINE_MAP = /\{[^{}]*/g;
const INLINE_ENTRY = /\b(id|type):\s+["']?([\w.-]+)/g;
const BLOCK = /^[|>][-+\d]*\s*(?:#.*)?$/;

/** The context of an offset. */
export function yamlContext(source: string, offset: number): YamlContext {
  const before = source.slice(0, offset).split("\n");
  const at = before.length - 1;
  const prefix = before[at] ?? "";
  const frames = [document()];
  let found: YamlContext | undefined;
  for (const { line, index, isInBlock, isBlank } of linesOf(source)) {
    if (isBlank && index === at) enter(indentOf(prefix), "", frames);
    if (!isInBlock && !isBlank) readLine(line, frames);
    if (index === at) found = contextOf(prefix, isInBlock, frames);
  }
  return found ?? contextOf(prefix, false, frames);
}

/** A task or trigger of a source. */
interface Declaration {
  readonly id: string;
  readonly type: string;
  /** Offset of its id. */
  readonly offset: number;
}

/** The tasks and triggers of a source, in its order. */
export function declarationsIn(source: string): readonly Declaration[] {
  const frames = [document()];
  const found: { readonly entries: ReadonlyMap<string, string>; readonly offset: number }[] = [];
  for (const { line, offset, isInBlock, isBlank } of linesOf(source)) {
    if (isInBlock || isBlank) continue;
    readLine(line, frames);
    const frame = frames.at(-1);
    if (frame?.isItem && frame.lastKey === "id") {
      found.push({ entries: frame.entries, offset: offset + line.indexOf("id") });
    }
    for (const map of line.matchAll(INLINE_MAP)) {
      const entries = new Map(
        [...map[0].matchAll(INLINE_ENTRY)].map(([, key = "", value = ""]) => [key, value]),
      );
      found.push({ entries, offset: offset + map.index + 1 });
    }
  }
  return found.flatMap(({ entries, offset }) => {
    const [id = "", type = ""] = [entries.get("id"), entries.get("type")];
    // Inputs have types, too, but without a package.
    return id !== "" && type.includes(".") ? [{ id, type, offset }] : [];
  });
}

interface SourceLine {
  readonly line: string;
  /** From 0. */
  readonly index: number;
  /** Of its first character. */
  readonly offset: number;
  /** It is part of a text of several lines. */
  readonly isInBlock: boolean;
  /** It is empty or a comment. */
  readonly isBlank: boolean;
}

function* linesOf(source: string): Generator<SourceLine> {
  let blockIndent = -1;
  let offset = 0;
  for (const [index, line] of source.split("\n").entries()) {
    const isInBlock = blockIndent >= 0 && (line.trim() === "" || indentOf(line) > blockIndent);
    const isBlank = !isInBlock && (line.trim() === "" || line.trimStart().startsWith("#"));
    yield { line, index, offset, isInBlock, isBlank };
    if (!isInBlock) blockIndent = isBlank ? -1 : blockIndentOf(line);
    offset += line.length + 1;
  }
}

/** The column of the key whose text follows on lines of its own; -1 for other lines. */
function blockIndentOf(line: string): number {
  const [, spaces = "", dashes = "", , , text = ""] = LINE.exec(line) ?? [];
  return BLOCK.test(text.trim()) ? spaces.length + dashes.length : -1;
}

function document(): Frame {
  return { key: "", isItem: false, entries: new Map(), indent: 0, lastKey: "" };
}

/** The innermost `type` around an offset. */
export function typeAt(source: string, offset: number): string | undefined {
  return innermost(source, offset, (entries) => entries.get("type"));
}

/** The id of the innermost task or trigger around an offset. */
export function taskIdAt(source: string, offset: number): string | undefined {
  return innermost(source, offset, (entries) => entries.has("type") ? entries.get("id") : undefined);
}

/** True within the triggers of a flow. */
export function isTriggerAt(source: string, offset: number): boolean {
  return yamlContext(source, offset).levels[1]?.key === "triggers";
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

/** Records a line in its frame. */
function readLine(line: string, frames: Frame[]): void {
  const [, spaces = "", dashes = "", , key, text = ""] = LINE.exec(line) ?? [];
  enter(spaces.length, dashes, frames);
  const frame = frames.at(-1);
  if (key === undefined || !frame) return;
  frame.entries.set(key, unquoted(text.trim()));
  frame.lastKey = key;
}

/** Leaves and opens frames for a line. */
function enter(spaces: number, dashes: string, frames: Frame[]): void {
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
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text.replace(/\s+#.*$/s, "");
}
