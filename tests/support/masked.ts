/** What log lines show of secrets. */

/** The text that stands for a secret of so many characters, if it is the first of its line. */
export function masked(length: number): string {
  return "*".repeat(length).replace("*********", "**masked*");
}
