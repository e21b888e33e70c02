/** Errors returned to callers. Codes are never renamed: clients depend on them. */

/** Reasons for a refusal. `http/responses/problem.ts` maps each to an HTTP status. */
export type ErrorCode =
  | "bad_request"
  | "bulk_refused"
  | "invalid_filter"
  | "invalid_json"
  | "invalid_body"
  | "invalid_entity"
  | "invalid_argument"
  | "already_exists"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "conflict"
  | "quota_exceeded"
  | "expired"
  | "precondition_failed"
  | "too_large"
  | "unsupported_media_type"
  | "misdirected"
  | "too_many_requests"
  | "internal"
  | "unavailable"
  | "outcome_unknown"
  | "storage_full";

/** One of several reasons, with the path of the affected value, for example `tasks[0].message`. */
export interface ErrorItem {
  readonly path: string;
  readonly message: string;
  /** Its place in the source that was sent, both from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Optional details of a refusal. */
interface DomainErrorOptions {
  readonly cause?: unknown;
  readonly items?: readonly ErrorItem[];
  /** Of `bulk_refused`: what each item names. */
  readonly subject?: string;
  /** Seconds after which the caller should retry. */
  readonly retryAfter?: number;
}

/** A refusal returned to the caller. The message names the object, the reason and, if there is one, the remedy. */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: ErrorCode;
  readonly items: readonly ErrorItem[];
  readonly subject?: string;
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.items = options.items ?? [];
    this.subject = options.subject;
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

/** What `work` gives, or the refusal that it ends with; bugs are thrown. */
export async function resultOrRefusal<T>(work: () => Promise<T>): Promise<T | DomainError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.code !== "internal") return error;
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

/** True for a commit that the database would refuse again. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === "too_large";
}

const DATABASE_FAULTS: ReadonlySet<ErrorCode> = new Set(["storage_full", "unavailable", "outcome_unknown"]);

/** True for a refusal whose cause is the database, and not what was asked for: later the same may succeed. */
export function isDatabaseFault(error: unknown): error is DomainError {
  return error instanceof DomainError && DATABASE_FAULTS.has(error.code);
}

/** Throws a fault of the database, for code that makes other errors a result: such a fault says nothing of what was asked for. */
export function throwDatabaseFault(error: unknown): void {
  if (isDatabaseFault(error)) throw error;
}

/** The message of what was thrown: plugins and packages also throw what is no error. */
export function thrownMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
