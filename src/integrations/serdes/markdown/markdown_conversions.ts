/** `serdes.markdown.MarkdownToHtml`, `MarkdownToText` and `HtmlToMarkdown`. */
import type { MarkedToken, Token } from "marked";
import { dynamicProperty } from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { markdownTokens } from "../../markdown.ts";
import { writePieces } from "../../row_files.ts";
import { readWhole } from "../../whole_file.ts";
import { CHARSET, fetchSource, FROM, URI_OUTPUT } from "../conversion.ts";
import { encodedTexts } from "../encoded_texts.ts";

/** A text is converted as a whole; HTML of this size takes half a second. */
const MAX_BYTES = 4 * 1024 * 1024;

const METRICS = { bytes: { type: "counter", description: "Bytes of the converted file." } } as const;

const EXAMPLE = (type: string) =>
  `id: convert
type: io.svc.plugin.serdes.markdown.${type}
from: "{{ outputs.write.uri }}"`;

/** HTML within the text is kept. */
export const markdownToHtml = defineTask({
  type: "serdes.markdown.MarkdownToHtml",
  title: "Convert Markdown to HTML",
  description:
    "Converts a file of Markdown to HTML, such as the content of a mail. HTML within the text is kept as it is.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: METRICS,
  examples: [{ title: "Convert a text", yaml: EXAMPLE("MarkdownToHtml") }],
  run: (context) =>
    converted(context, "text.html", async (markdown) => {
      const { parser } = await import("marked");
      return parser(await markdownTokens(markdown));
    }),
});

/** Marks, addresses of links and HTML are left out. */
export const markdownToText = defineTask({
  type: "serdes.markdown.MarkdownToText",
  title: "Convert Markdown to plain text",
  description: "Converts a file of Markdown to text without marks; addresses of links and HTML are left out.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: METRICS,
  examples: [{ title: "Convert a text", yaml: EXAMPLE("MarkdownToText") }],
  run: (context) =>
    converted(
      context,
      "text.txt",
      async (markdown) => `${blocksText(await markdownTokens(markdown)).trimEnd()}\n`,
    ),
});

/** Marks of HTML that Markdown does not have are left out. */
export const htmlToMarkdown = defineTask({
  type: "serdes.markdown.HtmlToMarkdown",
  title: "Convert HTML to Markdown",
  description:
    "Converts a file of HTML to Markdown: headings, paragraphs, lists, tables, code, links, pictures and emphasis. Scripts and " +
    "styles are left out.",
  properties: {
    from: FROM,
    charset: CHARSET,
    ignoreTags: dynamicProperty(
      "list",
      "Names of elements that are left out with their content, such as `nav`.",
      {
        items: { type: "string", description: "Name of an element." },
      },
    ),
  },
  outputs: URI_OUTPUT,
  metrics: METRICS,
  examples: [{ title: "Convert a page", yaml: `${EXAMPLE("HtmlToMarkdown")}\nignoreTags: [nav, footer]` }],
  run: (context) =>
    converted(context, "text.md", async (html) => {
      const { markdownOf } = await import("./html_markdown.ts");
      const { ignoreTags } = context.properties;
      const names = Array.isArray(ignoreTags) ? ignoreTags.map((name) => String(name).toLowerCase()) : [];
      return markdownOf(html, new Set(names));
    }),
});

/** @throws Error the file is too large */
async function converted(context: TaskContext, name: string, convert: (markdown: string) => Promise<string>) {
  const charset = String(context.properties.charset);
  const source = String(context.properties.from).trim();
  const bytes = await readWhole(await fetchSource(context), { name: source, maxBytes: MAX_BYTES });
  const text = await convert(new TextDecoder(charset).decode(bytes));
  const path = `${await context.directory()}/${name}`;
  let size = 0;
  const pieces = async function* () {
    for await (const piece of encodedTexts(single(text), charset)) {
      size += typeof piece === "string" ? new TextEncoder().encode(piece).length : piece.length;
      yield piece;
    }
  };
  await writePieces(path, pieces(), context.signal);
  context.metric("bytes", size);
  return { uri: await context.storeFile(path) };
}

async function* single(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

/** Blocks with empty lines between them. */
function blocksText(tokens: readonly Token[]): string {
  return tokens.map((token) => blockText(token as MarkedToken)).filter((text) => text !== "").join("\n\n");
}

function blockText(token: MarkedToken): string {
  switch (token.type) {
    case "space":
    case "def":
    case "hr":
    case "html":
      return "";
    case "code":
      return token.text;
    case "blockquote":
      return blocksText(token.tokens);
    case "list":
      return token.items.map((item, index) => {
        const begin = token.ordered ? `${Number(token.start || 1) + index}. ` : "- ";
        const lines = item.tokens.map((each) => blockText(each as MarkedToken)).filter((text) => text !== "");
        return begin + lines.join("\n").replaceAll("\n", "\n  ");
      }).join("\n");
    case "table":
      return [token.header, ...token.rows].map((row) =>
        row.map(({ tokens }) => inlineText(tokens)).join("\t")
      )
        .join("\n");
    default:
      return "tokens" in token && token.tokens ? inlineText(token.tokens) : inlineText([token]);
  }
}

function inlineText(tokens: readonly Token[]): string {
  return tokens.map((each) => {
    const token = each as MarkedToken;
    if (token.type === "html" || token.type === "checkbox") return "";
    if (token.type === "br") return "\n";
    if ("tokens" in token && token.tokens) return inlineText(token.tokens);
    return "text" in token ? String(token.text) : "";
  }).join("");
}
