/** Text → dates: ISO forms, and texts by a Java pattern. */
import { daysInMonth, type IsoTime, readIsoDateTime } from "../../base/time/iso_8601.ts";
import { fail } from "../values/mod.ts";
import { type DateTime, dateTimeOf, inZone, type LocalFields } from "./date_time.ts";
import type { DateFormat } from "./pattern.ts";
import { PatternReader } from "./pattern_reader.ts";
import { dayOfWeek } from "./week.ts";
import { offsetZone, tryZone, type Zone } from "./zone.ts";

const MIDNIGHT: IsoTime = { hour: 0, minute: 0, second: 0, nanos: 0 };

/**
 * The date of an ISO 8601 text, in the region or with the offset that it names, else in `zone`. As in Java, 24:00 and a
 * region without offset are refused. @throws ExpressionError `argument`
 */
export function parseIsoDate(text: string, zone: Zone): DateTime {
  const read = readIsoDateTime(text);
  const isJava = read?.time?.hour !== 24 &&
    (read?.region === undefined || read.offsetSeconds !== undefined);
  if (!read || !isJava) return fail("argument", `Cannot read "${text}" as a date`);
  const { hour, minute, second, nanos } = read.time ?? MIDNIGHT;
  const fields = { year: read.year, month: read.month, day: read.day, hour, minute, second };
  const written = read.offsetSeconds === undefined ? zone : offsetZone(read.offsetSeconds);
  const date = dateTimeOf(fields, nanos, written);
  const region = read.region === undefined ? undefined : tryZone(read.region);
  return region ? inZone(region, date) : date;
}

function checkFields({ year, month, day, hour, minute, second }: LocalFields, text: string): void {
  const isValid = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month) && hour < 24 &&
    minute < 60 && second < 60;
  if (!isValid) fail("argument", `Cannot read "${text}" as a date: a field is out of range`);
}

/** The date of a text by a pattern, in its zone, else in `zone`; without time at the start of the day. @throws ExpressionError `argument` */
export function parseDateBy(
  text: string,
  format: DateFormat,
  { zone, locale }: { readonly zone: Zone; readonly locale: string },
): DateTime {
  if (format.kind === "style") return fail("argument", "Cannot read a date in the style of a locale");
  const reader = new PatternReader(text, locale);
  if (!reader.read(format.items)) return fail("argument", `Cannot read "${text}" as a date of that format`);
  const fields = fieldsOf(reader.values);
  checkFields(fields, text);
  const weekday = reader.values.get("E");
  if (weekday !== undefined && weekday + 1 !== dayOfWeek(fields)) {
    fail("argument", `Cannot read "${text}" as a date: it is another day of the week`);
  }
  return dateTimeOf(fields, reader.values.get("S") ?? 0, reader.zone ?? zone);
}

function fieldsOf(values: ReadonlyMap<string, number>): LocalFields {
  const hour = values.get("H") ?? (values.get("h") ?? 0) % 12 + (values.get("a") ?? 0) * 12;
  const dayOfYear = values.get("D");
  const year = values.get("y") ?? 1970;
  const date = dayOfYear === undefined ? monthDay(year, values) : dayInYear(year, dayOfYear);
  return { year, ...date, hour, minute: values.get("m") ?? 0, second: values.get("s") ?? 0 };
}

/** A day up to 31 that the month lacks is its last one. */
function monthDay(year: number, values: ReadonlyMap<string, number>): { month: number; day: number } {
  const month = values.get("M") ?? 1, day = values.get("d") ?? 1;
  const isClamped = day <= 31 && month >= 1 && month <= 12;
  return { month, day: isClamped ? Math.min(day, daysInMonth(year, month)) : day };
}

function dayInYear(year: number, dayOfYear: number): { month: number; day: number } {
  let month = 1, day = dayOfYear;
  while (month < 12 && day > daysInMonth(year, month)) day -= daysInMonth(year, month++);
  return { month, day };
}
