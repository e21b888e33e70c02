/** Percent-encoded texts of addresses and headers. */

/** The decoded text; `undefined` if it is not encoded UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
