/** Limits the slices before one commit, so that the commit fits the store and callers do not wait long for it. */
import type { Clock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { jsonBytes, sizeOf } from "../../base/json_size.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import { BLOB_CHUNK_BYTES, SLICE_MAX_BYTES, SLICE_MAX_MS, SLICE_MAX_TASK_RUNS } from "../../model/limits.ts";
import type { LiveExecution } from "../live/live_execution.ts";

/** Each batch may fill a seventh of a commit. */
const MAX_FILE_BATCHES = 2;
/** Value sizes are measured each time so many task runs have changed. */
const CHANGES_PER_MEASUREMENT = 10;

/** A larger record is split; its large values are stored already, unless the commit creates it. */
const MAX_RECORD_BYTES = 8_192;

/** An execution, and its log lines and the members of its own group counted so far. */
interface Member {
  readonly live: LiveExecution;
  lines: number;
  bytes: number;
  members: number;
  memberBytes: number;
}

/** The budget of one commit, shared by its commit group. */
export class SliceBudget {
  readonly #clock: Clock;
  /** `undefined` before the first look at the time: most executions end before it. */
  #startedMs: number | undefined;
  /** Few: each of them changes something, and changes are limited. */
  readonly #members: Member[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds an execution, unless it was added before. */
  add(live: LiveExecution): void {
    if (!this.#members.some((member) => member.live === live)) {
      this.#members.push({ live, lines: 0, bytes: 0, members: 0, memberBytes: 0 });
    }
  }

  /** True if no more events should be applied before the commit. */
  isUsed(): boolean {
    let batches = 0, changes = 0, bytes = 0;
    for (const member of this.#members) {
      const { files, execution } = member.live;
      batches += files.length;
      changes += execution.touched.size;
      bytes += countLines(member) + countMembers(member) + extraBytes(member);
    }
    if (batches >= MAX_FILE_BATCHES || changes >= SLICE_MAX_TASK_RUNS || bytes >= SLICE_MAX_BYTES) {
      return true;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#startedMs ??= nowMs;
    if (nowMs - this.#startedMs >= SLICE_MAX_MS) return true;
    return changes % CHANGES_PER_MEASUREMENT === 0 && bytes + this.#valueBytes() >= SLICE_MAX_BYTES;
  }

  #valueBytes(): number {
    let bytes = 0;
    const [, ...others] = this.#members;
    for (const { live: { execution: { outputs, variables } } } of others) {
      bytes += Math.min(valueBytes(outputs) + valueBytes(variables), MAX_RECORD_BYTES);
    }
    for (const { live: { execution } } of this.#members) {
      for (const ordinal of execution.touched) {
        bytes += sizeOf(taskRunOf(execution, ordinal)?.outputs ?? null, SLICE_MAX_BYTES);
      }
    }
    return bytes;
  }
}

/** Bytes of the log lines since the last commit; counts only new lines. */
function countLines(member: Member): number {
  const { newLogs } = member.live.execution;
  for (; member.lines < newLogs.length; member.lines++) {
    member.bytes += jsonBytes(newLogs[member.lines]?.message ?? "");
  }
  return member.bytes;
}

/** Bytes of what the ends of attempts add to the commit: metrics and cached outputs. */
function extraBytes({ live: { extras } }: Member): number {
  return extras.reduce((sum, change) => sum + (change.type === "set" ? change.value.length : 0), 0);
}

/** Bytes of what the members of its group began with; counts only new members. */
function countMembers(member: Member): number {
  const { members } = member.live;
  for (; member.members < members.length; member.members++) {
    const { execution: { inputs, trigger }, isBeforeFirstCommit } = members[member.members] as LiveExecution;
    const bytes = valueBytes(inputs) + valueBytes(trigger?.variables);
    member.memberBytes += isBeforeFirstCommit ? bytes : Math.min(bytes, MAX_RECORD_BYTES);
  }
  return member.memberBytes;
}

/** Bytes that a value takes in a commit. One of several chunks is stored before. */
function valueBytes(value: JsonObject | undefined): number {
  const size = value ? sizeOf(value, BLOB_CHUNK_BYTES) : 0;
  return size > BLOB_CHUNK_BYTES ? 0 : size;
}
