/** Refusals to a caller. A code is never renamed: clients and tests rely on it. */

/** Why a request was refused. `http/responses/problem.ts` gives each its status. */
export type ErrorCode =
  | "bad_request"
  | "bulk_refused"
  | "invalid_filter"
  | "invalid_json"
  | "invalid_entity"
  | "invalid_argument"
  | "already_exists"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "expired"
  | "precondition_failed"
  | "too_large"
  | "unsupported_media_type"
  | "misdirected"
  | "too_many_requests"
  | "internal"
  | "unavailable"
  | "storage_full";

/** One of several reasons, with the place it concerns, for example `tasks[0].message`. */
export interface ErrorItem {
  readonly path: string;
  readonly message: string;
}

/** Further facts of a refusal. */
export interface DomainErrorOptions {
  readonly cause?: unknown;
  readonly items?: readonly ErrorItem[];
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
}

/** A refusal that the caller is told of: the message names the thing, the reason and, where there is one, the way out. */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: ErrorCode;
  readonly items: readonly ErrorItem[];
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.items = options.items ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** What `find` gives; `undefined` when it is refused with `not_found`. */
export async function undefinedIfMissing<T>(find: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof DomainError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** A `not_found` refusal. */
export function notFound(reason: string): DomainError {
  return new DomainError("not_found", `Not Found: ${reason}`);
}

/** An `invalid_argument` refusal. */
export function illegalArgument(reason: string): DomainError {
  return new DomainError("invalid_argument", `Illegal argument: ${reason}`);
}

/** A `conflict` refusal: the request is not possible in the current state. */
export function illegalState(reason: string): DomainError {
  return new DomainError("conflict", `Illegal state: ${reason}`);
}

/** An `invalid_entity` refusal. */
export function invalidEntity(reason: string, options?: DomainErrorOptions): DomainError {
  return new DomainError("invalid_entity", `Invalid entity: ${reason}`, options);
}
