/**
 * The files for which a trigger has started executions, as its state keeps them. The search of Google Drive shows a file
 * some time after its creation, perhaps after newer ones. So each poll searches the time before the newest file again, and
 * leaves out the files that it knows.
 */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { shortHash } from "../arrived_files.ts";

/** How long the search may take to show a file. */
const MARGIN_MS = 10 * 60 * 1000;
/** Files that fit into the state of a trigger, which has at most 16 KiB. After more of them the margin is shorter. */
const MAX_KNOWN = 1_000;

/** Files that were found. */
export class KnownFiles {
  #newest: Instant;
  /** Files of that time and before are not searched. */
  #after: Instant;
  /** Second of the creation by mark. */
  readonly #seconds: Map<string, number>;

  private constructor(newest: Instant, after: Instant, seconds: Map<string, number>) {
    this.#newest = newest;
    this.#after = after;
    this.#seconds = seconds;
  }

  /** No file, from now on. */
  static from(now: Instant): KnownFiles {
    return new KnownFiles(now, now, new Map());
  }

  /** Reads what {@link toState} gave; `undefined` without a state. */
  static read(state: JsonObject | undefined): KnownFiles | undefined {
    const newest = parseInstant(String(state?.since));
    if (newest === undefined) return undefined;
    const ages = isJsonObject(state?.known) ? Object.entries(state.known) : [];
    const seconds = ages.map(([mark, age]) => [mark, secondOf(newest) - Number(age)] as const);
    return new KnownFiles(newest, parseInstant(String(state?.after)) ?? newest, new Map(seconds));
  }

  /** Their number. */
  get count(): number {
    return this.#seconds.size;
  }

  /** Files that were created later are searched. */
  get after(): Instant {
    return Math.max(this.#after, this.#newest - MARGIN_MS);
  }

  /** Whether it is one of them. */
  async has({ id = null }: JsonObject): Promise<boolean> {
    return this.#seconds.has(await shortHash(String(id)));
  }

  /** Adds a file. */
  async add({ id = null, createdTime = null }: JsonObject): Promise<void> {
    const at = parseInstant(String(createdTime)) ?? this.#newest;
    this.#newest = Math.max(this.#newest, at);
    this.#seconds.set(await shortHash(String(id)), secondOf(at));
  }

  /** The state of the trigger. */
  toState(): JsonObject {
    const first = secondOf(this.after);
    const near = [...this.#seconds].filter(([, second]) => second >= first).sort(([, a], [, b]) => b - a);
    const dropped = near[MAX_KNOWN]?.[1];
    const after = dropped === undefined ? this.after : Math.max(this.after, dropped * 1000 + 999);
    const ages = near.slice(0, MAX_KNOWN).map(([mark, second]) => [mark, secondOf(this.#newest) - second]);
    return { since: toIso(this.#newest), after: toIso(after), known: Object.fromEntries(ages) };
  }
}

function secondOf(at: Instant): number {
  return Math.floor(at / 1000);
}
