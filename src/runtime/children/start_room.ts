/** Bounds the executions that one commit creates by what they store. */
import type { JsonObject } from "../../base/json.ts";
import { stringifyJson } from "../../base/json.ts";
import { jsonBytes } from "../../base/json_size.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";

/** Below the budget of a slice, so that pure executions also end in the commit that creates them. */
const MAX_BYTES = 200_000;

const encoder = new TextEncoder();

/** The room that is left in a commit. */
export class StartRoom {
  #left = MAX_BYTES;
  /** Sizes of values, which many executions may share. */
  readonly #sizes = new Map<JsonObject, number>();

  /** Takes room for an execution; false if not enough is left. The first one always fits. */
  take(execution: Execution): boolean {
    const isFirst = this.#left === MAX_BYTES;
    this.#left -= this.#bytesOf(execution);
    return isFirst || this.#left >= 0;
  }

  #bytesOf({ inputs, variables, trigger, loop, labels }: Execution): number {
    let bytes = 1;
    for (const { key, value } of labels) bytes += jsonBytes(key) + jsonBytes(value);
    for (const value of [inputs, variables, trigger?.variables, loop as unknown as JsonObject | undefined]) {
      if (value) bytes += this.#sizeOf(value);
    }
    return bytes;
  }

  #sizeOf(value: JsonObject): number {
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const { length } = encoder.encode(stringifyJson(value));
    // A value of several chunks is stored before the commit.
    const size = length > BLOB_CHUNK_BYTES ? 0 : length;
    this.#sizes.set(value, size);
    return size;
  }
}
