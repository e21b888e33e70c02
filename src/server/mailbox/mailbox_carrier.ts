/** The way to a leader without an address: a follower posts the request into the database and reads the response from there. */
import type { Clock } from "../../base/time/clock.ts";
import { bytesAsJson } from "../../base/json_size.ts";
import type { IdSource } from "../../base/id.ts";
import { DomainError } from "../../model/errors.ts";
import { FollowerMail } from "../../store/records/mailbox_records.ts";
import { type Store, UnsentError } from "../../store/store.ts";
import {
  type CarriedRequest,
  type Carrier,
  ForwardError,
  incompleteBody,
  type Leader,
} from "../proxy/carrier.ts";
import type { UnderWay } from "../proxy/under_way.ts";
import { Bell } from "./bell.ts";
import { partsOf } from "./body_parts.ts";
import { PostedResponse } from "./posted_response.ts";

interface MailboxCarrierOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Name of this process, as of `LeaderView.holder`. */
  readonly process: string;
  readonly underWay: UnderWay;
}

/** Requests that a process may have in the mailbox at once. */
const MAX_OPEN = 256;
/** Larger bodies are refused: each part is a row of the database. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of address and headers: they are one value of the database. */
const MAX_HEAD_BYTES = 60_000;
/** Parts that are stored by one commit. */
const PARTS_PER_COMMIT = 32;

/** The {@link Carrier} by way of the database. */
export class MailboxCarrier implements Carrier, Disposable {
  readonly #options: MailboxCarrierOptions;
  readonly #mail: FollowerMail;
  readonly #bell: Bell;
  #openCount = 0;

  constructor(options: MailboxCarrierOptions) {
    this.#options = options;
    this.#mail = new FollowerMail(options.store, options.clock);
    this.#bell = new Bell(options);
  }

  /** Number of requests without the end of their response. */
  get openCount(): number {
    return this.#openCount;
  }

  /** @inheritdoc */
  async send(request: CarriedRequest, leader: Leader): Promise<Response> {
    if (this.#openCount >= MAX_OPEN) throw tooMany();
    const { clock, ids, underWay } = this.#options;
    const id = ids.next(clock.now());
    const endUse = this.#bell.use();
    this.#openCount++;
    const response = new PostedResponse({
      ...{ id, leader, clock, mail: this.#mail, bell: this.#bell },
      ended: () => {
        endUse();
        remove();
        this.#openCount--;
      },
    });
    const remove = underWay.add(leader.epoch, {
      replaced: () => response.replaced(),
      cut: () => response.cut(),
    });
    try {
      response.bodyParts = await this.#post(id, request, leader);
    } catch (error) {
      response.abandon();
      throw error;
    }
    return await response.open(request.signal);
  }

  /** Ends all waits. */
  [Symbol.dispose](): void {
    this.#bell[Symbol.dispose]();
    this.#mail[Symbol.dispose]();
  }

  /** Posts the request; returns the number of parts of its body. */
  async #post(id: string, request: CarriedRequest, { epoch, holder }: Leader): Promise<number> {
    const { method, target, headers, client, body } = request;
    const head = { epoch, follower: this.#options.process, method, target, headers, client };
    if (bytesAsJson(head) > MAX_HEAD_BYTES) throw headTooLarge();
    const { first, parts } = await this.#storeBody(id, request);
    const bodyParts = first + parts.length;
    try {
      await this.#mail.post(id, body ? { ...head, bodyParts } : head, { first, parts, leader: holder });
      return bodyParts;
    } catch (error) {
      if (error instanceof UnsentError) throw new ForwardError(error.message, false);
      throw await this.#withdrawUnsure(id, error as Error);
    }
  }

  /** After a post with an unknown outcome: a request that may still arrive must find that it was withdrawn. */
  async #withdrawUnsure(id: string, { message }: Error): Promise<ForwardError> {
    const outcome = await this.#mail.withdraw(id, true).catch(() => "unknown");
    return new ForwardError(`the request could not be posted: ${message}`, outcome !== "withdrawn");
  }

  /** Stores all parts of the body but the last ones, which are posted with the head. */
  async #storeBody(id: string, { body }: CarriedRequest): Promise<{ first: number; parts: Uint8Array[] }> {
    let first = 0;
    let parts: Uint8Array[] = [];
    let size = 0;
    const bytesOfBody = body?.open() ?? ReadableStream.from([]);
    for await (const bytes of received(bytesOfBody)) {
      size += bytes.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      parts.push(...partsOf(bytes));
      while (parts.length > PARTS_PER_COMMIT) {
        await this.#store(id, first, parts.slice(0, PARTS_PER_COMMIT));
        first += PARTS_PER_COMMIT;
        parts = parts.slice(PARTS_PER_COMMIT);
      }
    }
    return { first, parts };
  }

  async #store(id: string, first: number, parts: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#mail.putBody(id, first, parts);
    } catch (error) {
      throw new ForwardError(`the request could not be posted: ${(error as Error).message}`, false);
    }
  }
}

function tooMany(): DomainError {
  const text = "Cannot reach the leading server: too many requests are in the mailbox";
  return new DomainError("unavailable", text, { retryAfter: 1 });
}

function headTooLarge(): DomainError {
  const limit = `${MAX_HEAD_BYTES} bytes for address and headers`;
  return new DomainError(
    "too_large",
    `Too large: a request to a leading server without an address has at most ${limit}`,
  );
}

function tooLarge(): DomainError {
  const text = `Too large: a request to a leading server without an address can have ${MAX_BODY_BYTES} bytes`;
  return new DomainError("too_large", text);
}

/** The bytes of a body. @throws DomainError bad_request: the client has not sent all */
async function* received(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of body) yield bytes;
  } catch (error) {
    throw incompleteBody(error);
  }
}
