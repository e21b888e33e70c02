/** HTML templates: inserted values are escaped, unless they are markup. */

/** Safe markup. Only the {@link markup} tag creates it. */
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

/** A value in a template; lists are concatenated, `undefined` and `false` omitted. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Template tag. Texts are escaped for elements and quoted attributes; never use an unquoted attribute. */
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
