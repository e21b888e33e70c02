/**
 * The address of a file below `src`. The bundle of the server lies as deep as this module does (`dist/server/main.js`), so
 * that it finds the same files beside it: in a clone, and embedded in the binary.
 */
export function sourceUrl(path: string): URL {
  return new URL(`../../src/${path}`, import.meta.url);
}
