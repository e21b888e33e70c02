/** Week numbers, by the ISO rule and by that of the United States. */
import type { DateTime } from "./date_time.ts";
import { epochDays } from "./zone.ts";

/** A week rule: its first day (1 = Monday … 7 = Sunday), and the days of a year its first week must have. */
export interface WeekRule {
  readonly firstDay: number;
  readonly minDays: number;
}

/** Weeks from Monday; the first has a Thursday. */
export const ISO_WEEK: WeekRule = { firstDay: 1, minDays: 4 };
/** Weeks from Sunday; the first has January 1. */
export const US_WEEK: WeekRule = { firstDay: 7, minDays: 1 };

/** Day of week, 1 = Monday … 7 = Sunday. */
export function dayOfWeek({ year, month, day }: DateTime): number {
  return (((epochDays(year, month, day) + 3) % 7) + 7) % 7 + 1;
}

/** Day of year, from 1. */
export function dayOfYear({ year, month, day }: DateTime): number {
  return epochDays(year, month, day) - epochDays(year, 1, 1) + 1;
}

/** Year and number of the week, and the day in it, from 1. */
export function weekOf(date: DateTime, rule: WeekRule): { year: number; week: number; day: number } {
  const day = (dayOfWeek(date) - rule.firstDay + 7) % 7 + 1;
  const start = epochDays(date.year, date.month, date.day) - day + 1;
  let year = date.year + 1;
  while (firstWeekStart(year, rule) > start) year--;
  return { year, week: (start - firstWeekStart(year, rule)) / 7 + 1, day };
}

function firstWeekStart(year: number, { firstDay, minDays }: WeekRule): number {
  const january = epochDays(year, 1, 1);
  const weekday = (((january + 3) % 7) + 7) % 7 + 1;
  const skipped = (weekday - firstDay + 7) % 7;
  return 7 - skipped >= minDays ? january - skipped : january - skipped + 7;
}
