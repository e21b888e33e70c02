/** Dates → text, by a Java pattern or a style of the locale. */
import { epochDays } from "../../base/time/iso_8601.ts";
import { fail } from "../values/mod.ts";
import { type DateTime, dateTimeAt } from "./date_time.ts";
import type { DateFormat, Directive } from "./pattern.ts";
import {
  dayPeriodName,
  eraName,
  genericZoneName,
  monthName,
  periodName,
  quarterName,
  standaloneMonthName,
  styledText,
  weekdayName,
  zoneName,
} from "./names.ts";
import { dayOfWeek, dayOfYear, ISO_WEEK, weekOf, weekOfMonth, weekRuleOf } from "./week.ts";
import { offsetText, UTC } from "./zone.ts";

/** 1970-01-01 in days since 1858-11-17. */
const MODIFIED_JULIAN_EPOCH = 40_587;

/** The text of a date. @throws ExpressionError `argument` */
export function formatDate(date: DateTime, format: DateFormat, locale: string): string {
  if (format.kind === "style") return styledText(date, format.style, locale);
  const seen = format.isUtc ? dateTimeAt(date.epochSeconds, date.nanos, UTC) : date;
  return printItems(format.items, seen, format.isEnglish ? "en-US" : locale);
}

function printItems(items: readonly Directive[], date: DateTime, locale: string): string {
  let text = "";
  for (const item of items) {
    if (item.kind === "text") text += item.text;
    else if (item.kind === "optional") text += printItems(item.items, date, locale);
    else text += printField(item, date, locale);
  }
  return text;
}

function printField(
  { letter, count, width = 0 }: Directive & { kind: "field" },
  date: DateTime,
  locale: string,
): string {
  const text = (PRINTERS.get(letter) as Print)(date, count, locale);
  if (width > 0 && text.length > width) {
    fail("argument", `Cannot print "${text}" in ${width} characters`);
  }
  return text.padStart(width);
}

type Print = (date: DateTime, count: number, locale: string) => string;

const PRINTERS: ReadonlyMap<string, Print> = new Map<string, Print>([
  ["G", ({ year }, count, locale) => eraName(year, widthOf(count), locale)],
  ["u", ({ year }, count) => yearText(year, count)],
  ["y", ({ year }, count) => yearText(year > 0 ? year : 1 - year, count)],
  ["D", (date, count) => pad(dayOfYear(date), count)],
  ["M", monthText],
  [
    "L",
    ({ month }, count, locale) =>
      count <= 2 ? pad(month, count) : standaloneMonthName(month, widthOf(count), locale),
  ],
  ["Q", ({ month }, count, locale) => quarterText(month, count, locale)],
  ["q", ({ month }, count, locale) => quarterText(month, count, locale)],
  ["d", ({ day }, count) => pad(day, count)],
  ["Y", (date, count, locale) => yearText(weekOf(date, weekRuleOf(locale)).year, count)],
  ["w", (date, count, locale) => pad(weekOf(date, weekRuleOf(locale)).week, count)],
  ["W", (date, count, locale) => pad(weekOfMonth(date, weekRuleOf(locale)), count)],
  ["F", ({ day }) => String(Math.ceil(day / 7))],
  ["g", ({ year, month, day }, count) => pad(epochDays(year, month, day) + MODIFIED_JULIAN_EPOCH, count)],
  ["E", weekdayText],
  ["e", localWeekdayText],
  ["c", localWeekdayText],
  ["a", ({ hour }, _, locale) => periodName(hour, locale)],
  ["B", ({ hour }, count, locale) => dayPeriodName(hour, widthOf(count), locale)],
  ["h", ({ hour }, count) => pad(hour % 12 || 12, count)],
  ["K", ({ hour }, count) => pad(hour % 12, count)],
  ["k", ({ hour }, count) => pad(hour || 24, count)],
  ["H", ({ hour }, count) => pad(hour, count)],
  ["m", ({ minute }, count) => pad(minute, count)],
  ["s", ({ second }, count) => pad(second, count)],
  ["S", ({ nanos }, count) => pad(nanos, 9).slice(0, count).padEnd(count, "0")],
  ["n", ({ nanos }, count) => pad(nanos, count)],
  [
    "A",
    (date, count) =>
      String(secondOfDay(date) * 1000 + Math.floor(date.nanos / 1_000_000)).padStart(count, "0"),
  ],
  [
    "N",
    (date, count) =>
      String(BigInt(secondOfDay(date)) * 1_000_000_000n + BigInt(date.nanos)).padStart(count, "0"),
  ],
  ["V", ({ zone }) => zone.id],
  ["v", (date, count, locale) => genericZoneName(date, count === 4, locale)],
  ["z", (date, count, locale) => zoneName(date, count >= 4, locale)],
  ["O", ({ offsetSeconds }, count) => gmtText(offsetSeconds, count === 4)],
  ["X", ({ offsetSeconds }, count) => offsetSeconds === 0 ? "Z" : offsetOf(offsetSeconds, count)],
  ["x", ({ offsetSeconds }, count) => offsetOf(offsetSeconds, count)],
  ["Z", zuluText],
  ["f", ({ nanos }) => fraction(pad(nanos, 9).replace(/(?<!0)0+$/, ""))],
  ["b", ({ nanos }) => fraction(pad(nanos, 9).replace(/(?:000)+$/, ""))],
  ["r", ({ zone }) => zone.isRegion ? `[${zone.id}]` : ""],
  ["t", ({ offsetSeconds }) => offsetSeconds === 0 ? "GMT" : offsetText(offsetSeconds, "")],
  ["i", (date, count) => pad(weekOf(date, ISO_WEEK).year, count)],
  ["j", (date, count) => pad(weekOf(date, ISO_WEEK).week, count)],
  ["l", (date) => String(dayOfWeek(date))],
]);

function pad(value: number, count: number): string {
  const digits = String(Math.abs(value)).padStart(count, "0");
  return value < 0 ? `-${digits}` : digits;
}

function yearText(year: number, count: number): string {
  if (count === 2) return pad(((year % 100) + 100) % 100, 2);
  return count >= 4 && String(year).length > count ? `+${year}` : pad(year, count);
}

function monthText({ month }: DateTime, count: number, locale: string): string {
  return count <= 2 ? pad(month, count) : monthName(month, widthOf(count), locale);
}

function weekdayText(date: DateTime, count: number, locale: string): string {
  return weekdayName(dayOfWeek(date), widthOf(count), locale);
}

/** The number of the day in the locale's week, or its name. */
function localWeekdayText(date: DateTime, count: number, locale: string): string {
  return count <= 2 ? pad(weekOf(date, weekRuleOf(locale)).day, count) : weekdayText(date, count, locale);
}

function widthOf(count: number): "short" | "long" | "narrow" {
  return count <= 3 ? "short" : count === 4 ? "long" : "narrow";
}

function quarterText(month: number, count: number, locale: string): string {
  const quarter = Math.ceil(month / 3);
  if (count === 3 || count === 4) return quarterName(quarter, count === 3 ? "short" : "long", locale);
  return count <= 2 ? pad(quarter, count) : String(quarter);
}

function secondOfDay({ hour, minute, second }: DateTime): number {
  return hour * 3600 + minute * 60 + second;
}

function fraction(digits: string): string {
  return digits === "" ? "" : `.${digits}`;
}

/** `X` +02, `XX` +0200, `XXX` +02:00; a single letter omits minutes of 0. */
function offsetOf(offsetSeconds: number, count: number): string {
  const text = offsetText(offsetSeconds, count === 3 || count === 5 ? ":" : "");
  return count === 1 && text.endsWith("00") && text.length === 5 ? text.slice(0, 3) : text;
}

function gmtText(offsetSeconds: number, isLong: boolean): string {
  if (offsetSeconds === 0) return "GMT";
  const text = offsetText(offsetSeconds, ":");
  return `GMT${isLong ? text : text.replace(/^(.)0/, "$1").replace(/:00$/, "")}`;
}

function zuluText({ offsetSeconds }: DateTime, count: number): string {
  if (count === 4) return gmtText(offsetSeconds, true);
  if (count === 5) return offsetSeconds === 0 ? "Z" : offsetText(offsetSeconds, ":");
  return offsetText(offsetSeconds, "");
}
