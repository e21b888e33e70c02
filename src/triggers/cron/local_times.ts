/** Local times of a cron expression, in seconds since 1970 without zone offsets. */
import type { CronExpression } from "../../languages/cron/mod.ts";

const DAY_SECONDS = 86_400;
/** A 29 February on a given weekday occurs within 40 years; a time not found by then never occurs. */
const MAX_DAYS = 366 * 41;

/** The first local time at or after `from`; `undefined` if it does not exist. */
export function nextLocalTime(cron: CronExpression, from: number): number | undefined {
  let day = Math.floor(from / DAY_SECONDS);
  let least = from - day * DAY_SECONDS;
  for (let tried = 0; tried < MAX_DAYS; tried++) {
    const date = new Date(day * DAY_SECONDS * 1000);
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      day = daysOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
      least = 0;
      continue;
    }
    const time = isDay(cron, date) ? timeOfDay(cron, least) : undefined;
    if (time !== undefined) return day * DAY_SECONDS + time;
    day++;
    least = 0;
  }
  return undefined;
}

function isDay({ days, weekdays, isEitherDay }: CronExpression, date: Date): boolean {
  const day = date.getUTCDate();
  const isOfMonth = days.has(day) || days.has(day - lastDayOf(date)),
    isOfWeek = weekdays.has(date.getUTCDay());
  return isEitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
}

function lastDayOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** Days from 1970 to the first of a month; `monthIndex` may be 12. */
function daysOf(year: number, monthIndex: number): number {
  return Date.UTC(year, monthIndex, 1) / (DAY_SECONDS * 1000);
}

/** The first second of a day at or after `least`. */
function timeOfDay({ hours, minutes, seconds }: CronExpression, least: number): number | undefined {
  for (const hour of hours) {
    if (hour * 3600 + 3599 < least) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      if (start + 59 < least) continue;
      const second = seconds.find((candidate) => start + candidate >= least);
      if (second !== undefined) return start + second;
    }
  }
  return undefined;
}
