/** Where the next line of a YAML source begins. */

/** Spaces of one step. */
export const INDENT = 2;

/** Spaces, dashes and what follows them. */
const LINE = /^(\s*)((?:-\s+)*)(.*)$/;
/** A key whose value, or text of several lines, follows below. */
const KEY_WITHOUT_VALUE = /^[\w.-]+:\s*(?:[|>][+-]?\d?\s*)?(?:#.*)?$/;
const KEY = /^(?:[\w.$/-]+|"[^"]*"|'[^']*'):(?:\s|$)/;

const ITEM = /^\s*-(?:\s|$)/;

/** The column of the line after one that has this text before the cursor: below a key its value, else the next key. */
export function indentAfter(before: string): number {
  const [, spaces = "", dashes = "", text = ""] = LINE.exec(before) ?? [];
  const column = spaces.length + dashes.length;
  if (KEY_WITHOUT_VALUE.test(text)) return column + INDENT;
  return KEY.test(text) ? column : spaces.length;
}

/** The column where a text belongs after these lines, the nearest first: an item below a key, or where the item before it is. */
export function columnAfter(lines: readonly string[], text: string): number {
  const nearest = lines.find((line) => line.trim() !== "") ?? "";
  const isFirst = KEY_WITHOUT_VALUE.test(LINE.exec(nearest)?.[3] ?? "");
  const item = ITEM.test(text) && !isFirst ? lines.find((line) => ITEM.test(line)) : undefined;
  return item?.search(/\S/) ?? indentAfter(nearest);
}
