/** Week numbers, by ISO 8601 and by region. */
import { fail } from "../values/mod.ts";
import type { DateTime } from "./date_time.ts";
import { epochDays } from "../../base/time/iso_8601.ts";

/** A week rule: its first day (1 = Monday … 7 = Sunday), and the days of a year its first week must have. */
interface WeekRule {
  readonly firstDay: number;
  readonly minDays: number;
}

/** Weeks begin on Monday; the first contains a Thursday. */
export const ISO_WEEK: WeekRule = { firstDay: 1, minDays: 4 };

/** Regions whose weeks begin on Sunday; elsewhere they begin on Monday. */
const SUNDAY_REGIONS = new Set(
  "US CA MX BR JP KR TW HK MO IN ID IL ZA PH TH CO PE VE SG PK GT HN NI PA PR SV DO BO PY".split(" "),
);
/** Regions whose first week has at least four days of the year; elsewhere it contains January 1. */
const FOUR_DAY_REGIONS = new Set(
  "AD AT AX BE BG CH CZ DE DK EE ES FI FO FR GB GF GG GI GP GR HU IE IM IS IT JE LI LT LU MC MQ NL NO PL PT RE RU SE SJ SK SM VA"
    .split(" "),
);

/** The rule of a locale, by its region or the likely region of its language. */
export function weekRuleOf(locale: string): WeekRule {
  const region = likelyRegion(locale);
  return { firstDay: SUNDAY_REGIONS.has(region) ? 7 : 1, minDays: FOUR_DAY_REGIONS.has(region) ? 4 : 1 };
}

function likelyRegion(locale: string): string {
  try {
    return new Intl.Locale(locale.replaceAll("_", "-")).maximize().region ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail("argument", `Unknown locale "${locale}"`);
  }
}

/** Day of week, 1 = Monday … 7 = Sunday. */
export function dayOfWeek({ year, month, day }: Pick<DateTime, "year" | "month" | "day">): number {
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

/** Number of the week in the month; 0 for days before the first week. */
export function weekOfMonth(date: DateTime, { firstDay, minDays }: WeekRule): number {
  const skipped = (dayOfWeek({ ...date, day: 1 }) - firstDay + 7) % 7;
  return Math.floor((date.day - 1 + skipped) / 7) + (7 - skipped >= minDays ? 1 : 0);
}

function firstWeekStart(year: number, { firstDay, minDays }: WeekRule): number {
  const january = epochDays(year, 1, 1);
  const weekday = (((january + 3) % 7) + 7) % 7 + 1;
  const skipped = (weekday - firstDay + 7) % 7;
  return 7 - skipped >= minDays ? january - skipped : january - skipped + 7;
}
