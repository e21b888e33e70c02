/** The page of a list that an address names. */

/** The parameter `page`; 1 without it, and for what is no number of a page: the server would refuse that. */
export function pageIn(query: URLSearchParams): number {
  const page = Number(query.get("page"));
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}
