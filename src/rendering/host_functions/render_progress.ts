/** Values from outside that one render has used. It is repeated after each fetched value, and gets the same values again. */
import type { JsonValue } from "../../base/json.ts";
import type { Clock, Instant } from "../../base/time/clock.ts";

/** A fetched value, or the message of the error. */
export type Fetched = { readonly value: JsonValue } | { readonly error: string };

/** Created for every render, most of which get nothing: every member is created on first use. */
export class RenderProgress {
  #fetched: Map<string, Fetched> | undefined;
  #now: Instant | undefined;
  #randoms: number[] | undefined;
  /** Random numbers and calls with an effect of the attempt under way. */
  #drawn = 0;
  #effects = 0;

  /** Begins an attempt. */
  begin(): void {
    this.#drawn = 0;
    this.#effects = 0;
  }

  /** The number of values. */
  get size(): number {
    return this.#fetched?.size ?? 0;
  }

  /** The value of that call. */
  get(key: string): Fetched | undefined {
    return this.#fetched?.get(key);
  }

  /** Keeps the value of a call. */
  set(key: string, fetched: Fetched): void {
    (this.#fetched ??= new Map()).set(key, fetched);
  }

  /** The number of calls with an effect before this one. */
  nextEffect(): number {
    return this.#effects++;
  }

  /** Whether the attempt under way has called a function with an effect. */
  get hasEffects(): boolean {
    return this.#effects > 0;
  }

  /** The instant of the first attempt that asks. */
  instant(clock: Clock): Instant {
    return this.#now ??= clock.now();
  }

  /** The next random number. */
  random(draw: () => number): number {
    return (this.#randoms ??= [])[this.#drawn++] ??= draw();
  }

  /** Another render that has got the same values. */
  fork(): RenderProgress {
    const fork = new RenderProgress();
    if (this.#fetched) fork.#fetched = new Map(this.#fetched);
    return fork;
  }
}
