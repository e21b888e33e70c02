/** The response to one posted request, read part by part as the leader writes it. */
import type { Clock } from "../../base/time/clock.ts";
import { DomainError } from "../../model/errors.ts";
import {
  type FollowerMail,
  readResponseHead,
  readResponsePart,
  type ResponsePart,
  type Withdrawal,
} from "../../store/records/mailbox_records.ts";
import { ForwardError, type Leader } from "../proxy/carrier.ts";
import type { Bell } from "./bell.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface PostedResponseOptions {
  readonly id: string;
  readonly leader: Leader;
  readonly mail: FollowerMail;
  readonly bell: Bell;
  readonly clock: Clock;
  /** Called once, when nothing of it is awaited any more. */
  readonly ended: () => void;
}

/** A request that the leader has not claimed after this time is withdrawn. */
const CLAIM_TIMEOUT_MS = 5_000;
/** From a withdrawal with an unknown outcome to the next try. */
const RETRY_MS = 1_000;
/** From a withdrawal that found a claim to the next try: the leader removes its claim of a request that was withdrawn before. */
const CLAIM_CHECK_MS = 60_000;
/** After so many parts the leader learns that they were read; it may be twice as many ahead. */
const CONFIRMED_PARTS = 16;
/** Statuses whose responses have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const BROKEN: ResponsePart = { mark: "broken", bytes: new Uint8Array() };

/** Reads one response. */
export class PostedResponse {
  /** Number of parts of the body of the request. */
  bodyParts = 0;
  readonly #options: PostedResponseOptions;
  readonly #cut = Promise.withResolvers<void>();
  #isCut = false;
  readonly #replaced = Promise.withResolvers<void>();
  #isReplaced = false;
  #isEnded = false;
  #parts: Uint8Array[] = [];
  /** Number of parts that were taken, and of those that were confirmed. */
  #taken = 0;
  #confirmed = 0;

  constructor(options: PostedResponseOptions) {
    this.#options = options;
  }

  /** Another process leads now: a request that was not claimed is withdrawn at once. */
  replaced(): void {
    this.#isReplaced = true;
    this.#replaced.resolve();
  }

  /** Another process has led for a while: no response will come. */
  cut(): void {
    this.#isCut = true;
    this.#cut.resolve();
  }

  /** The response with its head; its body follows. @throws ForwardError */
  async open(signal: AbortSignal): Promise<Response> {
    const onAbort = () => this.cut();
    signal.addEventListener("abort", onAbort);
    try {
      if (signal.aborted) this.cut();
      const { status, headers } = readResponseHead(await this.#headPart());
      const allHeaders = headers.map(([name, value]): [string, string] => [name, value]);
      if (!NO_BODY.has(status)) return new Response(this.#body(), { status, headers: allHeaders });
      this.#end();
      return new Response(null, { status, headers: allHeaders });
    } catch (error) {
      const mayBeHandled = !(error instanceof ForwardError) || error.hasBegun;
      if (signal.aborted && mayBeHandled) await this.leave();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** No response is awaited; what was posted is swept. */
  abandon(): void {
    this.#finish();
  }

  /** Tells the leader that the client is gone. It need not produce the rest, and removes what it has written. */
  async leave(): Promise<void> {
    const { id, mail, leader } = this.#options;
    this.#finish();
    await mail.leave(id, leader.holder).catch(() => {});
  }

  /** Part 0. @throws ForwardError withdrawn, or no response although the leader may have handled the request */
  async #headPart(): Promise<Uint8Array> {
    const { clock } = this.#options;
    const claimedByMs = clock.monotonicMs() + CLAIM_TIMEOUT_MS;
    let retryAtMs = 0;
    const isOverdue = () => {
      const nowMs = clock.monotonicMs();
      return nowMs >= retryAtMs && (this.#isReplaced || nowMs >= claimedByMs);
    };
    for (;;) {
      const part = await this.#next(isOverdue);
      if (part) return part;
      const outcome = await this.#withdraw();
      retryAtMs = clock.monotonicMs() + (outcome === "claimed" ? CLAIM_CHECK_MS : RETRY_MS);
      const mayRespond = outcome === "claimed" || outcome === "unknown";
      if (mayRespond && !this.#isCut) continue;
      this.#finish();
      throw refusalOf(outcome);
    }
  }

  /** Withdraws the request. Never rejects. */
  async #withdraw(): Promise<Withdrawal | "unknown"> {
    const { id, mail } = this.#options;
    const outcome = await mail.withdraw(id, false).catch(() => "unknown" as const);
    if (outcome === "withdrawn") mail.clear(id, this.bodyParts, [0, 0]);
    return outcome;
  }

  /** The next part; `undefined` when it is overdue, and when it was cut. */
  async #next(isOverdue = () => false): Promise<Uint8Array | undefined> {
    const { id, mail, bell } = this.#options;
    while (this.#parts.length === 0) {
      const rung = bell.next();
      // A database that cannot be read now may be read at the next look.
      this.#parts = await mail.readResponse(id, this.#taken).catch(() => []);
      if (this.#parts.length > 0) break;
      if (this.#isCut || isOverdue()) return undefined;
      const replaced = this.#isReplaced ? [] : [this.#replaced.promise];
      await Promise.race([rung, this.#cut.promise, ...replaced]);
    }
    this.#taken++;
    return this.#parts.shift();
  }

  #body(): ReadableStream<Bytes> {
    return new ReadableStream<Bytes>({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.leave(),
    }, { highWaterMark: 0 });
  }

  async #pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    const value = await this.#next();
    const { mark, bytes } = value ? readResponsePart(value) : BROKEN;
    if (bytes.length > 0) controller.enqueue(bytes as Bytes);
    if (mark === "more") {
      await this.#confirm();
      // An empty part must not leave the reader without a further call.
      return bytes.length > 0 ? undefined : await this.#pull(controller);
    }
    this.#end();
    if (mark === "last") return controller.close();
    throw new DomainError("unavailable", "Cannot pass on the response: it broke off at the leading server");
  }

  async #confirm(): Promise<void> {
    if (this.#taken - this.#confirmed < CONFIRMED_PARTS) return;
    const { id, mail, leader } = this.#options;
    const range = [this.#confirmed, this.#taken] as const;
    this.#confirmed = this.#taken;
    // The leader waits until a later one arrives.
    await mail.confirm(id, range, leader.holder).catch(() => {});
  }

  /** The client need not wait for the removal of what was read. */
  #end(): void {
    if (this.#isEnded) return;
    this.#finish();
    const { id, mail } = this.#options;
    // The mark of the end may not have been read. What is left is swept.
    mail.clear(id, this.bodyParts, [this.#confirmed, this.#taken + 1]);
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.ended();
  }
}

function refusalOf(outcome: Withdrawal | "unknown"): ForwardError {
  if (outcome === "withdrawn") return new ForwardError("the leading server did not take the request", false);
  if (outcome === "expired") return new ForwardError("what is known of it was removed meanwhile", true);
  return new ForwardError("another server has taken over", true);
}
