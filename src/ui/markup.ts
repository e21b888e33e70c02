/** Markup as a value: what is put into a template is escaped, unless it is markup already. */

/** Markup that is safe to send. Only the {@link markup} tag makes it. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The markup. */
  toString(): string {
    return this.text;
  }
}

export type { Html };

/** What a template may hold; a list's items stand side by side, `undefined` and `false` are left out. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Template tag. Texts are escaped for elements and for quoted attributes; leave no attribute unquoted. */
export function markup(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0] ?? "";
  parts.forEach((part, index) => text += partText(part) + (strings[index + 1] ?? ""));
  return new Html(text);
}

function partText(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === false) return "";
  if (typeof part === "string") return escapeText(part);
  return typeof part === "number" ? String(part) : part.map(partText).join("");
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES.get(character) ?? character);
}
