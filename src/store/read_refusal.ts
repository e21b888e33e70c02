/** The refusal of a read that the database failed. */
import { DomainError } from "../model/errors.ts";

/** Called for each read that the database fails, for the log. */
export type ReadFailed = (error: Error) => void;

/** Reports the failure; gives the refusal. It is a fault of the database, not a bug: callers may try again. */
export function readRefusal(error: unknown, readFailed: ReadFailed): DomainError {
  const cause = error instanceof Error ? error : new Error(String(error));
  readFailed(cause);
  const text = "Cannot read: the database cannot be read; the server tries again";
  return new DomainError("unavailable", text, { cause, retryAfter: 1 });
}
