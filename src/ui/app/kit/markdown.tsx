/** Markdown of users and of the documentation. Load it lazily: it brings the parser. */
import { type ComponentChildren, Fragment } from "preact";
import { t } from "../texts/mod.ts";
import { type Block, readMarkdown } from "./markdown_blocks.ts";
import type { Inline } from "./markdown_inline.ts";

interface MarkdownProps {
  readonly text: string;
  /** Called with an example of a flow, a task or a trigger; absent: blocks have no button. */
  readonly onUse?: (code: string) => void;
}

/** A task, a trigger or a whole flow; other blocks cannot be used. */
const EXAMPLE = /^- id:|^tasks:/m;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

/** A text as Markdown. HTML in it is shown as text; links to other sites open in a new tab. */
export function Markdown({ text, onUse }: MarkdownProps) {
  return (
    <div class="markdown">
      <Blocks blocks={readMarkdown(text)} onUse={onUse} />
    </div>
  );
}

interface BlocksProps extends Pick<MarkdownProps, "onUse"> {
  readonly blocks: readonly Block[];
}

function Blocks({ blocks, onUse }: BlocksProps) {
  return <>{blocks.map((block, index) => <Fragment key={index}>{shown(block, onUse)}</Fragment>)}</>;
}

function shown(block: Block, onUse: MarkdownProps["onUse"]): ComponentChildren {
  switch (block.kind) {
    case "heading": {
      const Heading = HEADINGS[block.level - 1] ?? "h6";
      return <Heading>{inline(block.content)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(block.content)}</p>;
    case "code":
      return <CodeBlock code={block.text} onUse={onUse} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} onUse={onUse} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "list": {
      const items = block.items.map((blocks, index) => <li key={index}>{itemContent(blocks, onUse)}</li>);
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return (
        <table tabIndex={0}>
          <thead>
            <tr>{block.head.map((cell, index) => <th key={index} scope="col">{inline(cell)}</th>)}</tr>
          </thead>
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>{row.map((cell, column) => <td key={column}>{inline(cell)}</td>)}</tr>
            ))}
          </tbody>
        </table>
      );
  }
}

/** The first text of an item stands beside its mark. */
function itemContent([first, ...rest]: readonly Block[], onUse: MarkdownProps["onUse"]): ComponentChildren {
  if (first?.kind !== "paragraph") return <Blocks blocks={first ? [first, ...rest] : rest} onUse={onUse} />;
  return (
    <>
      {inline(first.content)}
      <Blocks blocks={rest} onUse={onUse} />
    </>
  );
}

function CodeBlock({ code, onUse }: { readonly code: string } & Pick<MarkdownProps, "onUse">) {
  return (
    <>
      {onUse && EXAMPLE.test(code) && (
        <button type="button" onClick={() => onUse(code)}>{t("editor.openExample")}</button>
      )}
      <pre tabIndex={0}><code>{code}</code></pre>
    </>
  );
}

function inline(parts: readonly Inline[]): ComponentChildren {
  return parts.map((part, index) => <Fragment key={index}>{inlinePart(part)}</Fragment>);
}

function inlinePart(part: Inline): ComponentChildren {
  if (typeof part === "string") return part;
  switch (part.kind) {
    case "code":
      return <code>{part.text}</code>;
    case "break":
      return <br />;
    case "link":
      return <Link url={part.url}>{inline(part.content)}</Link>;
    default: {
      const Tag = part.kind;
      return <Tag>{inline(part.content)}</Tag>;
    }
  }
}

function Link({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  const isLocal = !/^[a-z]+:/i.test(url) && !url.startsWith("//");
  if (isLocal) return <a href={url}>{children}</a>;
  return <a href={url} target="_blank" rel="noopener noreferrer">{children}</a>;
}
