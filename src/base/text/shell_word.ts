/** A text quoted as one word of a POSIX shell, without expansion. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
