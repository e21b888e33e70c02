/** Replaces secrets by stars. Log lines show them as `**masked***`, results of expressions as six stars. */

/**
 * A shorter secret is masked only as the complete text: "1" or "on" is part of any line, and masking it there would
 * destroy the log without hiding anything.
 */
const MIN_PART_LENGTH = 3;
/** The lines of a secret, such as a private key, are often logged one by one; shorter lines (`{`, `---`) are no secret. */
const MIN_LINE_LENGTH = 8;
/** Messages show at most so many characters of a value. */
const MAX_SHOWN_CHARS = 200;
/** Ends of values that messages show in part. */
const CUTS = ["…", " …"];

/** The secrets that one execution has used so far. */
export class SecretMask {
  readonly #parts = new Set<string>();
  /** Longest first, so that masking a part does not leave the rest of a longer one; made when it is needed. */
  #ordered: readonly string[] | undefined;
  readonly #secrets = new Set<string>();

  /** Masks that text from now on: unchanged, escaped as in JSON, and each longer line. */
  add(secret: string): void {
    if (secret === "" || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
    const parts = [
      ...[secret, secret.trim()].filter((text) => text.length >= MIN_PART_LENGTH),
      ...lines.filter((line) => line.length >= MIN_LINE_LENGTH),
    ];
    const escaped = parts.map((part) => JSON.stringify(part).slice(1, -1));
    for (const part of [...parts, ...escaped]) this.#parts.add(part);
    this.#ordered = undefined;
  }

  /** The secrets, each as it was added. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** The text with every secret replaced by as many stars; nine stars in a row become `**masked*`. */
  apply(text: string): string {
    const masked = this.#replaced(text, stars);
    return masked === text ? text : masked.replace(MARKED, MARK);
  }

  /** The text with every secret replaced by six stars, whatever its length. */
  hide(text: string): string {
    // The stars come last: a secret that is stars itself must not match those of another one.
    return this.#replaced(text, () => STAND_IN).replaceAll(STAND_IN, HIDDEN);
  }

  #replaced(text: string, by: (secret: string) => string): string {
    if (this.#secrets.has(text.trim())) return by(text);
    let replaced = text;
    this.#ordered ??= [...this.#parts].sort((a, b) => b.length - a.length);
    for (const part of this.#ordered) replaced = replaced.replaceAll(part, by(part));
    if (!replaced.includes("…")) return replaced;
    for (const part of this.#ordered) replaced = withoutBeginning(replaced, part, by);
    return replaced;
  }
}

/** Replaces the beginning of a secret where a message shows a value in part: messages are cut before secrets are masked. */
function withoutBeginning(text: string, secret: string, by: (beginning: string) => string): string {
  const head = secret.slice(0, MIN_LINE_LENGTH);
  if (head.length < MIN_LINE_LENGTH) return text;
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, Math.max(from, at + 1))) {
    const end = at + commonLength(text.slice(at, at + MAX_SHOWN_CHARS), secret);
    if (!CUTS.some((cut) => text.startsWith(cut, end))) continue;
    pieces.push(text.slice(from, at), by(text.slice(at, end)));
    from = end;
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(from);
}

function commonLength(text: string, other: string): number {
  let length = 0;
  while (length < text.length && text[length] === other[length]) length++;
  return length;
}

/** Existing clients look for this text. */
const MARK = "**masked*";
const MARKED = stars(MARK);
/** What stands for a secret of any length. */
export const HIDDEN = "******";
/** Not a character of texts: Unicode reserves it for use within programs. */
const STAND_IN = "\uFDD0";

function stars(text: string): string {
  return "*".repeat(text.length);
}
