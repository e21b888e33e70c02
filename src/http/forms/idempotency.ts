/** The `Idempotency-Key` header of requests, and the header that marks a replayed response. */
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../model/limits.ts";
import { invalidArgument } from "../refusals.ts";

const KEY_HEADER = "idempotency-key";
const REPLAYED_HEADER = "idempotent-replayed";

/** The key of a request; `undefined` without one. @throws DomainError invalid_argument */
export function readIdempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get(KEY_HEADER);
  if (key === null || (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH)) return key ?? undefined;
  throw invalidArgument(
    `"Idempotency-Key" must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, but has ${key.length}`,
  );
}

/** The query of a request with sorted parameters. */
export function sortedQuery({ url }: Request): string {
  const mark = url.indexOf("?");
  if (mark === -1) return "";
  const query = new URLSearchParams(url.slice(mark));
  query.sort();
  return query.toString();
}

/** Headers of a response: `Idempotent-Replayed` when it was stored by an earlier request. */
export function replayedHeaders(
  { isReplayed = false }: { readonly isReplayed?: boolean },
): Record<string, string> {
  return isReplayed ? { [REPLAYED_HEADER]: "true" } : {};
}
