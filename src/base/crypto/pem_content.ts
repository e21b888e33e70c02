/** The base64 text of a PEM block. */

/**
 * What stands between the lines that begin and end the first block of that label, such as `PRIVATE KEY`; empty where there is
 * none.
 */
export function pemContent(text: string, label: string): string {
  const begin = `-----BEGIN ${label}-----`;
  const at = text.indexOf(begin);
  const end = text.indexOf("-----END", at);
  return at < 0 || end < 0 ? "" : text.slice(at + begin.length, end);
}
