/** Reads the text within a block of Markdown: emphasis, code, links. HTML is text. */

/** A part of a text. */
export type Inline =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly url: string; readonly content: readonly Inline[] }
  | { readonly kind: "break" };

interface Found {
  readonly part: Inline;
  /** Index after the part. */
  readonly end: number;
}

/** Deeper nesting is text: the reader is recursive. */
const MAX_DEPTH = 8;
/** Characters that may begin something. */
const SPECIAL = /[\\`*_~[!<\n]|https?:\/\//g;
const ESCAPED = /^\\([!-/:-@[-`{-~])/;
const EMPHASIS = [["***", "strong"], ["**", "strong"], ["__", "strong"], ["~~", "del"], ["*", "em"], [
  "_",
  "em",
]] as const;
const LINK =
  /!?\[((?:\\.|[^[\]\\]|\[[^[\]]*\])*)\]\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const BARE_LINK = /https?:\/\/[^\s<>]*[^\s<>.,:;!?'")\]*_~]/y;
/** Other addresses could run scripts. */
const SAFE_URL = /^(?:https?:\/\/|mailto:|[/#]|[^:]*$)/i;

/** The parts of a text. */
export function readInline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  let plain = "";
  let at = 0;
  const add = (part: Inline) => {
    if (plain !== "") parts.push(plain);
    plain = "";
    parts.push(part);
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at === text.length) break;
    const found = depth < MAX_DEPTH ? readPart(text, at, depth) : undefined;
    if (typeof found?.part === "string") plain += found.part;
    else if (found) {
      if (found.part.kind === "break") plain = plain.trimEnd();
      add(found.part);
    } else plain += text.charAt(at);
    at = found?.end ?? at + 1;
  }
  if (plain !== "") parts.push(plain);
  return parts;
}

function readPart(text: string, at: number, depth: number): Found | undefined {
  switch (text.charAt(at)) {
    case "\\": {
      if (text.charAt(at + 1) === "\n") return { part: { kind: "break" }, end: at + 2 };
      const escaped = ESCAPED.exec(text.slice(at, at + 2))?.[1];
      return escaped === undefined ? undefined : { part: escaped, end: at + 2 };
    }
    case "\n":
      return { part: text.slice(0, at).endsWith("  ") ? { kind: "break" } : " ", end: at + 1 };
    case "`":
      return readCode(text, at);
    case "h":
      return readAddress(text, at, BARE_LINK);
    case "<":
      return readAddress(text, at, AUTOLINK);
    case "[":
    case "!":
      return readLink(text, at, depth);
    default:
      return readEmphasis(text, at, depth);
  }
}

/** Ends at the next run of as many backticks. */
function readCode(text: string, at: number): Found {
  const [fence = ""] = /^`+/.exec(text.slice(at)) ?? [];
  let end = text.indexOf(fence, at + fence.length);
  while (end !== -1 && text.charAt(end + fence.length) === "`") {
    const [run = ""] = /^`+/.exec(text.slice(end)) ?? [];
    end = text.indexOf(fence, end + run.length);
  }
  if (end === -1) return { part: fence, end: at + fence.length };
  const code = text.slice(at + fence.length, end).replaceAll("\n", " ");
  const isPadded = /^ .*[^ ].* $/.test(code);
  return { part: { kind: "code", text: isPadded ? code.slice(1, -1) : code }, end: end + fence.length };
}

function readAddress(text: string, at: number, pattern: RegExp): Found | undefined {
  const [whole, inner = whole] = matchAt(pattern, text, at) ?? [];
  if (whole === undefined || inner === undefined) return undefined;
  return { part: { kind: "link", url: inner, content: [inner] }, end: at + whole.length };
}

/** An image is its description. */
function readLink(text: string, at: number, depth: number): Found | undefined {
  const match = matchAt(LINK, text, at);
  if (!match) return undefined;
  const [whole, label = "", url = ""] = match;
  const end = at + whole.length;
  if (whole.startsWith("!") || !SAFE_URL.test(url)) return { part: label, end };
  return { part: { kind: "link", url, content: readInline(label, depth + 1) }, end };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function readEmphasis(text: string, at: number, depth: number): Found | undefined {
  const [mark, kind] = EMPHASIS.find(([mark]) => text.startsWith(mark, at)) ?? [];
  if (mark === undefined || kind === undefined || /\s|^$/.test(text.charAt(at + mark.length))) {
    return undefined;
  }
  if (mark.startsWith("_") && /\w/.test(text.charAt(at - 1))) return undefined;
  const close = closingMark(text, at + mark.length, mark);
  if (close === -1) return undefined;
  const inner = readInline(text.slice(at + mark.length, close), depth + 1);
  const content: Inline[] = mark === "***" ? [{ kind: "em", content: inner }] : inner;
  return { part: { kind, content }, end: close + mark.length };
}

/** The next mark that can close; -1 if there is none. */
function closingMark(text: string, from: number, mark: string): number {
  for (let close = text.indexOf(mark, from); close !== -1; close = text.indexOf(mark, close + 1)) {
    const before = text.charAt(close - 1);
    const after = text.charAt(close + mark.length);
    if (close === from || /[\s\\]/.test(before)) continue;
    if (after === mark.charAt(0) || mark.length === 1 && before === mark) continue;
    if (mark.startsWith("_") && /\w/.test(after)) continue;
    return close;
  }
  return -1;
}
