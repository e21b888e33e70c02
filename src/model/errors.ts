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
