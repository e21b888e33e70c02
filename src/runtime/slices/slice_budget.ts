/** What the slices before one commit may do, so that no commit becomes too large and nobody waits long for it. */
import type { Clock } from "../../base/clock.ts";
import { jsonBytes, sizeOf } from "../../base/json_size.ts";
import { type Execution, taskRunOf } from "../../model/executions/execution.ts";
import { SLICE_MAX_BYTES, SLICE_MAX_MS, SLICE_MAX_TASK_RUNS } from "../../model/limits.ts";
import type { LiveExecution } from "../live/live_execution.ts";

/** Each may fill a seventh of a commit. */
const MAX_FILE_BATCHES = 2;
/** Sizes are looked at with every so many changed task runs. */
const CHANGES_PER_LOOK = 10;

/** A record with more than that is divided, and its larger values are kept apart from it. */
const MAX_RECORD_BYTES = 8_192;

/** An execution, and what was counted of its lines. */
interface Sharer {
  readonly live: LiveExecution;
  lines: number;
  bytes: number;
}

/** The budget of one commit; all executions that take part in it share it. */
export class SliceBudget {
  readonly #clock: Clock;
  readonly #startedMs: number;
  /** Not many: each changes something, and that is limited. */
  readonly #sharers: Sharer[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** One more execution spends it. */
  share(live: LiveExecution): void {
    if (!this.#sharers.some((sharer) => sharer.live === live)) {
      this.#sharers.push({ live, lines: 0, bytes: 0 });
    }
  }

  /** Whether nothing more should happen before the commit. */
  isUsed(): boolean {
    let batches = 0, changes = 0, logBytes = 0;
    for (const sharer of this.#sharers) {
      const { files, execution } = sharer.live;
      batches += files.length;
      changes += execution.touched.size;
      logBytes += countLines(sharer);
    }
    if (batches >= MAX_FILE_BATCHES || changes >= SLICE_MAX_TASK_RUNS || logBytes >= SLICE_MAX_BYTES) {
      return true;
    }
    if (this.#clock.monotonicMs() - this.#startedMs >= SLICE_MAX_MS) return true;
    return changes % CHANGES_PER_LOOK === 0 && logBytes + this.#valueBytes() >= SLICE_MAX_BYTES;
  }

  #valueBytes(): number {
    let bytes = 0;
    const [, ...others] = this.#sharers;
    for (const { live } of others) bytes += headerBytes(live.execution);
    for (const { live: { execution } } of this.#sharers) {
      for (const ordinal of execution.touched) {
        bytes += sizeOf(taskRunOf(execution, ordinal)?.outputs ?? null, SLICE_MAX_BYTES);
      }
    }
    return bytes;
  }
}

/** Bytes of the lines since the last commit; what was counted before is not again. */
function countLines(sharer: Sharer): number {
  const { newLogs } = sharer.live.execution;
  for (; sharer.lines < newLogs.length; sharer.lines++) {
    sharer.bytes += jsonBytes(newLogs[sharer.lines]?.message ?? "");
  }
  return sharer.bytes;
}

/** What the record of one more execution takes, beside its task runs. */
function headerBytes({ inputs, outputs, variables, trigger }: Execution): number {
  let bytes = 0;
  for (const value of [inputs, outputs, variables, trigger?.variables]) {
    if (value) bytes += sizeOf(value, MAX_RECORD_BYTES);
  }
  return Math.min(bytes, MAX_RECORD_BYTES);
}
