/** How public holidays are reckoned. Knows no country. */

/** A day of the year on which a holiday falls: month and day; days from Easter Sunday; or the n-th of a weekday in a month. */
export type HolidayRule =
  | { readonly type: "fixed"; readonly month: number; readonly day: number }
  | { readonly type: "easter"; readonly days: number; readonly isOrthodox: boolean }
  | {
    readonly type: "weekday";
    readonly month: number;
    /** 0 is Sunday. */
    readonly weekday: number;
    /** Counted from 1, from the end when negative. */
    readonly nth: number;
  };

const DAY_MS = 86_400_000;
/** Days by which the Julian calendar lags behind in this century and the last. */
const JULIAN_LAG_DAYS = 13;

/** The same day each year. */
export function fixed(month: number, day: number): HolidayRule {
  return { type: "fixed", month, day };
}

/** Days after Easter Sunday; before it when negative. */
export function easter(days: number): HolidayRule {
  return { type: "easter", days, isOrthodox: false };
}

/** Days after the Easter Sunday of the eastern churches. */
export function orthodoxEaster(days: number): HolidayRule {
  return { type: "easter", days, isOrthodox: true };
}

/** The n-th of a weekday (0 is Sunday) in a month; from its end when `nth` is negative. */
export function nthWeekday(nth: number, weekday: number, month: number): HolidayRule {
  return { type: "weekday", month, weekday, nth };
}

/** The first day of a rule in a year, as UTC midnight. */
export function dayOfRule(rule: HolidayRule, year: number): number {
  switch (rule.type) {
    case "fixed":
      return Date.UTC(year, rule.month - 1, rule.day);
    case "easter":
      return (rule.isOrthodox ? orthodoxSunday(year) : easterSunday(year)) + rule.days * DAY_MS;
    case "weekday":
      return weekdayOf(rule, year);
  }
}

function weekdayOf(
  { month, weekday, nth }: Extract<HolidayRule, { type: "weekday" }>,
  year: number,
): number {
  if (nth < 0) {
    const last = Date.UTC(year, month, 0);
    return last - (((new Date(last).getUTCDay() - weekday + 7) % 7) + (-nth - 1) * 7) * DAY_MS;
  }
  const first = Date.UTC(year, month - 1, 1);
  return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (nth - 1) * 7) * DAY_MS;
}

/** The anonymous Gregorian algorithm (Nature, 1876). */
function easterSunday(year: number): number {
  const a = year % 19, b = Math.floor(year / 100), c = year % 100;
  const d = Math.floor(b / 4), e = b % 4;
  const g = Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * e + 2 * Math.floor(c / 4) - h - c % 4) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, n % 31 + 1);
}

/** Meeus' Julian algorithm, as a day of the Gregorian calendar. */
function orthodoxSunday(year: number): number {
  const d = (19 * (year % 19) + 15) % 30;
  const e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  const n = d + e + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, n % 31 + 1) + JULIAN_LAG_DAYS * DAY_MS;
}
