/** Markdown as blocks of Notion. https://developers.notion.com/reference/block */
import type { MarkedToken, Token, Tokens } from "marked";
import type { JsonObject } from "../../base/json.ts";
import { markdownTokens } from "../markdown.ts";

/** Characters of a piece of text; Notion takes no more. */
const MAX_TEXT_CHARS = 2000;
const MAX_HEADING = 3;

/** Marks of a text. */
interface Marks {
  readonly bold?: true;
  readonly italic?: true;
  readonly strikethrough?: true;
  readonly code?: true;
  readonly href?: string;
}

/** The blocks of a text. */
export async function markdownBlocks(markdown: string): Promise<JsonObject[]> {
  return blocksOf(await markdownTokens(markdown));
}

function blocksOf(tokens: readonly Token[]): JsonObject[] {
  return tokens.flatMap((token) => blocksOfToken(token as MarkedToken));
}

function blocksOfToken(token: MarkedToken): JsonObject[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [textBlock(`heading_${Math.min(token.depth, MAX_HEADING)}`, token.tokens)];
    case "paragraph":
    case "text":
      return [textBlock("paragraph", token.tokens ?? [token])];
    case "code":
      return [block("code", { rich_text: piecesOf(token.text, {}), language: languageOf(token.lang) })];
    case "hr":
      return [block("divider", {})];
    case "blockquote":
      return [nested("quote", token.tokens)];
    case "list":
      return token.items.map((item: Tokens.ListItem) => listItem(item, token.ordered));
    case "table":
      return [tableBlock(token)];
    default:
      return [block("paragraph", { rich_text: piecesOf(token.raw.trim(), {}) })];
  }
}

function block(type: string, content: JsonObject): JsonObject {
  return { object: "block", type, [type]: content };
}

function textBlock(type: string, tokens: readonly Token[], further: JsonObject = {}): JsonObject {
  return block(type, { rich_text: richText(tokens), ...further });
}

/** A block with the text of its first paragraph; what follows is within it. */
function nested(type: string, tokens: readonly Token[], further: JsonObject = {}): JsonObject {
  const [first, ...rest] = tokens;
  const isText = first?.type === "text" || first?.type === "paragraph";
  const inner = isText && "tokens" in first ? first.tokens ?? [] : [];
  const children = blocksOf(isText ? rest : tokens);
  return textBlock(type, inner, { ...further, ...children.length > 0 && { children } });
}

function listItem({ task, checked, tokens }: Tokens.ListItem, isOrdered: boolean): JsonObject {
  const content = tokens.filter(({ type }) => type !== "checkbox");
  if (task) return nested("to_do", content, { checked: checked === true });
  return nested(isOrdered ? "numbered_list_item" : "bulleted_list_item", content);
}

function tableBlock({ header, rows }: Tokens.Table): JsonObject {
  const rowOf = (cells: readonly Tokens.TableCell[]) =>
    block("table_row", { cells: cells.map(({ tokens }) => richText(tokens)) });
  return block("table", {
    table_width: header.length,
    has_column_header: true,
    has_row_header: false,
    children: [header, ...rows].map(rowOf),
  });
}

function richText(tokens: readonly Token[], marks: Marks = {}): JsonObject[] {
  return tokens.flatMap((each) => {
    const token = each as MarkedToken;
    switch (token.type) {
      case "strong":
        return richText(token.tokens, { ...marks, bold: true });
      case "em":
        return richText(token.tokens, { ...marks, italic: true });
      case "del":
        return richText(token.tokens, { ...marks, strikethrough: true });
      case "link":
        return richText(token.tokens, /^https?:/.test(token.href) ? { ...marks, href: token.href } : marks);
      case "codespan":
        return piecesOf(token.text, { ...marks, code: true });
      case "br":
        return piecesOf("\n", marks);
      case "image":
        return piecesOf(token.text, marks);
      case "text":
        return token.tokens ? richText(token.tokens, marks) : piecesOf(plain(token.text), marks);
      default:
        return piecesOf("text" in token ? String(token.text) : token.raw, marks);
    }
  });
}

/** The package escapes some characters for HTML. */
function plain(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll(
    "&#39;",
    "'",
  )
    .replaceAll("&amp;", "&");
}

function piecesOf(text: string, { href, ...annotations }: Marks): JsonObject[] {
  const pieces: JsonObject[] = [];
  for (let at = 0; at < text.length; at += MAX_TEXT_CHARS) {
    const content = text.slice(at, at + MAX_TEXT_CHARS);
    pieces.push({
      type: "text",
      text: { content, ...href !== undefined && { link: { url: href } } },
      ...Object.keys(annotations).length > 0 && { annotations },
    });
  }
  return pieces;
}

/** Languages that Notion has; it refuses others. */
const LANGUAGES = new Set([
  ...[
    "bash",
    "c",
    "c#",
    "c++",
    "css",
    "dart",
    "diff",
    "docker",
    "elixir",
    "go",
    "graphql",
    "groovy",
    "haskell",
  ],
  ...[
    "html",
    "java",
    "javascript",
    "json",
    "julia",
    "kotlin",
    "latex",
    "lua",
    "makefile",
    "markdown",
    "mermaid",
  ],
  ...[
    "perl",
    "php",
    "powershell",
    "protobuf",
    "python",
    "r",
    "ruby",
    "rust",
    "scala",
    "scss",
    "shell",
    "sql",
  ],
  ...["swift", "toml", "typescript", "xml", "yaml"],
]);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["js", "javascript"],
  ["ts", "typescript"],
  ["py", "python"],
  ["rb", "ruby"],
  ["rs", "rust"],
  ["kt", "kotlin"],
  ["cs", "c#"],
  ["cpp", "c++"],
  ["golang", "go"],
  ["sh", "shell"],
  ["yml", "yaml"],
  ["md", "markdown"],
  ["dockerfile", "docker"],
]);

function languageOf(name = ""): string {
  const given = name.trim().split(/\s/, 1)[0]?.toLowerCase() ?? "";
  const known = SHORT_NAMES.get(given) ?? given;
  return LANGUAGES.has(known) ? known : "plain text";
}
