/**
 * Large values of executions. Each is a blob while a place of its execution has it: a member of the header or of a task run.
 * The entry that replaces a value also marks its blob for removal. The blob is removed once that entry is durable and no
 * reader of a former record is left, together with others: a removal is a commit of its own.
 */
import type { JsonObject } from "../../../base/json.ts";

/**
 * Replaces a large value in a record. Values are objects, so an array is always a reference. `owner` is the id of the
 * execution that stores the value, if it is another one: passes of a Loop share the inputs of the execution of their loop.
 */
export type ValueReference = [blobId: string, size: number, ...owner: string[]];

/** Bytes of replaced values from which they are removed although the execution has work. */
const REMOVAL_BYTES = 256 * 1024;
const NOTHING: readonly ValueReference[] = [];

/** A place of an execution: a negative number for a member of the header. */
export type Place = number;

/** The places of the header. */
export const HEADER_PLACES = Object.freeze({
  inputs: -1,
  outputs: -2,
  variables: -3,
  trigger: -4,
  loop: -5,
  fixtures: -6,
});

/** The place of the outputs of a task run. */
export function outputsPlace(ordinal: number): Place {
  return ordinal * 2;
}

/** The place of the decision of a task run. */
export function decisionPlace(ordinal: number): Place {
  return ordinal * 2 + 1;
}

/** Which places of an execution have which stored values. */
export class LargeValues {
  /** Of values that are or were stored. */
  readonly #references = new WeakMap<JsonObject, ValueReference>();
  readonly #places = new Map<Place, ValueReference>();
  /** Number of places by blob. */
  readonly #uses = new Map<string, number>();
  /** What the places had before the changes that are not durable yet. */
  #changes: [place: Place, before: ValueReference | undefined][] = [];
  /** Values without a place, which are still stored. */
  #replaced: ValueReference[] = [];

  /** What stands for the value in records; `undefined` if it is not stored as a blob. */
  referenceOf(value: JsonObject): ValueReference | undefined {
    const reference = this.#references.get(value);
    return reference && this.#uses.has(reference[0]) ? reference : undefined;
  }

  /** Adds a value that the durable record has at a place. */
  addStored(place: Place, value: JsonObject, reference: ValueReference): void {
    this.#references.set(value, reference);
    this.#set(place, reference);
  }

  /** Notes what the next record has at a place. */
  change(place: Place, value: JsonObject | undefined, reference: ValueReference | undefined): void {
    const before = this.#places.get(place);
    if (before?.[0] === reference?.[0]) return;
    if (value && reference) this.#references.set(value, reference);
    this.#changes.push([place, before]);
    this.#set(place, reference);
  }

  /** The stored values that the changes leave without a place. */
  get dropped(): readonly ValueReference[] {
    if (this.#changes.length === 0) return NOTHING;
    const dropped = new Map<string, ValueReference>();
    for (const [, before] of this.#changes) {
      if (before && !this.#uses.has(before[0])) dropped.set(before[0], before);
    }
    return [...dropped.values()];
  }

  /** Called when the changes are durable; returns the values to remove now. An idle execution keeps none. */
  settle(isIdle: boolean): readonly ValueReference[] {
    this.#replaced.push(...this.dropped);
    this.#changes = [];
    const bytes = this.#replaced.reduce((sum, [, size]) => sum + size, 0);
    return isIdle || bytes >= REMOVAL_BYTES ? this.#replaced.splice(0) : NOTHING;
  }

  /** Takes back the changes that the database refused. */
  undo(): void {
    for (const [place, before] of this.#changes.toReversed()) this.#set(place, before);
    this.#changes = [];
  }

  #set(place: Place, reference: ValueReference | undefined): void {
    const before = this.#places.get(place);
    if (before) this.#count(before[0], -1);
    if (!reference) return void this.#places.delete(place);
    this.#places.set(place, reference);
    this.#count(reference[0], 1);
  }

  #count(blobId: string, change: number): void {
    const count = (this.#uses.get(blobId) ?? 0) + change;
    if (count === 0) this.#uses.delete(blobId);
    else this.#uses.set(blobId, count);
  }
}
