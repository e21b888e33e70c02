/** Refusals of what a request sends; the message begins with the words that clients know each code by. */
import { DomainError } from "../model/errors.ts";
import { MAX_NAMED_THINGS } from "../model/limits.ts";

/** 400: a query parameter or a form cannot be read. */
export function badRequest(reason: string): DomainError {
  return new DomainError("bad_request", `Bad Request: ${reason}`);
}

/** 422: a value is not allowed. */
export function invalidArgument(reason: string): DomainError {
  return new DomainError("invalid_argument", `Illegal argument: ${reason}`);
}

/** 422: the body is JSON of another kind than the route takes. */
export function invalidBody(reason: string): DomainError {
  return new DomainError("invalid_body", `Invalid route params: ${reason}`);
}

/** 422: a member of a described entity is not allowed. */
export function invalidEntity(reason: string): DomainError {
  return new DomainError("invalid_entity", `Invalid entity: ${reason}`);
}

/** Refuses a list that names too many `things`. @throws DomainError invalid_argument */
export function checkNumberOf(things: "executions" | "flows", list: readonly unknown[]): void {
  if (list.length <= MAX_NAMED_THINGS) return;
  const most = MAX_NAMED_THINGS.toLocaleString("en");
  throw invalidArgument(
    `a request names at most ${most} ${things}, but received ${list.length}: send several requests, or select by filters`,
  );
}
