/**
 * Idempotent starts: a repeated start with the same key returns the first response again. The record is stored in the
 * commit of the start, so that a crash leaves both or neither.
 */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { DomainError, illegalArgument } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { IDEMPOTENCY_KEPT_MS, MAX_REMEMBERED_ANSWER_CHARS } from "../../model/limits.ts";
import type {
  IdempotencyRecord,
  IdempotencyRecords,
  RecordPlace,
  StartResponse,
} from "../../store/records/idempotency_records.ts";
import type { Mutation } from "../../store/store.ts";
import { ContentHash, hashText } from "./content_hash.ts";

/** A start with its key. */
interface OnceRequest {
  readonly tenant: TenantId;
  /** Owner of the key; other callers may use the same key for other requests. */
  readonly caller: readonly string[];
  readonly key: string;
  /** The request without its values and files: method, flow, query. */
  readonly request: readonly string[];
}

/** What is stored for repeated requests. */
type Remembered = Pick<IdempotencyRecord, "executionId" | "flowRevision" | "response">;

/** Returns what stores the record in the commit of the start. */
export type Remember = (remembered: Remembered) => Promise<readonly Mutation[]>;

/** Carries out a start, and compares it with an earlier one. */
interface OnceSteps {
  /** Starts; the whole request must be in `content` before `remember` is called. May start nothing and remember nothing. */
  readonly first: (content: ContentHash, remember: Remember) => Promise<void>;
  /** Reads the request into `content`, by the flow revision of the first start. */
  readonly again: (content: ContentHash, first: Pick<Remembered, "flowRevision">) => Promise<void>;
}

/** The outcome of a request. */
export interface OnceOutcome {
  /** `undefined` if nothing was started. */
  readonly remembered: Remembered | undefined;
  readonly isReplayed: boolean;
}

/** A response, and whether it was returned before. */
export interface OnceResponse extends StartResponse {
  readonly isReplayed: boolean;
}

interface IdempotencyDeps {
  readonly records: IdempotencyRecords;
  readonly clock: Clock;
  /** The tenants whose expired records are swept. */
  readonly tenants: () => Iterable<TenantId>;
}

/** Records per tenant that one sweep removes. */
const SWEEP_LIMIT = 200;

/** Stores and finds records of starts. */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /**
   * Starts unless the key was used in the last {@link IDEMPOTENCY_KEPT_MS}; requests with the same key run one at a time.
   * @throws DomainError invalid_argument: the key was used for another request; or what the steps throw, then nothing is stored
   */
  async once(request: OnceRequest, { first, again }: OnceSteps): Promise<OnceOutcome> {
    const { tenant } = request;
    const place = { tenant, hash: hashText([...request.caller, request.key], "hex") };
    return await this.#locks.run(lockKey(place), async () => {
      const content = new ContentHash();
      const stored = await this.#unexpired(place);
      if (!stored) {
        return { remembered: await this.#start(place, request, { content, first }), isReplayed: false };
      }
      if (stored.requestHash !== hashText(request.request)) throw usedOtherwise(request.key);
      await again(content, stored);
      if (stored.contentHash !== content.digest()) throw usedOtherwise(request.key);
      const response = await this.#deps.records.responseOf(place, stored);
      const { executionId, flowRevision } = stored;
      return { remembered: { executionId, flowRevision, response }, isReplayed: true };
    });
  }

  /** Removes expired records; returns their number, which is bounded: a loop calls this. */
  async sweepExpired(): Promise<number> {
    let swept = 0;
    for (const tenant of this.#deps.tenants()) {
      const afterNow = this.#deps.clock.now() + 1;
      const places = await this.#deps.records.expiredBefore(tenant, afterNow, SWEEP_LIMIT);
      // A request that holds the lock removes the record itself; it may take as long as an upload.
      const free = places.filter((place) => !this.#locks.isHeld(lockKey(place)));
      await Promise.all(free.map((place) => this.#locks.run(lockKey(place), () => this.#unexpired(place))));
      swept += free.length;
    }
    return swept;
  }

  async #start(
    place: RecordPlace,
    { request }: OnceRequest,
    { content, first }: { readonly content: ContentHash } & Pick<OnceSteps, "first">,
  ): Promise<Remembered | undefined> {
    let remembered: Remembered | undefined;
    let discard: (() => Promise<void>) | undefined;
    const remember: Remember = async (what) => {
      checkSize(what.response);
      const staged = await this.#deps.records.stage(place, {
        ...what,
        expiresAt: this.#deps.clock.now() + IDEMPOTENCY_KEPT_MS,
        requestHash: hashText(request),
        contentHash: content.digest(),
      });
      remembered = what;
      discard = staged.discard;
      return staged.mutations;
    };
    let isDone = false;
    try {
      await first(content, remember);
      isDone = true;
    } finally {
      if (!isDone) await discard?.();
    }
    return remembered;
  }

  /** The record; an expired one is removed. */
  async #unexpired(place: RecordPlace) {
    const stored = await this.#deps.records.get(place);
    if (!stored || stored.expiresAt > this.#deps.clock.now()) return stored;
    await this.#deps.records.remove(place, stored);
    return undefined;
  }
}

function lockKey({ tenant, hash }: RecordPlace): string {
  return `${tenant}/${hash}`;
}

function usedOtherwise(key: string): DomainError {
  return illegalArgument(
    `Idempotency-Key "${key}" was used for a start with other content; use another key for each start`,
  );
}

/** @throws DomainError too_large */
function checkSize(response: StartResponse | undefined): void {
  if (!response || response.body.length <= MAX_REMEMBERED_ANSWER_CHARS) return;
  throw new DomainError(
    "too_large",
    `Cannot start with an Idempotency-Key: the answer would be larger than ${MAX_REMEMBERED_ANSWER_CHARS} characters; send large values as files`,
  );
}
