/** Markdown of users and of the documentation, cleaned. Load it lazily: it brings the parser. */
import DOMPurify from "dompurify";
import { marked } from "marked";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts/mod.ts";

interface MarkdownProps {
  readonly text: string;
  /** Called with an example of a flow, a task or a trigger; absent: blocks have no button. */
  readonly onUse?: (code: string) => void;
}

/** A task, a trigger or a whole flow; other blocks cannot be used. */
const EXAMPLE = /^- id:|^tasks:/m;

/** A text as Markdown. No images, forms or styles; links to other sites open in a new tab. */
export function Markdown({ text, onUse }: MarkdownProps) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = cleaned(text);
    if (onUse) addButtons(content, onUse);
    container.current?.replaceChildren(content);
  }, [text]);
  return <div ref={container} class="markdown" />;
}

function cleaned(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: ["img", "style", "form", "input", "button", "svg", "math", "video", "audio", "picture"],
    FORBID_ATTR: ["style", "id", "class", "name"],
  });
  for (const link of fragment.querySelectorAll("a")) {
    if (link.origin === location.origin) continue;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const block of fragment.querySelectorAll("pre, table")) (block as HTMLElement).tabIndex = 0;
  return fragment;
}

function addButtons(content: DocumentFragment, onUse: (code: string) => void): void {
  for (const block of content.querySelectorAll("pre")) {
    const code = block.textContent ?? "";
    if (!EXAMPLE.test(code)) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t("editor.openExample");
    button.addEventListener("click", () => onUse(code));
    block.before(button);
  }
}
