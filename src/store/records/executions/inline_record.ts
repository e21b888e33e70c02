/**
 * The bytes of the record of an execution. A record with inline task runs has format {@link FORMAT_INLINE}, which leaves out
 * what follows from other members: of an execution with one task a third of the record.
 */
import { idTime } from "../../../base/id.ts";
import { stringifyJson } from "../../../base/json.ts";
import { LOG_LEVELS } from "../../../model/flows/flow.ts";
import { decodeJson, encodeText, FORMAT_INLINE } from "../../codec.ts";
import type { PackedExecution, PackedLogLine, PackedTaskRun } from "./execution_codec.ts";

type History = PackedTaskRun[1];

/** A history, or 0 for one that is equal to that of the execution; for an attempt, to that of its task run. */
type LeanHistory = History | 0;

type LeanTaskRun = [taskId: string, history: LeanHistory, attempts: LeanHistory[], ...rest: unknown[]];

/** The level of a record that has lines but no level. */
const DEFAULT_LEVEL = LOG_LEVELS.indexOf("INFO");

/** The text of a record with inline task runs and log lines; changes `packed`. */
export function inlineRecordText(packed: PackedExecution, id: string): string {
  packed[2] -= idTime(id);
  for (const taskRun of packed[6] as LeanTaskRun[]) omitHistories(taskRun, packed[3]);
  omitLevel(packed);
  return stringifyJson(packed);
}

/** The bytes of a text of {@link inlineRecordText}. */
export function inlineRecordBytes(text: string): Uint8Array {
  return encodeText(text, FORMAT_INLINE);
}

/** True for a record of {@link FORMAT_INLINE}: it has no large values of its own. */
export function isInline(bytes: Uint8Array): boolean {
  return bytes[0] === FORMAT_INLINE;
}

/** The record of an execution in either format. @throws Error for another one */
export function decodeRecord(bytes: Uint8Array, id: string): PackedExecution {
  if (!isInline(bytes)) return decodeJson(bytes) as unknown as PackedExecution;
  const packed = decodeJson(bytes, FORMAT_INLINE) as unknown as PackedExecution;
  packed[2] += idTime(id);
  for (const taskRun of packed[6] as LeanTaskRun[]) restoreHistories(taskRun, packed[3]);
  restoreLevel(packed);
  return packed;
}

function omitHistories(taskRun: LeanTaskRun, ofExecution: History): void {
  const [, history, attempts] = taskRun;
  attempts.forEach((attempt, index) => {
    if (isEqual(attempt, history)) attempts[index] = 0;
  });
  if (isEqual(history, ofExecution)) taskRun[1] = 0;
}

function restoreHistories(taskRun: LeanTaskRun, ofExecution: History): void {
  const history = taskRun[1] === 0 ? ofExecution : taskRun[1];
  taskRun[1] = history;
  taskRun[2] = taskRun[2].map((attempt) => attempt === 0 ? history : attempt);
}

/** Leaves out the most severe level if the lines have it. */
function omitLevel(packed: PackedExecution): void {
  const lines = packed[7] as PackedLogLine[];
  if (lines.length === 0) return;
  const extras = packed[8] ?? {};
  const level = extras.l ?? DEFAULT_LEVEL;
  if (level !== highestOf(lines)) packed[8] = { ...extras, l: level };
  else if (hasOthers(extras)) delete extras.l;
  else packed.length = 8;
}

function hasOthers(extras: object): boolean {
  for (const name in extras) if (name !== "l") return true;
  return false;
}

function restoreLevel(packed: PackedExecution): void {
  const lines = packed[7] as PackedLogLine[];
  if (lines.length === 0 || packed[8]?.l !== undefined) return;
  const level = highestOf(lines);
  if (level !== DEFAULT_LEVEL) (packed[8] ??= {}).l = level;
}

function highestOf(lines: readonly PackedLogLine[]): number {
  let highest = -1;
  for (const [level] of lines) if (level > highest) highest = level;
  return highest;
}

function isEqual(a: LeanHistory, b: LeanHistory): boolean {
  if (a === 0 || b === 0 || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
