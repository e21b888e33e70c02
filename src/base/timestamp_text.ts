/** Days and moments as texts, checked against the calendar and brought into one form. */

const DAY = /^(\d{4})-(\d{2})-(\d{2})T?$/;
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** The day as `2025-10-13`, or `undefined` when the text is none. */
export function parseDay(text: string): string | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) &&
    year !== "0000";
  return isReal ? `${year}-${month}-${day}` : undefined;
}

/** The moment in UTC, `2025-10-14T18:02:08Z`, its fraction of 0, 3, 6 or 9 digits; `undefined` when the text has no zone or is none. */
export function normalizeTimestamp(text: string): string | undefined {
  const [, day = "", hour, minute, second = "00", fraction = "", sign, zoneHour = "0", zoneMinute = "0"] =
    MOMENT.exec(text) ?? [];
  if (hour === undefined || parseDay(day) === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const offsetMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000 * (sign === "-" ? -1 : 1);
  const utc = new Date(Date.parse(`${day}T${hour}:${minute}:${second}Z`) - offsetMs);
  const prefix = utc.toISOString().slice(0, -5);
  // Before year 0 or after 9999 the offset has led out of what the form can say.
  return prefix.length === 19 ? `${prefix}${fractionText(fraction)}Z` : undefined;
}

/** A fraction of a second behind its point, in 3, 6 or 9 digits; nothing when all are zero. */
export function fractionText(fraction: string): string {
  const digits = fraction.replace(/0+$/, "");
  return digits === "" ? "" : `.${digits.padEnd(Math.ceil(digits.length / 3) * 3, "0")}`;
}
