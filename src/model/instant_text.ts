/** Instants as people write them. */
import type { Instant } from "../base/clock.ts";
import { normalizeTimestamp, parseDay } from "./timestamp_text.ts";

/** The instant of a moment or a day, in UTC where no zone is given; `undefined` when the text is none. */
export function parseInstant(text: string): Instant | undefined {
  const day = parseDay(text);
  const normal = day === undefined
    ? normalizeTimestamp(text) ?? normalizeTimestamp(`${text}Z`)
    : `${day}T00:00:00Z`;
  return normal === undefined ? undefined : Date.parse(normal);
}
