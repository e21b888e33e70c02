/** Responses with JSON. */
import { stringifyJson } from "../../base/json.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };
const OK: ResponseInit = { headers: JSON_HEADERS };

/** 200 with JSON, which is sent as is. */
export function jsonResponse(
  json: string | Uint8Array<ArrayBuffer>,
  headers?: Readonly<Record<string, string>>,
): Response {
  return new Response(json, headers ? { headers: { ...JSON_HEADERS, ...headers } } : OK);
}

/** 200 with a value as JSON, number kinds kept (`c.json` would lose them). */
export function valueResponse(value: unknown, headers?: Readonly<Record<string, string>>): Response {
  return jsonResponse(stringifyJson(value), headers);
}

/** 200 with one page of a list, from the JSON texts of its items. */
export function pageResponse(results: readonly string[], total: number): Response {
  return jsonResponse(`{"results":[${results.join(",")}],"total":${total}}`);
}
