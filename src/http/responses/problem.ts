/** Error responses: RFC 9457 and the members of older clients (`message`, `_links`, `_embedded`) in one body. */
import type { ErrorCode, ErrorItem } from "../../model/errors.ts";
import { DomainError } from "../../model/errors.ts";

/** The response to an error code. */
interface ProblemKind {
  readonly status: number;
  readonly slug: string;
  readonly title: string;
  /** Prefix of the message, which clients check. */
  readonly prefix: string;
}

const KINDS: Readonly<Record<ErrorCode, ProblemKind>> = {
  bad_request: kind(400, "invalid-query-parameter", "Bad request", "Bad Request: "),
  bulk_refused: kind(400, "bulk-validation-failed", "Bulk validation failed"),
  invalid_filter: kind(400, "invalid-query-filters", "Invalid filter"),
  unauthorized: kind(401, "unauthorized", "Unauthorized"),
  forbidden: kind(403, "forbidden", "Forbidden"),
  quota_exceeded: kind(403, "quota-exceeded", "Quota exceeded", "Quota Exceeded: "),
  not_found: kind(404, "not-found", "Not found", "Not Found: "),
  method_not_allowed: kind(405, "method-not-allowed", "Method not allowed"),
  request_timeout: kind(408, "request-timeout", "Request timeout"),
  already_exists: kind(409, "entity-already-exists", "Already exists"),
  conflict: kind(409, "conflict", "Conflict", "Illegal state: "),
  expired: kind(410, "resource-expired", "Expired"),
  precondition_failed: kind(412, "precondition-failed", "Precondition failed"),
  too_large: kind(413, "too-large", "Too large"),
  unsupported_media_type: kind(415, "unsupported-media-type", "Unsupported media type"),
  misdirected: kind(421, "misdirected-request", "Misdirected request"),
  invalid_json: kind(422, "invalid-json", "Invalid JSON", "Invalid json: "),
  invalid_body: kind(422, "invalid-request-body", "Invalid request body", "Invalid route params: "),
  invalid_entity: kind(422, "invalid-entity", "Invalid entity", "Invalid entity: "),
  invalid_argument: kind(422, "invalid-argument", "Invalid argument", "Illegal argument: "),
  too_many_requests: kind(429, "too-many-requests", "Too many requests"),
  internal: kind(500, "internal-error", "Internal server error"),
  unavailable: kind(503, "unavailable", "Unavailable"),
  outcome_unknown: kind(504, "outcome-unknown", "Outcome unknown"),
  storage_full: kind(507, "storage-full", "Storage full"),
};

function kind(status: number, slug: string, title: string, prefix = ""): ProblemKind {
  return { status, slug, title, prefix };
}

/** The message for every bug; details are in the server log under the request id. */
const INTERNAL_ERROR = "Internal server error";

/** The refused request. */
interface ProblemContext {
  /** Path as shown to the caller, without query. */
  readonly path: string;
  readonly requestId: string;
  /** The `Accept` header. */
  readonly accept: string | null;
  /** The `Referer` and `Sec-Fetch-Mode` headers, which browsers send. */
  readonly referer?: string | null;
  readonly fetchMode?: string | null;
  /** Public address of the server, without slash at the end, or empty. */
  readonly baseUrl: string;
}

/** The response to a request that failed with `error`. Details of bugs are not shown. */
export function problemResponse(error: unknown, context: ProblemContext): Response {
  const refusal = error instanceof DomainError && error.code !== "internal"
    ? error
    : new DomainError("internal", INTERNAL_ERROR);
  const isProblemWanted = context.accept?.includes("application/problem+json") ?? false;
  const headers: Record<string, string> = {
    "content-type": isProblemWanted ? "application/problem+json" : "application/json",
  };
  if (refusal.code === "unauthorized" && mayOpenDialog(context)) {
    headers["www-authenticate"] = 'Basic realm="Sluice"';
  }
  if (refusal.retryAfter !== undefined) headers["retry-after"] = String(refusal.retryAfter);
  const allow = refusal instanceof MethodRefusal ? refusal.allow : undefined;
  if (allow !== undefined) headers["allow"] = allow;
  return new Response(JSON.stringify(problemBody(refusal, context)), {
    status: KINDS[refusal.code].status,
    headers,
  });
}

/** The status of a refusal. */
export function statusOf(code: ErrorCode): number {
  return KINDS[code].status;
}

/** The log-in page and the scripts of pages ask for credentials themselves, so the browser must open no dialog. */
function mayOpenDialog({ referer, fetchMode }: ProblemContext): boolean {
  const isFromLoginPage = referer?.split("?", 1)[0]?.endsWith("/login") ?? false;
  const isFromScript = typeof fetchMode === "string" && fetchMode !== "navigate";
  return !isFromLoginPage && !isFromScript;
}

/** The path has no route for the method; `allow` lists the methods it has. */
export class MethodRefusal extends DomainError {
  readonly allow: string;

  constructor(method: string, path: string, methods: readonly string[]) {
    const allow = methods.includes("GET") ? [...methods, "HEAD"] : [...methods];
    allow.sort();
    const message = `Method Not Allowed: "${path}" does not take ${method}, only ${allow.join(", ")}`;
    super("method_not_allowed", message);
    this.allow = allow.join(", ");
  }
}

function problemBody(refusal: DomainError, context: ProblemContext): object {
  const { status, slug, title, prefix } = KINDS[refusal.code];
  const message = withPrefix(refusal.message, prefix);
  return {
    message,
    _links: { self: [{ href: context.path, templated: false }] },
    _embedded: { errors: embeddedErrors(refusal.items, message) },
    type: `${context.baseUrl}/problems/${slug}`,
    title,
    status,
    detail: message,
    instance: context.path,
    errors: refusal.items.map(({ message, ...place }) => ({ detail: message, ...place })),
    ...(refusal.code === "bulk_refused" ? { invalids: invalidItems(refusal) } : {}),
    traceId: context.requestId,
  };
}

/** The invalid items of a bulk operation. */
function invalidItems({ items, subject: propertyPath }: DomainError): object[] {
  return items.map(({ path, message }) => ({ message, invalidValue: path, propertyPath }));
}

function embeddedErrors(items: readonly ErrorItem[], message: string): object[] {
  return items.length === 0 ? [{ message }] : items.map(({ message, ...place }) => ({ message, ...place }));
}

function withPrefix(message: string, prefix: string): string {
  const isThere = prefix === "" || message.startsWith(prefix) || message === prefix.slice(0, -2);
  return isThere ? message : prefix + message;
}
