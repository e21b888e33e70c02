/** What the slices before one commit may do, so that no commit becomes too large and nobody waits long for it. */
import type { Clock } from "../base/clock.ts";
import { sizeOf } from "../base/json_size.ts";
import { taskRunOf } from "../model/execution.ts";
import { SLICE_MAX_BYTES, SLICE_MAX_MS, SLICE_MAX_TASK_RUNS } from "../model/limits.ts";
import type { LiveExecution } from "./live_execution.ts";

/** Each may fill a seventh of a commit. */
const MAX_FILE_BATCHES = 2;
/** Sizes are looked at with every so many changed task runs. */
const CHANGES_PER_LOOK = 10;

/** The budget of one commit; the executions that it creates share it with the one that asks for them. */
export class SliceBudget {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #sharers: LiveExecution[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** One more execution spends it. */
  share(live: LiveExecution): void {
    if (!this.#sharers.includes(live)) this.#sharers.push(live);
  }

  /** Whether nothing more should happen before the commit. */
  isUsed(): boolean {
    let batches = 0;
    let changes = 0;
    for (const { files, execution } of this.#sharers) {
      batches += files.length;
      changes += execution.touched.size;
    }
    if (batches >= MAX_FILE_BATCHES || changes >= SLICE_MAX_TASK_RUNS) return true;
    if (this.#clock.monotonicMs() - this.#startedMs >= SLICE_MAX_MS) return true;
    return changes % CHANGES_PER_LOOK === 0 && this.#bytes() >= SLICE_MAX_BYTES;
  }

  #bytes(): number {
    let bytes = 0;
    for (const { execution } of this.#sharers) {
      for (const line of execution.newLogs) bytes += line.message.length;
      for (const ordinal of execution.touched) {
        bytes += sizeOf(taskRunOf(execution, ordinal)?.outputs ?? null, SLICE_MAX_BYTES);
      }
    }
    return bytes;
  }
}
