/** Commands that people copy into a shell. */

/** A text as one argument of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
