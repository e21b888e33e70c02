/**
 * A term of leadership: one assembly over the shared store, from the take-over to the loss of the lease or the stop. It renews
 * the lease, and lets no response and no effect out once the lease has ended.
 */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { DomainError } from "../../model/errors.ts";
import type { Committer } from "../../store/committer.ts";
import type { HeldLease } from "../../store/lease.ts";
import type { Assembly } from "../assembly.ts";

interface TermDeps {
  readonly assembly: Assembly;
  readonly lease: HeldLease;
  readonly clock: Clock;
  /** The response to a request that is refused. */
  readonly refuse: (request: Request, refusal: DomainError) => Response;
  /** Absent: the process has an address, to which others send requests. */
  readonly createDesk?: (term: DeskTerm) => Desk;
  /** Called after the response to a request that the process has posted. */
  readonly onServed: (process: string) => void;
  /** Longest wait for the requests under way at an orderly end. */
  readonly maxEndMs: number;
}

/** What handles requests that arrive by way of the database. */
export interface Desk extends AsyncDisposable {
  /** Begins to handle requests. */
  start(): void;
}

/** What a desk needs of its term. */
export interface DeskTerm {
  readonly epoch: number;
  readonly committer: Committer;
  readonly fetch: (request: Request, connection: unknown) => Promise<Response>;
  /** Called after the response to a request that the process has posted. */
  readonly onServed: (process: string) => void;
}

/** Renewals in the time that a lease lasts. */
const RENEWALS = 5;
const WEBHOOK = /\/executions\/webhook\//;
const NOT_RENEWED = "the lease was not renewed in time";
const LOST = "this process does not lead any more";

/** One term. */
export class Term {
  readonly #deps: TermDeps;
  readonly #over = Promise.withResolvers<string>();
  #cancelRenewal: CancelTimer | undefined;
  #isOver = false;
  #starting: Promise<void> | undefined;
  #desk: Desk | undefined;
  #stopping: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<Response>>();

  constructor(deps: TermDeps) {
    this.#deps = deps;
    void deps.assembly.failed.then((reason) => this.#end(reason));
  }

  /** Resolves with the reason when the term has ended. */
  get over(): Promise<string> {
    return this.#over.promise;
  }

  /** The assembly of the term. */
  get assembly(): Assembly {
    return this.#deps.assembly;
  }

  /** The lease of the term. */
  get lease(): HeldLease {
    return this.#deps.lease;
  }

  /** Whether this process leads. */
  get holds(): boolean {
    return !this.#isOver && this.#deps.lease.leftMs > 0;
  }

  /** Whether an effect may begin. Once it may not, nothing is committed any more, so that no attempt ends because of it. */
  mayAct(): boolean {
    if (this.#deps.lease.leftMs <= 0) this.#end(NOT_RENEWED);
    return !this.#isOver;
  }

  /** Takes over and continues where the leader before stopped; resolves when requests can be served. @throws when it cannot */
  async start(): Promise<void> {
    const { createDesk, onServed, lease, assembly } = this.#deps;
    const starting = this.#starting = assembly.start();
    await Promise.race([assembly.takesStarts, starting]);
    const { lease: { epoch } } = lease;
    const { committer } = assembly;
    const fetch = (request: Request, connection: unknown) => this.fetch(request, connection);
    this.#desk = createDesk?.({ epoch, committer, fetch, onServed });
    this.#desk?.start();
    await starting;
  }

  /** Renews the lease until the end; to be called once it is taken. */
  keepLease(): void {
    this.#plan();
  }

  /** Ends the term in order; the process `successor` leads next, if it is given. */
  stepDown(reason: string, successor?: string): void {
    if (successor !== undefined) this.#deps.lease.leaveTo(successor);
    this.#over.resolve(reason);
  }

  /** Handles a request; what the assembly responds after the end of the lease is withheld. */
  async fetch(request: Request, connection: unknown): Promise<Response> {
    if (!this.holds) return this.#deps.refuse(request, unavailable());
    const responding = this.#respond(request, connection);
    this.#underWay.add(responding);
    const response = await responding.finally(() => this.#underWay.delete(responding));
    if (this.holds) return isEventStream(response) ? this.#guarded(response) : response;
    // It says itself whether something was written.
    if (response.status === 503 || response.status === 504) return response;
    await response.body?.cancel();
    return this.#deps.refuse(request, isRead(request) ? unavailable() : outcomeUnknown());
  }

  async #respond(request: Request, connection: unknown): Promise<Response> {
    const { assembly, refuse } = this.#deps;
    try {
      return await assembly.fetch(request, connection);
    } catch (error) {
      if (error instanceof DomainError) return refuse(request, error); // The term did not begin.
      throw error;
    }
  }

  /**
   * Stops everything; may be called again. While the lease is held, requests under way end first, and it is given back with the
   * last commit.
   */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    await Promise.allSettled([this.#starting]);
    await this.#desk?.[Symbol.asyncDispose]();
    if (this.holds) await this.#endRequests();
    await this.#deps.assembly.stop();
    this.#end("the term was stopped");
  }

  /** Waits for the responses to the requests under way. */
  async #endRequests(): Promise<void> {
    await this.#deps.assembly.releaseRequests();
    const over = Promise.withResolvers<unknown>();
    const cancel = this.#deps.clock.setTimer(this.#deps.maxEndMs, () => over.resolve(undefined));
    await Promise.race([Promise.allSettled(this.#underWay), over.promise]);
    cancel();
  }

  #plan(): void {
    const { lease: { lease: { ttlMs }, leftMs }, clock } = this.#deps;
    const waitMs = Math.max(0, Math.min(ttlMs / RENEWALS, leftMs));
    this.#cancelRenewal = clock.setTimer(waitMs, () => this.#tick());
  }

  #tick(): void {
    if (this.#isOver) return;
    const { lease } = this.#deps;
    if (lease.leftMs <= 0) return this.#end(NOT_RENEWED);
    this.#plan();
    // Not awaited: a renewal without response must not delay the next one.
    void lease.renew().then((isHeld) => {
      if (!isHeld) this.#end("another process leads now");
    });
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelRenewal?.();
    this.#deps.assembly.committer.fence(reason);
    this.#deps.assembly.abandon();
    this.#over.resolve(reason);
  }

  /** Cuts an event stream when the lease ends, before its next part. */
  #guarded(response: Response): Response {
    const guard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        if (this.holds) controller.enqueue(part);
        else controller.terminate();
      },
    });
    return new Response(response.body?.pipeThrough(guard), response);
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** A request that changes nothing. Webhooks start executions by GET, too. */
function isRead({ method, url }: Request): boolean {
  return (method === "GET" || method === "HEAD") && !WEBHOOK.test(url);
}

function unavailable(): DomainError {
  return new DomainError("unavailable", `Cannot serve the request: ${LOST}`, { retryAfter: 1 });
}

function outcomeUnknown(): DomainError {
  const message = `Cannot tell whether the request was carried out: ${LOST}`;
  return new DomainError("outcome_unknown", message, { retryAfter: 1 });
}
