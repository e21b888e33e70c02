/** Dates and times in ISO form, checked against the calendar; their texts have the order of time. */
import { fractionText } from "../../base/timestamp_text.ts";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** The text of a date when it is one, `2026-02-28`. */
export function readDate(text: string): string | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? text : undefined;
}

/** A time of day as `HH:mm:ss`, with a fraction when it has one. */
export function readTime(text: string): string | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, hour = "", minute = "", second = "00", fraction = ""] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${hour}:${minute}:${second}${fractionText(fraction)}`;
}

/** An instant as `2026-01-31T08:15:30Z`, with a fraction when it has one, from any zone. */
export function readInstant(text: string): string | undefined {
  const [, dateText = "", timeText = "", zone = ""] = DATE_TIME.exec(text) ?? [];
  const date = readDate(dateText), time = readTime(timeText), offset = zoneMinutes(zone);
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  const ms = Date.parse(`${date}T${time.slice(0, 8)}Z`) - offset * 60_000;
  const iso = new Date(ms).toISOString();
  return /^\d{4}-/.test(iso) ? `${iso.slice(0, 19)}${time.slice(8)}Z` : undefined;
}

/** A text whose order is that of the instants that {@link readInstant} gives. */
export function instantOrder(instant: string): string {
  return `${instant.slice(0, 19)}.${instant.slice(20, -1).padEnd(9, "0")}`;
}

function zoneMinutes(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  const hours = Number(match?.[2]), minutes = Number(match?.[3] ?? 0);
  if (!match || hours > 18 || minutes > 59) return undefined;
  return (hours * 60 + minutes) * (match[1] === "-" ? -1 : 1);
}
