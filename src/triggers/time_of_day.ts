/** Times of day as conditions and windows give them. */
import type { Instant } from "../base/time/clock.ts";
import { readIsoTime } from "../base/time/iso_8601.ts";
import { findZone } from "../languages/dates/mod.ts";

/** Milliseconds of a day without a change of its zone's offset. */
export const DAY_MS = 86_400_000;

/** A time of day, in a zone of its own where it names an offset. */
export interface TimeOfDay {
  /** Milliseconds since midnight, from 0 to {@link DAY_MS}. */
  readonly ms: number;
  readonly zone?: string;
}

const TIME_AND_ZONE = /^([\d:.,]+)\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** What such a text names: `09:30`, `16:00:00+02:00`, `24:00` for the end of the day; `undefined` for any other text. */
export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const [, timeText = "", zone] = TIME_AND_ZONE.exec(text.trim()) ?? [];
  const time = readIsoTime(timeText.replace(/^\d:/, "0$&"));
  if (!time) return undefined;
  return { ms: ((time.hour * 60 + time.minute) * 60 + time.second) * 1000, zone: zone?.toUpperCase() };
}

/** What clocks of the zone show at that instant, as if they showed UTC. */
export function localMsOf(at: Instant, timeZone: string): number {
  return at + findZone(timeZone).offsetAt(Math.floor(at / 1000)) * 1000;
}
