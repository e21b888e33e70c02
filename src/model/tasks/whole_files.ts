/** Files that tasks have in memory as a whole. */

/** Most bytes where a type has no limit of its own: git servers refuse larger files, too. */
const MAX_WHOLE_FILE_BYTES = 100 * 1024 * 1024;

/** @throws Error the file has more than `maxBytes` */
export function checkWholeFile(name: string, size: number, maxBytes = MAX_WHOLE_FILE_BYTES): void {
  if (size <= maxBytes) return;
  throw new Error(`Cannot read "${name}": it has ${size} bytes, and at most ${maxBytes} are allowed`);
}
