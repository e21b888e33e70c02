/** Replaces secrets in log lines by stars. Knows texts only, not where they come from. */

/**
 * A shorter secret is masked where it is the whole text only: "1" or "on" is part of any line, and masking it there would
 * destroy the log without hiding anything.
 */
const MIN_PART_LENGTH = 3;
/** A secret of several lines, such as a private key, is often written line by line; short lines of it (`{`, `---`) are no secret. */
const MIN_LINE_LENGTH = 8;

/** The secrets that one execution has used so far. */
export class SecretMask {
  /** Longest first, so that none hides the rest of another. */
  #parts: string[] = [];
  readonly #wholes = new Set<string>();

  /** Masks that text from now on: as it is, as it stands in JSON, and each longer line of it. */
  add(secret: string): void {
    if (secret === "" || this.#wholes.has(secret)) return;
    this.#wholes.add(secret);
    const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
    const parts = [
      ...[secret, secret.trim()].filter((text) => text.length >= MIN_PART_LENGTH),
      ...lines.filter((line) => line.length >= MIN_LINE_LENGTH),
    ];
    const escaped = parts.map((part) => JSON.stringify(part).slice(1, -1));
    const all = new Set([...this.#parts, ...parts, ...escaped]);
    this.#parts = [...all].sort((a, b) => b.length - a.length);
  }

  /** The text with stars, as many as characters, in place of every secret. */
  apply(text: string): string {
    if (this.#wholes.has(text.trim())) return stars(text);
    let masked = text;
    for (const part of this.#parts) masked = masked.replaceAll(part, stars(part));
    return masked;
  }
}

function stars(text: string): string {
  return "*".repeat(text.length);
}
