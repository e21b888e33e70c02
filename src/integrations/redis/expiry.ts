/** How long a key is kept. */
import { readDuration } from "../../base/time/duration.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";

/** Members of `options`. */
export const EXPIRY_OPTIONS: PropertySchemas = Object.freeze({
  expirationDuration: { type: "duration", description: "How long the key is kept.", dynamic: true },
  expirationDate: { type: "dateTime", description: "Until when the key is kept.", dynamic: true },
});

/** `PX` with milliseconds or `PXAT` with a time; `undefined` without a limit. @throws Error both, or no date */
export function expiryOf(options: JsonObject): readonly ["PX" | "PXAT", number] | undefined {
  const date = optionalText(options.expirationDate);
  const ms = options.expirationDuration === undefined ? undefined : readDuration(options.expirationDuration);
  if (ms !== undefined && date !== undefined) {
    throw new Error("Invalid options: give expirationDuration or expirationDate, not both");
  }
  if (ms !== undefined) return ["PX", ms];
  if (date === undefined) return undefined;
  const at = parseInstant(date);
  if (at === undefined) throw new Error("Invalid expirationDate: it must be a date with a zone");
  return ["PXAT", at];
}
