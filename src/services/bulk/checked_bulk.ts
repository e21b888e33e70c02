/** An action on many things: all are checked first, and one refusal refuses all. */
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { DomainError, type ErrorItem } from "../../model/errors.ts";

/** The check and the action of one thing. */
export interface BulkStep<Item> {
  /** The refusal, if any, returned or thrown. @throws DomainError the thing is unknown */
  check(item: Item): Promise<DomainError | undefined>;
  /** Changes it. @throws DomainError it was changed or deleted after the check, or a limit is reached */
  run(item: Item): Promise<unknown>;
}

interface BulkOptions<Item> {
  readonly clock: Clock;
  /** For refusals, such as `restart`. */
  readonly action: string;
  readonly subject: "execution" | "flow";
  readonly nameOf: (item: Item) => string;
  /** Words for a refusal that clients know; they come before its message in the list of refusals. */
  readonly knownReason?: (item: Item, refusal: Refusal) => string | undefined;
}

/** What is kept of a refusal: its error has a stack. */
export type Refusal = Pick<DomainError, "code" | "message">;

/** Concurrent steps: enough to share commits, few enough not to delay other requests. */
const AT_ONCE = 64;
/** Time after which it yields to other requests: work from memory alone would never do so. */
const TURN_MS = 4;
/** Maximum number of reported refusals. */
const MAX_REPORTED = 1_000;
/** Of the first one in the message, in characters: clients may send any text as an id. */
const MAX_SHOWN_NAME = 200;

/**
 * Acts on all things; returns the number of changed ones: what others change or delete after the check may refuse, and so may
 * a limit that the things before have reached.
 * @throws DomainError bulk_refused; quota_exceeded, too_many_requests: the limit lets none start
 */
export async function runChecked<Item>(
  items: readonly Item[],
  step: BulkStep<Item>,
  options: BulkOptions<Item>,
): Promise<number> {
  await checkAll(items, step, options);
  let count = 0;
  let limit: DomainError | undefined;
  await eachBounded(options.clock, items, async (item) => {
    const error = await runStep(step, item);
    if (!error) count++;
    else if (LIMITS.has(error.code)) limit ??= error;
  });
  if (limit && count === 0) throw limit;
  return count;
}

/** Checks all things, and names those that refuse. @throws DomainError bulk_refused */
export async function checkAll<Item>(
  items: readonly Item[],
  step: Pick<BulkStep<Item>, "check">,
  options: BulkOptions<Item>,
): Promise<void> {
  const { clock, nameOf } = options;
  let count = 0;
  let first: { readonly index: number; readonly item: Item; readonly refusal: Refusal }[] = [];
  const sortFirst = () => first = first.sort((a, b) => a.index - b.index).slice(0, MAX_REPORTED);
  await eachBounded(clock, items, async (item, index) => {
    const refusal = await step.check(item).catch(asRefusal);
    if (!refusal) return;
    count++;
    first.push({ index, item, refusal: { code: refusal.code, message: refusal.message } });
    if (first.length === 2 * MAX_REPORTED) sortFirst();
  });
  if (count === 0) return;
  const reported = sortFirst().map(({ item, refusal }): ErrorItem => {
    const reason = options.knownReason?.(item, refusal);
    const message = reason === undefined ? refusal.message : `${reason}; ${refusal.message}`;
    return { path: nameOf(item), message };
  });
  throw bulkRefusal(options, { reported, count, total: items.length });
}

/** Why a thing was left out. */
async function runStep<Item>(step: BulkStep<Item>, item: Item): Promise<DomainError | undefined> {
  return await step.run(item).then(
    () => undefined,
    (error) => error instanceof DomainError && LIMITS.has(error.code) ? error : asRefusal(error),
  );
}

const REFUSALS: ReadonlySet<string> = new Set([
  "not_found",
  "conflict",
  "invalid_argument",
  "invalid_entity",
  "bad_request",
]);

/** Refusals by limits, which the things before this one may have reached. */
const LIMITS: ReadonlySet<string> = new Set(["quota_exceeded", "too_many_requests"]);

/** A refusal of this thing alone; any other error is thrown and ends the bulk action. */
function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError && REFUSALS.has(error.code)) return error;
  throw error;
}

function bulkRefusal<Item>(
  { action, subject }: BulkOptions<Item>,
  { reported, count, total }: {
    readonly reported: readonly ErrorItem[];
    readonly count: number;
    readonly total: number;
  },
): DomainError {
  const [{ path, message } = { path: "", message: "" }] = reported;
  return new DomainError(
    "bulk_refused",
    `Invalid bulk ${action}: ${count} of ${total} ${subject}s do not allow it, so nothing was done; ` +
      `${path.slice(0, MAX_SHOWN_NAME)}: ${message}`,
    { items: reported, subject },
  );
}

/** Runs `work` for each, a bounded number at a time. */
async function eachBounded<T>(
  clock: Clock,
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const turns = new Turns(clock, TURN_MS);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      await work(items[index] as T, index);
      await turns.next();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
