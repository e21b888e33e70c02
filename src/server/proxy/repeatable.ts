/** Which requests may be sent again to a new leader when it is unknown whether the former one handled them. */

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Webhooks, with or without a tenant: the only routes whose GET starts something. */
const WEBHOOK = /^\/api\/v1\/(?:[^/]+\/)?executions\/webhook(?:\/|$)/;
/**
 * The starts of executions, which honour an `Idempotency-Key` as webhooks do. Excluded are the actions on executions, whose
 * ids begin with an upper-case letter, and on lists of them. A namespace that looks like an id is excluded, too.
 */
const START =
  /^\/api\/v1\/(?:[^/]+\/)?executions\/(?:trigger\/[^/]+\/[^/]+|(?![A-Z][0-9A-Za-z]+\/)[^/]+\/(?!by-(?:ids|query)$)[^/]+)$/;

/** True for the path of a webhook, which contains its key. */
export function isWebhook(path: string): boolean {
  return WEBHOOK.test(path);
}

/** True when a second request with the method and path has no effect. */
export function isSafe(method: string, path: string): boolean {
  return SAFE_METHODS.has(method) && !isWebhook(path);
}

/** True when a request is handled once however often it is sent with the same `Idempotency-Key`. */
export function honoursIdempotencyKey(method: string, path: string): boolean {
  return isWebhook(path) || method === "POST" && START.test(path);
}
