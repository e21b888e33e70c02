/** Rules that give the day of a public holiday in a year. Knows no country. */

/** The day of a holiday in a year, as UTC midnight; `undefined` in a year without it. */
export type HolidayRule = (year: number) => number | undefined;

const DAY_MS = 86_400_000;
/** Days between the Julian and the Gregorian calendar from 1900 to 2099. */
const JULIAN_LAG_DAYS = 13;

/** The same day each year. */
export function fixed(month: number, day: number): HolidayRule {
  return (year) => Date.UTC(year, month - 1, day);
}

/** Days after Easter Sunday; before it when negative. */
export function easter(days: number): HolidayRule {
  return (year) => easterSunday(year) + days * DAY_MS;
}

/** Days after the Easter Sunday of the Orthodox churches; before it when negative. */
export function orthodoxEaster(days: number): HolidayRule {
  return (year) => orthodoxSunday(year) + days * DAY_MS;
}

/** The n-th of a weekday (0 is Sunday) in a month; from its end when `nth` is negative. */
export function nthWeekday(nth: number, weekday: number, month: number): HolidayRule {
  return (year) =>
    nth < 0
      ? weekdayBefore(weekday, Date.UTC(year, month, 1)) + (nth + 1) * 7 * DAY_MS
      : weekdayBefore(weekday, Date.UTC(year, month - 1, 8)) + (nth - 1) * 7 * DAY_MS;
}

/** The last of a weekday (0 is Sunday) before a day of the year. */
export function lastWeekdayBefore(weekday: number, month: number, day: number): HolidayRule {
  return (year) => weekdayBefore(weekday, Date.UTC(year, month - 1, day));
}

/** A holiday that a law introduced: from that year on. */
export function since(firstYear: number, rule: HolidayRule): HolidayRule {
  return (year) => year < firstYear ? undefined : rule(year);
}

/** The last of a weekday before a day, both as UTC midnight. */
function weekdayBefore(weekday: number, day: number): number {
  const distance = (new Date(day).getUTCDay() - weekday + 7) % 7;
  return day - (distance === 0 ? 7 : distance) * DAY_MS;
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
