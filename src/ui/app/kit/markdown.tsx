/** Markdown of users and of the documentation. Load it lazily: it brings the parser. */
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { type ComponentChildren, Fragment } from "preact";
import { t } from "../texts/mod.ts";

interface MarkdownProps {
  readonly text: string;
  /** Blocks of code that a flow can use get a button that calls this. */
  readonly onUse?: (code: string) => void;
}

type OnUse = MarkdownProps["onUse"];

/** A task, a trigger or a whole flow; other blocks cannot be used. */
const EXAMPLE = /^- id:|^tasks:/m;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;
/** Other addresses could run scripts. */
const SAFE_URL = /^(?:https?:\/\/|mailto:|[/#]|[^:]*$)/i;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** A text as Markdown. HTML in it is shown as text, so no element comes from it; links to other sites open in a new tab. */
export function Markdown({ text, onUse }: MarkdownProps) {
  const tokens = tokensOf(text);
  return <div class="markdown">{tokens ? blocks(tokens, onUse) : <pre tabIndex={0}>{text}</pre>}</div>;
}

/** `undefined` for a text that is nested too deeply for the parser, which is recursive. */
function tokensOf(text: string): readonly Token[] | undefined {
  try {
    return lexer(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function blocks(tokens: readonly Token[], onUse: OnUse): ComponentChildren {
  return tokens.map((token, index) => <Fragment key={index}>{block(token as MarkedToken, onUse)}</Fragment>);
}

function block(token: MarkedToken, onUse: OnUse): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Heading = HEADINGS[token.depth - 1] ?? "h6";
      return <Heading>{inline(token.tokens)}</Heading>;
    }
    case "code":
      return <CodeBlock code={token.text} onUse={onUse} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens, onUse)}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return <List list={token as Tokens.List} onUse={onUse} />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "html":
      return <p>{token.text.trim()}</p>;
    // The text of an item of a list without blank lines.
    default:
      return inline([token]);
  }
}

function List({ list, onUse }: { readonly list: Tokens.List; readonly onUse: OnUse }) {
  const items = list.items.map((item, index) => <li key={index}>{blocks(item.tokens, onUse)}</li>);
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    <table tabIndex={0}>
      <thead>
        <tr>{table.header.map(({ tokens }, index) => <th key={index} scope="col">{inline(tokens)}</th>)}</tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>{row.map(({ tokens }, column) => <td key={column}>{inline(tokens)}</td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function CodeBlock({ code, onUse }: { readonly code: string; readonly onUse: OnUse }) {
  return (
    <>
      {onUse && EXAMPLE.test(code) && (
        <button type="button" onClick={() => onUse(code)}>{t("editor.openExample")}</button>
      )}
      <pre tabIndex={0}><code>{code}</code></pre>
    </>
  );
}

function inline(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, index) => <Fragment key={index}>{inlinePart(token as MarkedToken)}</Fragment>);
}

function inlinePart(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link url={token.href}>{inline(token.tokens)}</Link>;
    case "image":
      return token.text;
    case "text":
      return token.tokens ? inline(token.tokens) : plain(token.text);
    case "escape":
      return plain(token.text);
    default:
      return token.raw;
  }
}

/** The parser leaves the entities of HTML as they are. */
function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

function Link({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  if (!SAFE_URL.test(url)) return <>{children}</>;
  const isLocal = !/^[a-z]+:/i.test(url) && !url.startsWith("//");
  if (isLocal) return <a href={url}>{children}</a>;
  return <a href={url} target="_blank" rel="noopener noreferrer">{children}</a>;
}
