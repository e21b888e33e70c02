/** Writes, reads and removes the large values of executions. */
import { type JsonObject, type JsonValue, stringifyJson } from "../../../base/json.ts";
import { type Execution, taskRunOf } from "../../../model/executions/execution.ts";
import { shortenedValue } from "../../../model/executions/shortened_value.ts";
import { blobRefOf, type Blobs } from "../../blobs/blobs.ts";
import { decodeJson, encodeText } from "../../codec.ts";
import type { Mutation } from "../../store.ts";
import type { PackedExecution } from "./execution_codec.ts";
import type { StoredForm } from "./execution_form.ts";
import {
  decisionPlace,
  HEADER_PLACES,
  LargeValues,
  outputsPlace,
  type Place,
  type ValueReference,
} from "./large_values.ts";

/** Values with a longer JSON text become blobs once a record is split. */
const MAX_PAGED_VALUE = 1_024;
/** Marks of one entry, which holds few mutations. A crash leaves further values until the execution is deleted. */
const MAX_MARKS = 100;
/** Values that are removed by one commit. */
const REMOVALS_AT_ONCE = 50;

/** What a record refers to, and the form that notes it. */
interface ValueReading {
  readonly tenant: string;
  readonly id: string;
  readonly form: StoredForm;
  /** Bytes of values that may still be read; further values are replaced by {@link shortenedValue}. Absent: all are read. */
  readonly reading?: { left: number };
}

/** The large values of all executions. */
export class ValueStore {
  readonly #blobs: Blobs;
  readonly #exists: (tenant: string, id: string) => Promise<boolean>;

  /** `exists` tells whether there is an execution of that id. */
  constructor(blobs: Blobs, exists: (tenant: string, id: string) => Promise<boolean>) {
    this.#blobs = blobs;
    this.#exists = exists;
  }

  /** Writes values at places that may have changed; returns the mutations to commit with the record. */
  async write(
    execution: Execution,
    { values, touched }: { readonly values: LargeValues; readonly touched: readonly number[] },
  ): Promise<Mutation[]> {
    const owner = ownerOf(execution);
    const mutations: Mutation[] = [];
    for (const [place, value] of valuesOf(execution, touched)) {
      let reference = value && values.referenceOf(value);
      const text = value && !reference ? stringifyJson(value) : "";
      if (text.length > MAX_PAGED_VALUE) {
        const blob = await this.#blobs.writeBytes(owner, encodeText(text));
        reference = [blob.blobId, blob.size];
        mutations.push(...blob.mutations);
      }
      values.change(place, value, reference);
    }
    for (const each of values.dropped.slice(0, MAX_MARKS)) {
      mutations.push(this.#blobs.mark(owner, blobRefOf(each)));
    }
    return mutations;
  }

  /** Removes values to which no record refers any more. If that fails, the next start removes them. */
  async remove(execution: Execution, removed: readonly ValueReference[]): Promise<void> {
    const owner = ownerOf(execution);
    for (let i = 0; i < removed.length; i += REMOVALS_AT_ONCE) {
      const some = removed.slice(i, i + REMOVALS_AT_ONCE).map(blobRefOf);
      await Promise.all(some.map((blob) => this.#blobs.removeMarked(owner, blob)));
    }
  }

  /** Nothing of the execution is removed, replaced or deleted, until the returned function is called. Called before its record is read. */
  hold(id: string): () => void {
    return this.#blobs.hold(id);
  }

  /** The value that a record has at a place; `undefined` if it was deleted with another execution. */
  async resolve<T extends JsonValue | undefined>(
    { tenant, id, form, reading }: ValueReading,
    place: Place,
    value: T,
  ): Promise<T> {
    if (!Array.isArray(value)) return value;
    const reference = value as unknown as ValueReference;
    const [blobId, size, owner = id] = reference;
    if (reading && size > reading.left) return shortenedValue(tenant, id, size - 1) as T;
    // The reader of the record holds the values of its own execution alone.
    const release = owner === id ? undefined : this.hold(owner);
    try {
      if (owner !== id && !await this.#exists(tenant, owner)) return undefined as T;
      if (reading) reading.left -= size;
      const bytes = await this.#blobs.readRange({ tenant, owner }, { blobId, size }, 0, size);
      const resolved = decodeJson(bytes) as JsonObject;
      (form.values ??= new LargeValues()).addStored(place, resolved, reference);
      return resolved as T;
    } finally {
      release?.();
    }
  }

  /** Puts the values of a header into it. */
  async resolveHeader(packed: PackedExecution, from: ValueReading): Promise<void> {
    const { inputs, outputs, variables, trigger, loop, fixtures } = HEADER_PLACES;
    packed[4] = await this.resolve(from, inputs, packed[4]);
    const extras = packed[8];
    if (!extras) return;
    if (extras.t) extras.t[2] = await this.resolve(from, trigger, extras.t[2]);
    // The loop of an execution and its fixtures are no values; they are always read.
    const whole = { ...from, reading: undefined };
    extras.g = await this.resolve(whole, loop, extras.g);
    if (extras.f) extras.f = await this.resolve(whole, fixtures, extras.f);
    extras.v = await this.resolve(from, variables, extras.v);
    extras.u = await this.resolve(from, outputs, extras.u);
  }
}

function ownerOf({ tenant, id }: Execution) {
  return { tenant, owner: id };
}

/** The values of the header and of the task runs; a removed task run has none. */
function valuesOf(
  execution: Execution,
  ordinals: readonly number[],
): [place: Place, value: JsonObject | undefined][] {
  const { inputs, outputs, variables, trigger, loop, fixtures } = execution;
  const values: [Place, JsonObject | undefined][] = [
    [HEADER_PLACES.inputs, inputs],
    [HEADER_PLACES.outputs, outputs],
    [HEADER_PLACES.variables, variables],
    [HEADER_PLACES.trigger, trigger?.variables],
    [HEADER_PLACES.loop, loop as JsonObject | undefined],
    [HEADER_PLACES.fixtures, fixtures as JsonObject | undefined],
  ];
  for (const ordinal of ordinals) {
    const taskRun = taskRunOf(execution, ordinal);
    values.push([outputsPlace(ordinal), taskRun?.outputs], [decisionPlace(ordinal), taskRun?.decision]);
  }
  return values;
}
