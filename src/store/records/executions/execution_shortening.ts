/** Shortens the large values of an execution's header for lists, without reading those that are blobs. */
import { type JsonValue, stringifyJson } from "../../../base/json.ts";
import type { Execution } from "../../../model/executions/execution.ts";
import type { LoopItem } from "../../../model/executions/loop_run.ts";
import { shortenedText, shortenedValue } from "../../../model/executions/shortened_value.ts";
import type { PackedExecution } from "./execution_codec.ts";
import type { ValueReference } from "./large_values.ts";

interface Shortening {
  readonly tenant: string;
  readonly id: string;
  /** Values with a longer JSON text are shortened. */
  readonly maxValueBytes: number;
}

/** Replaces inputs, outputs, variables and trigger variables that are too large; see {@link shortenedValue}. */
export function shortenHeader(packed: PackedExecution, shortening: Shortening): void {
  packed[4] = shorten(packed[4], shortening);
  const extras = packed[8];
  if (!extras) return;
  if (extras.t) extras.t[2] = shorten(extras.t[2], shortening);
  if (extras.v) extras.v = shorten(extras.v, shortening);
  if (extras.u) extras.u = shorten(extras.u, shortening);
}

/** The execution with the values of its loops shortened. */
export function shortenLoop(execution: Execution, maxValueBytes: number): Execution {
  const { loop } = execution;
  if (!loop) return execution;
  const shortenItem = (item: LoopItem): LoopItem =>
    item.value === null ? item : { ...item, value: shortenedText(item.value, maxValueBytes) };
  const shortened = { ...loop, item: shortenItem(loop.item), parents: loop.parents.map(shortenItem) };
  return { ...execution, loop: shortened };
}

function shorten(value: JsonValue, { tenant, id, maxValueBytes }: Shortening): JsonValue {
  const bytes = sizeOf(value);
  return bytes <= maxValueBytes ? value : shortenedValue(tenant, id, bytes);
}

/** Bytes of the JSON text; a value that is inline has a few at most, and is counted in characters. */
function sizeOf(value: JsonValue): number {
  if (!Array.isArray(value)) return stringifyJson(value).length;
  // The first byte of a blob is the format.
  return (value as unknown as ValueReference)[1] - 1;
}
