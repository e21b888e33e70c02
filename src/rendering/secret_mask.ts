/** Replaces secrets in log lines by stars, such as `**masked***`. */

/**
 * A shorter secret is masked only as the complete text: "1" or "on" is part of any line, and masking it there would
 * destroy the log without hiding anything.
 */
const MIN_PART_LENGTH = 3;
/** The lines of a secret, such as a private key, are often logged one by one; shorter lines (`{`, `---`) are no secret. */
const MIN_LINE_LENGTH = 8;

/** The secrets that one execution has used so far. */
export class SecretMask {
  /** Longest first, so that masking a part does not leave the rest of a longer one. */
  #parts: string[] = [];
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
    const all = new Set([...this.#parts, ...parts, ...escaped]);
    this.#parts = [...all].sort((a, b) => b.length - a.length);
  }

  /** The secrets, each as it was added. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** The text with every secret replaced by as many stars; nine stars in a row become `**masked*`. */
  apply(text: string): string {
    const masked = this.#starred(text);
    return masked === text ? text : masked.replace(MARKED, MARK);
  }

  #starred(text: string): string {
    if (this.#secrets.has(text.trim())) return stars(text);
    let starred = text;
    for (const part of this.#parts) starred = starred.replaceAll(part, stars(part));
    return starred;
  }
}

/** Existing clients look for this text. */
const MARK = "**masked*";
const MARKED = stars(MARK);

function stars(text: string): string {
  return "*".repeat(text.length);
}
