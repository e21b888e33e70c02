/** Any text as one word of a POSIX shell: nothing in it means anything to the shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
