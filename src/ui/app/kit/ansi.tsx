/** Text with the colour codes of terminals, as spans with classes. Other control sequences are left out. */

/** A piece of text with one style. */
interface AnsiSpan {
  readonly text: string;
  /** Classes, separated by spaces; empty for plain text. */
  readonly style: string;
}

// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b(?:\[([0-9;?]*)([A-Za-z])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B])/g;

interface Style {
  readonly color?: string;
  readonly background?: string;
  readonly flags: ReadonlySet<string>;
}

const PLAIN: Style = { flags: new Set() };
const FLAGS: ReadonlyMap<number, string> = new Map([[1, "bold"], [2, "faint"], [3, "italic"], [
  4,
  "underline",
], [7, "inverse"]]);
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** Splits a text at its codes. */
export function ansiSpans(text: string): AnsiSpan[] {
  if (!text.includes("\x1b")) return [{ text, style: "" }];
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), style: classesOf(style) });
    if (match[2] === "m") style = styleAfter(style, (match[1] ?? "").split(";").map(Number));
    from = match.index + match[0].length;
  }
  if (from < text.length) spans.push({ text: text.slice(from), style: classesOf(style) });
  return spans;
}

function styleAfter(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    // Colours of a palette or in full: their numbers follow. Only the first sixteen have a name here.
    if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const color = isIndexed ? colorOf(codes[index + 2] ?? 0) : undefined;
      style = code === 38 ? { ...style, color } : { ...style, background: color };
      index += isIndexed ? 2 : 4;
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: Style, code: number): Style {
  const flag = FLAGS.get(code);
  if (code === 0) return PLAIN;
  if (flag !== undefined) return { ...style, flags: new Set([...style.flags, flag]) };
  if (code === 22) return without(style, "bold", "faint");
  if (code >= 23 && code <= 27) return without(style, FLAGS.get(code - 20) ?? "");
  if (code === 39) return { ...style, color: undefined };
  if (code === 49) return { ...style, background: undefined };
  const bright = code >= 90 ? 60 : 0;
  const color = COLORS[(code - bright) % 10];
  if (code - bright >= 30 && code - bright <= 37) return { ...style, color };
  if (code - bright >= 40 && code - bright <= 47) return { ...style, background: color };
  return style;
}

function without(style: Style, ...names: readonly string[]): Style {
  return { ...style, flags: new Set([...style.flags].filter((flag) => !names.includes(flag))) };
}

function colorOf(index: number): string | undefined {
  return index < 16 ? COLORS[index % 8] : undefined;
}

function classesOf({ color, background, flags }: Style): string {
  const colors = [color && `ansi-${color}`, background && `ansi-on-${background}`];
  return [...colors, ...[...flags].map((flag) => `ansi-${flag}`)].filter(Boolean).join(" ");
}

/** The text, with what was searched for marked. */
export function AnsiText({ text, mark = "" }: { readonly text: string; readonly mark?: string }) {
  return (
    <>
      {ansiSpans(text).map(({ text: piece, style }, index) => (
        <span key={index} class={style || undefined}>{marked(piece, mark)}</span>
      ))}
    </>
  );
}

function marked(text: string, wanted: string) {
  if (wanted === "") return text;
  const pieces = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)];
}
