/** Several documents in one text. */

const MARKER = /^---(?=[ \t\r]|$)/;
const BLANK = /^\s*(?:#.*)?$/;

/**
 * The documents of a text, split at lines that start with `---`, each verbatim without its marker line. Documents of
 * nothing but white space and comments are left out.
 */
export function splitDocuments(source: string): string[] {
  const documents: string[][] = [[]];
  for (const line of source.split("\n")) {
    if (!MARKER.test(line)) {
      documents.at(-1)?.push(line);
      continue;
    }
    const rest = line.slice(3);
    documents.push(BLANK.test(rest) ? [] : [rest.trimStart()]);
  }
  return documents
    .filter((lines) => lines.some((line) => !BLANK.test(line)))
    .map((lines) => lines.join("\n"));
}
