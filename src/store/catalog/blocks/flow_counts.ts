/** Counts the NORMAL executions by flow and state. */
import { type State, STATES } from "../../../model/executions/state.ts";
import { decodeJson, encodeJson } from "../../codec.ts";
import { countSlot, STATE_SLOTS } from "../rows/summary.ts";
import type { RowColumns } from "../rows/row_columns.ts";

/** A larger snapshot has no counts; after a restart the rows are counted instead. */
const MAX_SNAPSHOT_BYTES = 40_000;

/** Counters of one tenant. */
export class FlowCounts {
  readonly #counts = new Map<number, Int32Array>();

  /** Adds the rows of a block; subtracts them with a `sign` of -1. */
  add(block: RowColumns, sign: 1 | -1): void {
    const { facts, flows, count } = block;
    let flowNo = -1;
    let counts: Int32Array | undefined;
    for (let row = 0; row < count; row++) {
      const slot = countSlot(facts[row] as number);
      if (slot >= STATE_SLOTS) continue;
      if (counts === undefined || flows[row] !== flowNo) {
        flowNo = flows[row] as number;
        counts = this.#of(flowNo);
      }
      counts[slot] = (counts[slot] as number) + sign;
    }
  }

  /** An independent copy. */
  clone(): FlowCounts {
    const copy = new FlowCounts();
    for (const [flowNo, counts] of this.#counts) copy.#counts.set(flowNo, counts.slice());
    return copy;
  }

  /** Counts above zero, by flow number and state. */
  toMap(): Map<number, Map<State, number>> {
    const result = new Map<number, Map<State, number>>();
    for (const [flowNo, counts] of this.#counts) {
      const states = STATES.flatMap((state, index) => {
        const count = counts[index] as number;
        return count > 0 ? [[state, count] as const] : [];
      });
      if (states.length > 0) result.set(flowNo, new Map(states));
    }
    return result;
  }

  /** The stored form: `{seq, counts: [flow number, state, count, …]}`; without counts when it would be too large. */
  encode(seq: number): Uint8Array {
    const counts: number[] = [];
    for (const [flowNo, states] of this.#counts) {
      states.forEach((count, state) => {
        if (count > 0) counts.push(flowNo, state, count);
      });
    }
    const bytes = encodeJson({ seq, counts });
    return bytes.length <= MAX_SNAPSHOT_BYTES ? bytes : encodeJson({ seq });
  }

  /** The counters that {@link encode} wrote; `undefined` if there were too many. */
  static decode(bytes: Uint8Array): FlowCounts | undefined {
    const { counts } = decodeJson(bytes) as { counts?: number[] };
    if (!counts) return undefined;
    const result = new FlowCounts();
    for (let i = 0; i < counts.length; i += 3) {
      result.#of(counts[i] as number)[counts[i + 1] as number] = counts[i + 2] as number;
    }
    return result;
  }

  #of(flowNo: number): Int32Array {
    const known = this.#counts.get(flowNo);
    if (known) return known;
    const counts = new Int32Array(STATE_SLOTS);
    this.#counts.set(flowNo, counts);
    return counts;
  }
}
