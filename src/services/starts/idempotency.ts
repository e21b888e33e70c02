/**
 * Starts that happen once: a caller may send the same start again under the same key and gets the first answer again. What
 * is remembered is durable with the start itself, so that a crash leaves both or neither.
 */
import type { Clock } from "../../base/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { DomainError } from "../../model/errors.ts";
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

/** A start that is to happen once. */
interface OnceRequest {
  readonly tenant: TenantId;
  /** Whose key it is; other callers may use the same key for something else. */
  readonly caller: readonly string[];
  readonly key: string;
  /** What is asked for, beside the values and files sent with it: method, flow, query. */
  readonly request: readonly string[];
}

/** What a start leaves for those who ask again. */
type Remembered = Pick<IdempotencyRecord, "executionId" | "flowRevision" | "response">;

/** Makes what is remembered a part of the commit that starts the execution. */
export type Remember = (remembered: Remembered) => Promise<readonly Mutation[]>;

/** How a start is carried out, and how it is compared with an earlier one. */
interface OnceSteps {
  /** Starts; all that was sent must be in `content` before `remember` is called. It may start nothing and remember nothing. */
  readonly first: (content: ContentHash, remember: Remember) => Promise<void>;
  /** Reads what was sent into `content`, as the flow of the first time saw it. */
  readonly again: (content: ContentHash, first: Pick<Remembered, "flowRevision">) => Promise<void>;
}

/** What became of a request. */
export interface OnceOutcome {
  /** `undefined` when nothing was started. */
  readonly remembered: Remembered | undefined;
  readonly isReplayed: boolean;
}

/** An answer, and whether it was given before. */
export interface OnceResponse extends StartResponse {
  readonly isReplayed: boolean;
}

/** What the service works with. */
interface IdempotencyDeps {
  readonly records: IdempotencyRecords;
  readonly clock: Clock;
  /** The tenants whose expired records are swept. */
  readonly tenants: () => Iterable<TenantId>;
}

/** Records of a tenant that one sweep removes. */
const SWEEP_LIMIT = 200;

/** Remembers starts. */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /**
   * Starts what was not started under that key in the last {@link IDEMPOTENCY_KEPT_MS}; one after the other for each key.
   * @throws DomainError invalid_argument: the key was used for something else; or what the steps throw, and nothing is remembered
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

  /** Removes expired records; gives their number, which is bounded: a loop calls this. */
  async sweepExpired(): Promise<number> {
    let swept = 0;
    for (const tenant of this.#deps.tenants()) {
      const afterNow = this.#deps.clock.now() + 1;
      const places = await this.#deps.records.expiredBefore(tenant, afterNow, SWEEP_LIMIT);
      // Who holds the lock sees to the record; it may take as long as an upload.
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

  /** The record; one that has expired is removed. */
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
  return new DomainError(
    "invalid_argument",
    `Illegal argument: Idempotency-Key "${key}" was used for a start with other content; use another key for each start`,
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
