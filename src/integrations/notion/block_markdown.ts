/** Blocks of Notion as Markdown. https://developers.notion.com/reference/block */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";

/** The children of a block. */
type Children = (block: JsonObject) => AsyncIterable<JsonObject>;

/** Depth of blocks within blocks; what is deeper is left out. */
const MAX_DEPTH = 10;
const LISTS: ReadonlyMap<string, string> = new Map([
  ["bulleted_list_item", "- "],
  ["numbered_list_item", "1. "],
  ["to_do", "- [ ] "],
]);

/** The text of blocks; blocks that Markdown does not have, such as embedded pages, are left out. */
export async function blocksMarkdown(
  blocks: AsyncIterable<JsonObject>,
  children: Children,
  depth = 0,
): Promise<string> {
  const parts: string[] = [];
  let isList = false;
  for await (const block of blocks) {
    const text = await blockMarkdown(block, children, depth);
    if (text === undefined) continue;
    const isItem = LISTS.has(String(block.type));
    // The items of a list have no empty lines between them.
    parts.push(parts.length === 0 ? "" : isItem && isList ? "\n" : "\n\n", text);
    isList = isItem;
  }
  return parts.join("");
}

async function blockMarkdown(
  block: JsonObject,
  children: Children,
  depth: number,
): Promise<string | undefined> {
  const type = String(block.type);
  const content = isJsonObject(block[type]) ? block[type] : {};
  const text = textOf(content.rich_text);
  const inner = block.has_children === true && type !== "table" && depth < MAX_DEPTH
    ? await blocksMarkdown(children(block), children, depth + 1)
    : "";
  const bullet = LISTS.get(type);
  if (bullet !== undefined) {
    const begin = type === "to_do" && content.checked === true ? "- [x] " : bullet;
    return `${begin}${text}${inner && `\n${indented(inner, "  ")}`}`;
  }
  const heading = /^heading_([123])$/.exec(type)?.[1];
  if (heading !== undefined) return withInner(`${"#".repeat(Number(heading))} ${text}`, inner);
  if (type === "quote" || type === "callout") return indented(withInner(text, inner), "> ");
  if (type === "code") return `\`\`\`${content.language ?? ""}\n${plainText(content.rich_text)}\n\`\`\``;
  if (type === "divider") return "---";
  if (type === "table") return await tableMarkdown(children(block));
  return text === "" && inner === "" ? undefined : withInner(text, inner);
}

function withInner(text: string, inner: string): string {
  return inner === "" ? text : `${text}\n\n${inner}`;
}

function indented(text: string, prefix: string): string {
  return text.split("\n").map((line) => `${prefix}${line}`).join("\n");
}

async function tableMarkdown(rows: AsyncIterable<JsonObject>): Promise<string> {
  const lines: string[] = [];
  for await (const { table_row: row } of rows) {
    const cells = isJsonObject(row) && Array.isArray(row.cells) ? row.cells : [];
    lines.push(`| ${cells.map((cell) => textOf(cell).replaceAll("|", "\\|")).join(" | ")} |`);
    if (lines.length === 1) lines.push(`|${" --- |".repeat(cells.length)}`);
  }
  return lines.join("\n");
}

/** A text with its marks. */
function textOf(richText: unknown): string {
  return pieces(richText).map(({ plain_text: plain, href, annotations }) => {
    const text = String(plain ?? "");
    const { bold, italic, strikethrough, code } = isJsonObject(annotations) ? annotations : {};
    let marked = code === true ? `\`${text}\`` : text;
    if (text.trim() !== "" && bold === true) marked = `**${marked}**`;
    if (text.trim() !== "" && italic === true) marked = `*${marked}*`;
    if (text.trim() !== "" && strikethrough === true) marked = `~~${marked}~~`;
    return typeof href === "string" ? `[${marked}](${href})` : marked;
  }).join("");
}

/** A text without its marks. */
export function plainText(richText: unknown): string {
  return pieces(richText).map(({ plain_text: plain }) => String(plain ?? "")).join("");
}

function pieces(richText: unknown): JsonObject[] {
  return objectsOf(richText as JsonObject[]);
}
