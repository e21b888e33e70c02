/** Headers by which a request says what it expects to replace. */
import { DomainError } from "../../model/errors.ts";

/**
 * The revision that `If-Match` expects as the latest one; `undefined` for `*` or without a header.
 * @throws DomainError precondition_failed: not a revision
 */
export function readIfMatch(header: string | undefined, what: string): number | undefined {
  if (header === undefined || header.trim() === "*") return undefined;
  const [, digits] = /^\s*(?:W\/)?"?(\d{1,9})"?\s*$/.exec(header) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new DomainError(
    "precondition_failed",
    `Cannot update the ${what}: "If-Match" must be the number of a revision, but received ${
      JSON.stringify(header)
    }`,
  );
}
