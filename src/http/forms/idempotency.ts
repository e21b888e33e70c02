/** The header by which a caller says that a request is the same as an earlier one, and the answer to it. */
import { DomainError } from "../../model/errors.ts";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../model/limits.ts";

const KEY_HEADER = "idempotency-key";
const REPLAYED_HEADER = "idempotent-replayed";

/** The key of a request; `undefined` when it has none. @throws DomainError invalid_argument */
export function readIdempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get(KEY_HEADER);
  if (key === null || (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH)) return key ?? undefined;
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: "Idempotency-Key" must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, but has ${key.length}`,
  );
}

/** The query of a request, in whatever order its parameters were sent. */
export function sortedQuery({ url }: Request): string {
  const mark = url.indexOf("?");
  if (mark === -1) return "";
  const query = new URLSearchParams(url.slice(mark));
  query.sort();
  return query.toString();
}

/** What an answer says of itself: given before, or nothing. */
export function replayedHeaders(
  { isReplayed = false }: { readonly isReplayed?: boolean },
): Record<string, string> {
  return isReplayed ? { [REPLAYED_HEADER]: "true" } : {};
}
