/** Markdown of HTML: headings, paragraphs, lists, quotations, code, tables, links, pictures and emphasis. */
import { type HtmlElement, type HtmlNode, readHtml } from "./html_tree.ts";

/** Elements without text of the page. */
const DROPPED: ReadonlySet<string> = new Set([
  "script",
  "style",
  "head",
  "title",
  "template",
  "noscript",
  "svg",
]);
const BLOCKS: ReadonlySet<string> = new Set([
  ...[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
  ],
  ...[
    "figcaption",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
  ],
  ...["ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"],
]);
const EMPHASIS: ReadonlyMap<string, string> = new Map([
  ...[["b", "**"], ["strong", "**"], ["i", "*"], ["em", "*"], ["s", "~~"], ["del", "~~"], ["strike", "~~"]]
    .map((
      [name = "", mark = ""],
    ) => [name, mark] as const),
]);

/** Levels of lists and quotations. */
const MAX_INDENTS = 10;
/** Cells of a table, with those that short rows lack: a wide row makes all others as wide. */
const MAX_CELLS = 100_000;
/** Characters of all levels of lists and quotations: each writes those within it again. */
const MAX_INDENTED_CHARS = 16 * 1024 * 1024;
/** The number of the first entry of a list; Markdown has no longer one. */
const START = /^\d{1,9}$/;

/** Markdown with a line break at its end; elements whose names are ignored are left out with their content. @throws Error it is too large */
export function markdownOf(html: string, ignored: ReadonlySet<string> = new Set()): string {
  const text = new Writer(ignored).blocks(readHtml(html));
  return text === "" ? "" : `${text}\n`;
}

class Writer {
  readonly #ignored: ReadonlySet<string>;
  #indents = 0;
  #indentedChars = 0;

  constructor(ignored: ReadonlySet<string>) {
    this.#ignored = ignored;
  }

  /** The blocks of an element with empty lines between them, but not before a list if they are an entry of one. */
  blocks({ name: parent, children }: HtmlElement): string {
    let text = "", line: HtmlNode[] = [];
    const add = (block: string, isList = false) => {
      if (block === "") return;
      text += text === "" ? block : `${parent === "li" && isList ? "\n" : "\n\n"}${block}`;
    };
    const endLine = () => {
      add(literalStart(this.#inline(line).trim()));
      line = [];
    };
    for (const child of children) {
      if (typeof child === "string" || !BLOCKS.has(child.name)) line.push(child);
      else {
        endLine();
        if (!this.#isLeftOut(child)) add(this.#block(child), child.name === "ul" || child.name === "ol");
      }
    }
    endLine();
    return text;
  }

  #isLeftOut({ name }: HtmlElement): boolean {
    return DROPPED.has(name) || this.#ignored.has(name);
  }

  #block(element: HtmlElement): string {
    const { name, children } = element;
    switch (name) {
      case "hr":
        return "---";
      case "pre":
        return fenced(plain(children).replace(/^\n|\n$/g, ""));
      case "blockquote":
        return this.#nested(element, () => this.#indented(this.blocks(element), "> ", "> "));
      case "ul":
      case "ol":
        return this.#nested(element, () => this.#list(element));
      case "table":
        return this.#table(element);
      default: {
        const [, level] = /^h([1-6])$/.exec(name) ?? [];
        const text = level === undefined
          ? this.blocks(element)
          : this.#inline(children).trim().replaceAll(/\s+/g, " ");
        return level === undefined || text === "" ? text : `${"#".repeat(Number(level))} ${text}`;
      }
    }
  }

  /** Each level writes the lines of those within it again: deeper ones are not indented. */
  #nested(element: HtmlElement, write: () => string): string {
    if (this.#indents === MAX_INDENTS) return this.blocks(element);
    this.#indents++;
    const text = write();
    this.#indents--;
    return text;
  }

  #list(list: HtmlElement): string {
    const start = list.attributes.get("start") ?? "";
    let number = START.test(start) ? Number(start) : 1;
    return elementsOf(list).filter((item) => !this.#isLeftOut(item)).map((item) => {
      const mark = list.name === "ol" ? `${number++}. ` : "- ";
      const text = item.name === "li" ? this.blocks(item) : this.#block(item);
      return this.#indented(text, mark, " ".repeat(mark.length));
    }).join("\n");
  }

  #indented(text: string, first: string, next: string): string {
    const lines = text.split("\n");
    this.#indentedChars += text.length + lines.length * next.length;
    if (this.#indentedChars > MAX_INDENTED_CHARS) {
      throw new Error("Cannot convert the HTML: its lists and quotations are too long");
    }
    return lines.map((line, index) => `${index === 0 ? first : next}${line}`.trimEnd()).join("\n");
  }

  /** The first row is the head. */
  #table(table: HtmlElement): string {
    const rows = rowsOf(table).map((row) =>
      elementsOf(row).filter(({ name }) => name === "td" || name === "th").map(({ children }) =>
        this.#inline(children).trim().replaceAll(/(?<!\s)\s*\n\s*/g, " ").replaceAll("|", "\\|")
      )
    ).filter((cells) => cells.length > 0);
    const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
    if (rows.length * width > MAX_CELLS) {
      throw new Error(`Cannot convert the HTML: a table has more than ${MAX_CELLS} cells`);
    }
    const lines = rows.map((cells) => [...cells, ...Array(width - cells.length).fill("")]);
    return [
      ...lines.slice(0, 1),
      ...lines.slice(0, 1).map((cells) => cells.map(() => "---")),
      ...lines.slice(1),
    ]
      .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  }

  #inline(nodes: readonly HtmlNode[]): string {
    return nodes.map((node) => typeof node === "string" ? escaped(node) : this.#span(node)).join("")
      .replaceAll(/ {2,}(?!\n)/g, " ").replaceAll(/\n +/g, "\n");
  }

  #span(element: HtmlElement): string {
    const { name, attributes, children } = element;
    if (this.#isLeftOut(element)) return "";
    if (name === "br") return "  \n";
    if (name === "img") {
      return `![${escaped(attributes.get("alt") ?? "")}](${address(attributes.get("src"))})`;
    }
    if (name === "code" || name === "kbd" || name === "samp") return codeSpan(plain(children));
    const text = this.#inline(children);
    const mark = EMPHASIS.get(name);
    if (mark !== undefined) return marked(text, mark);
    const href = attributes.get("href");
    return name === "a" && href !== undefined && text.trim() !== ""
      ? `[${text.trim()}](${address(href)})`
      : text;
  }
}

/** A paragraph whose first characters would make it a heading, a list or a quotation gets them escaped. */
function literalStart(text: string): string {
  return text.replace(/^(#{1,6} |[-+] |> )/, "\\$1").replace(/^(\d+)([.)] )/, "$1\\$2");
}

function elementsOf({ children }: HtmlElement): HtmlElement[] {
  return children.filter((child) => typeof child !== "string");
}

function rowsOf(table: HtmlElement): HtmlElement[] {
  return elementsOf(table).flatMap((child) =>
    child.name === "tr" ? [child] : /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child) : []
  );
}

/** The text without marks and with its spaces. */
function plain(nodes: readonly HtmlNode[]): string {
  return nodes.map((node) =>
    typeof node === "string" ? node : node.name === "br" ? "\n" : plain(node.children)
  ).join("");
}

/** Spaces around the text stay outside of the marks. */
function marked(text: string, mark: string): string {
  const inner = text.trim();
  if (inner === "") return text;
  const start = text.slice(0, text.indexOf(inner)), end = text.slice(text.indexOf(inner) + inner.length);
  return `${start}${mark}${inner}${mark}${end}`;
}

function codeSpan(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  return text.includes("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}

/** An address within parentheses; one with spaces or parentheses is put between angle brackets. */
function address(text = ""): string {
  const url = text.trim().replaceAll(/[\n<>]/g, (sign) => encodeURIComponent(sign));
  return /[\s()]/.test(url) ? `<${url}>` : url;
}

/** Text whose signs mean nothing in Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<~]/g, "\\$&");
}
