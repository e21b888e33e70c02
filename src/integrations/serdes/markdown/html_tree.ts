/** A tolerant reader of HTML: elements, their attributes and texts, as far as a conversion to text needs them. */

/** An element; the root has no name. */
export interface HtmlElement {
  /** In lower case. */
  readonly name: string;
  /** By name in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlNode[];
}

/** An element, or a text whose references are resolved. */
export type HtmlNode = HtmlElement | string;

/** Deeper elements become neighbours of their parents: trees are walked recursively. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 200_000;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const VOID: ReadonlySet<string> = new Set([
  ...["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"],
]);
/** Their content is no HTML. */
const RAW: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);
/** Elements that the beginning of another one ends, if they are open within the same parent. */
const CLOSES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["li", new Set(["li", "p"])],
  ["dt", new Set(["dt", "dd", "p"])],
  ["dd", new Set(["dt", "dd", "p"])],
  ["tr", new Set(["tr", "td", "th"])],
  ["td", new Set(["td", "th"])],
  ["th", new Set(["td", "th"])],
  ["option", new Set(["option"])],
  ...["p", "div", "ul", "ol", "table", "pre", "blockquote", "hr", "h1", "h2", "h3", "h4", "h5", "h6"].map((
    name,
  ) => [name, new Set(["p"])] as const),
]);
const START = /<(?:(!--)|[!?]|(\/?)([a-zA-Z][^\s/>]*))/g;
const ATTRIBUTE = /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...[["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"], ["nbsp", " "], ["copy", "©"]],
  ...[["reg", "®"], ["euro", "€"], ["hellip", "…"], ["ndash", "–"], ["mdash", "—"], ["laquo", "«"], [
    "raquo",
    "»",
  ]],
  ...[["lsquo", "‘"], ["rsquo", "’"], ["ldquo", "“"], ["rdquo", "”"], ["bdquo", "„"], ["bull", "•"], [
    "middot",
    "·",
  ]],
  ...[["auml", "ä"], ["ouml", "ö"], ["uuml", "ü"], ["Auml", "Ä"], ["Ouml", "Ö"], ["Uuml", "Ü"], [
    "szlig",
    "ß",
  ]],
  ...[["eacute", "é"], ["egrave", "è"], ["agrave", "à"], ["ccedil", "ç"], ["times", "×"], ["deg", "°"]],
].map(([name = "", text = ""]) => [name, text] as const));

/** The tree of a text. Whatever is malformed is read as far as possible, in a time that grows with its length. @throws Error it has too many elements */
export function readHtml(text: string): HtmlElement {
  const root: HtmlElement = { name: "", attributes: new Map(), children: [] };
  const open: HtmlElement[] = [root];
  let at = 0, count = 0;
  for (const match of text.matchAll(START)) {
    if (match.index < at) continue; // Within raw content, a comment or a value.
    addText(open, text.slice(at, match.index));
    const [start, comment, slash, tag] = match;
    const from = match.index + start.length;
    const end = comment
      ? indexAfter(text, "-->", from)
      : tag === undefined
      ? indexAfter(text, ">", from)
      : endOfTag(text, from);
    at = end;
    if (tag === undefined) continue;
    const name = tag.toLowerCase();
    if (slash === "/") close(open, name);
    else {
      if (++count > MAX_ELEMENTS) {
        throw new Error(`Cannot read the HTML: it has more than ${MAX_ELEMENTS} elements`);
      }
      const element = begin(open, name, text.slice(from, end - 1));
      if (!RAW.has(name)) continue;
      at = endOfRaw(text, name, end);
      element.children.push(text.slice(end, at));
      close(open, name);
    }
  }
  addText(open, text.slice(at));
  return root;
}

function indexAfter(text: string, end: string, from: number): number {
  const index = text.indexOf(end, from);
  return index < 0 ? text.length : index + end.length;
}

/** The index after the `>` that no value contains; the end of the text without one. */
function endOfTag(text: string, from: number): number {
  let quote = "";
  for (let index = from; index < text.length; index++) {
    const sign = text[index];
    if (quote !== "") {
      if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === ">") return index + 1;
  }
  return text.length;
}

function addText(open: readonly HtmlElement[], text: string): void {
  if (text !== "") open.at(-1)?.children.push(resolved(text));
}

function begin(open: HtmlElement[], name: string, rest: string): HtmlElement {
  const closed = CLOSES.get(name);
  while (closed?.has(open.at(-1)?.name ?? "")) open.pop();
  const attributes = rest === "" ? NO_ATTRIBUTES : new Map(
    [...rest.matchAll(ATTRIBUTE)].map(([, key = "", double, single, bare]) =>
      [key.toLowerCase(), resolved(double ?? single ?? bare ?? "")] as const
    ),
  );
  const element: HtmlElement = { name, attributes, children: [] };
  open.at(-1)?.children.push(element);
  if (!VOID.has(name) && (open.length < MAX_DEPTH || RAW.has(name))) open.push(element);
  return element;
}

/** Closes the innermost element of that name with what is open within it; an end without a beginning has no effect. */
function close(open: HtmlElement[], name: string): void {
  const index = open.findLastIndex((element) => element.name === name);
  if (index > 0) open.length = index;
}

function endOfRaw(text: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

/** The text with its references; unknown ones stay as they are. */
function resolved(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-zA-Z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
