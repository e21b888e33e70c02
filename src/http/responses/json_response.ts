/** Answers whose JSON text is there already: it is sent as it is, not parsed and printed again. */

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };
const OK: ResponseInit = { headers: JSON_HEADERS };

/** 200 with that JSON text. */
export function jsonResponse(text: string, headers?: Readonly<Record<string, string>>): Response {
  return new Response(text, headers ? { headers: { ...JSON_HEADERS, ...headers } } : OK);
}

/** 200 with one page of a list, from the texts of its items. */
export function pageResponse(results: readonly string[], total: number): Response {
  return jsonResponse(`{"results":[${results.join(",")}],"total":${total}}`);
}
