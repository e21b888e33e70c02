/**
 * Passes requests of a follower on to the leader. What the leader has certainly not begun to handle, and what may be repeated,
 * waits for a new leader, and is refused with 503 if none comes. What else the leader may have begun is refused with 504.
 */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { rawPath } from "../../http/pipeline/canonical_path.ts";
import { Guard } from "../../http/pipeline/guard.ts";
import type { RequestIds } from "../../http/pipeline/request_id.ts";
import { setSecurityHeaders } from "../../http/pipeline/security_headers.ts";
import { problemResponse } from "../../http/responses/problem.ts";
import { DomainError } from "../../model/errors.ts";
import type { Forwarder, LeaderView } from "../cluster/leader_view.ts";
import { type CarriedRequest, type Carrier, ForwardError, type Leader, maySendAgain } from "./carrier.ts";
import { carriedRequest } from "./carried_request.ts";
import { honoursIdempotencyKey, isSafe, isWebhook } from "./repeatable.ts";

interface LeaderForwarderOptions {
  readonly view: LeaderView;
  /** The way to a leader with an address. */
  readonly direct: Carrier;
  /** The way to a leader without an address; absent where the database provides no mailbox. */
  readonly mailbox?: Carrier;
  readonly requestIds: RequestIds;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly baseUrl?: string;
  /** How long a lease lasts. */
  readonly leaseTtlMs: number;
}

/** Longest wait for a new leader, at least, and beyond the lease: another process may lead a second after its end. */
const MIN_WAIT_MS = 10_000;
const BEYOND_LEASE_MS = 3_000;
/** Requests that wait for a leader at once; further ones are refused. */
const MAX_WAITING = 1_000;
/** Wait before a request is sent again to a leader that has not begun it: the connection may have been the cause. */
const RETRY_MS = 1_000;
const RETRY_AFTER_S = 1;
/** Shown instead of the path of a webhook, which contains its key. */
const WEBHOOK_PATH = "/api/v1/main/executions/webhook";
/** Methods that the Fetch API has no requests for. */
const FORBIDDEN: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** The {@link Forwarder} of a server. */
export class LeaderForwarder implements Forwarder {
  readonly #options: LeaderForwarderOptions;
  readonly #guard = new Guard({ host: "", isProtected: true });
  #waiting = 0;
  #count = 0;

  constructor(options: LeaderForwarderOptions) {
    this.#options = options;
  }

  /** Number of requests since the start. */
  get count(): number {
    return this.#count;
  }

  /** @inheritdoc */
  async forward(request: Request, connection: { remoteAddress?: string }): Promise<Response> {
    this.#count++;
    const requestId = this.#options.requestIds.of(request.headers.get("x-request-id"));
    try {
      this.#check(request);
      const carried = carriedRequest(request, { ...connection, requestId });
      const isSafeRequest = isSafe(request.method, pathOf(carried));
      const isRepeatable = isSafeRequest ||
        request.headers.has("idempotency-key") && honoursIdempotencyKey(request.method, pathOf(carried));
      return await this.#send({ ...carried, isRepeatable }, isSafeRequest);
    } catch (error) {
      return this.#refusal(request, requestId, error);
    }
  }

  /** A malformed host would change the address that the leader sees. @throws DomainError bad_request */
  #check(request: Request): void {
    this.#guard.checkHost(request);
    if (!FORBIDDEN.has(request.method)) return;
    throw new DomainError("bad_request", `Bad Request: the method ${request.method} is not served`);
  }

  /** `isSafe`: it has no effect. */
  async #send(request: CarriedRequest, isSafe: boolean): Promise<Response> {
    const { view, direct, mailbox, clock, leaseTtlMs } = this.#options;
    const deadlineMs = clock.monotonicMs() + Math.max(MIN_WAIT_MS, leaseTtlMs + BEYOND_LEASE_MS);
    for (;;) {
      const leader = view.leader();
      try {
        const carrier = leader?.url === undefined ? mailbox : direct;
        if (!leader) throw new ForwardError("no server leads now", false);
        if (!carrier) throw new ForwardError("the leading server has no address", false);
        return await carrier.send(request, leader);
      } catch (error) {
        if (!(error instanceof ForwardError)) throw error;
        const retryMs = error.hasBegun || !leader ? Infinity : RETRY_MS;
        const wait = { untilMs: deadlineMs, retryMs, signal: request.signal };
        const isAgain = maySendAgain(request, error) && await this.#untilNextTry(leader, wait);
        if (isAgain) continue;
        request.body?.discard();
        throw refusalOf(error, isSafe);
      }
    }
  }

  /** Waits for a leader of another epoch, or for the next try; false at the deadline, when the client is gone, and when too many requests wait. */
  async #untilNextTry(former: Leader | undefined, { untilMs, retryMs, signal }: Wait): Promise<boolean> {
    const { view, clock } = this.#options;
    const isReplaced = () => {
      const leader = view.leader();
      return leader !== undefined && leader.epoch !== former?.epoch;
    };
    if (isReplaced()) return true;
    const leftMs = untilMs - clock.monotonicMs();
    if (signal.aborted || leftMs <= 0 || this.#waiting >= MAX_WAITING) return false;
    this.#waiting++;
    const over = Promise.withResolvers<void>();
    const stopListening = view.onChange(() => isReplaced() && over.resolve());
    const cancelTimer = clock.setTimer(Math.min(leftMs, retryMs), over.resolve);
    const onAbort = () => over.resolve();
    signal.addEventListener("abort", onAbort);
    await over.promise;
    signal.removeEventListener("abort", onAbort);
    cancelTimer();
    stopListening();
    this.#waiting--;
    return !signal.aborted && (isReplaced() || clock.monotonicMs() < untilMs);
  }

  #refusal(request: Request, requestId: string, error: unknown): Response {
    const { baseUrl = "", logger } = this.#options;
    if (!(error instanceof DomainError)) {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      logger.error("A request could not be passed on", { requestId, reason });
    }
    const { headers, url } = request;
    const path = rawPath(url);
    const response = problemResponse(error, {
      path: isWebhook(path) ? WEBHOOK_PATH : path,
      requestId,
      accept: headers.get("accept"),
      referer: headers.get("referer"),
      fetchMode: headers.get("sec-fetch-mode"),
      baseUrl,
    });
    setSecurityHeaders(response.headers, { isPage: false, isHttps: baseUrl.startsWith("https:") });
    response.headers.set("x-request-id", requestId);
    return response;
  }
}

interface Wait {
  readonly untilMs: number;
  /** From now to the next try at the same leader. */
  readonly retryMs: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

function pathOf({ target }: CarriedRequest): string {
  return target.split("?", 1)[0] ?? "";
}

function refusalOf(error: ForwardError, isSafe: boolean): DomainError {
  const options = { cause: error, retryAfter: RETRY_AFTER_S };
  if (error.hasBegun && !isSafe) {
    const text = `Cannot tell whether the leading server has handled the request: ${error.message}`;
    return new DomainError("outcome_unknown", text, options);
  }
  return new DomainError("unavailable", `Cannot reach the leading server: ${error.message}`, options);
}
