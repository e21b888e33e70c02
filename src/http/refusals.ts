/** Refusals of what a request sends; the message begins with the words that clients know each code by. */
import { DomainError } from "../model/errors.ts";

/** 400: a query parameter or a form cannot be read. */
export function badRequest(reason: string): DomainError {
  return new DomainError("bad_request", `Bad Request: ${reason}`);
}

/** 422: a value is not allowed. */
export function invalidArgument(reason: string): DomainError {
  return new DomainError("invalid_argument", `Illegal argument: ${reason}`);
}

/** 422: a member of a described entity is not allowed. */
export function invalidEntity(reason: string): DomainError {
  return new DomainError("invalid_entity", `Invalid entity: ${reason}`);
}
