/** Names of months, weekdays, day periods and zones in a locale, from the platform's Intl. */
import { fail } from "../values/mod.ts";
import type { DateTime } from "./date_time.ts";

type Width = "short" | "long" | "narrow";

/** Creating a formatter takes 50 µs. */
const MAX_KEPT_FORMATTERS = 64;
const keptFormatters = new Map<string, Intl.DateTimeFormat>();
const MONTH_START = (month: number) => Date.UTC(2001, month - 1, 15);
/** Monday 2001-01-01. */
const MONDAY = Date.UTC(2001, 0, 1);
/** Locales with short zone names of their region. */
const ZONE_LOCALES = ["en-US", "en-GB", "en-AU", "en-IN"];
const ZONE_ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ["Asia/Tokyo", "JST"],
  ["Asia/Seoul", "KST"],
  ["Asia/Shanghai", "CST"],
  ["Asia/Hong_Kong", "HKT"],
  ["Asia/Singapore", "SGT"],
  ["Europe/Moscow", "MSK"],
]);

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const kept = keptFormatters.get(key);
  if (kept) return kept;
  const made = makeFormatter(locale, options);
  if (keptFormatters.size >= MAX_KEPT_FORMATTERS) keptFormatters.clear();
  keptFormatters.set(key, made);
  return made;
}

function makeFormatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale.replaceAll("_", "-"), options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail("argument", `Unknown locale "${locale}"`);
  }
}

function part(type: Intl.DateTimeFormatPartTypes, ms: number, format: Intl.DateTimeFormat): string {
  return format.formatToParts(ms).find((candidate) => candidate.type === type)?.value ?? "";
}

/** The name of a month, from 1, as used with a day. */
export function monthName(month: number, width: Width, locale: string): string {
  return part(
    "month",
    MONTH_START(month),
    formatter(locale, { month: width, day: "numeric", timeZone: "UTC" }),
  );
}

/** The name of a month, from 1, as used alone. */
export function standaloneMonthName(month: number, width: Width, locale: string): string {
  return part("month", MONTH_START(month), formatter(locale, { month: width, timeZone: "UTC" }));
}

/** The name of the era of a year; year 0 precedes year 1. */
export function eraName(year: number, width: Width, locale: string): string {
  const ms = new Date(0).setUTCFullYear(year > 0 ? 2001 : -1);
  return part("era", ms, formatter(locale, { era: width, year: "numeric", timeZone: "UTC" }));
}

/** The part of the day, such as `in the afternoon`. */
export function dayPeriodName(hour: number, width: Width, locale: string): string {
  const format = formatter(locale, { hour: "numeric", hour12: true, dayPeriod: width, timeZone: "UTC" });
  return part("dayPeriod", MONDAY + hour * 3_600_000, format);
}

/** The name of a weekday, 1 = Monday. */
export function weekdayName(weekday: number, width: Width, locale: string): string {
  const ms = MONDAY + (weekday - 1) * 86_400_000;
  return part("weekday", ms, formatter(locale, { weekday: width, timeZone: "UTC" }));
}

/** `AM` or `PM` in the locale. */
export function periodName(hour: number, locale: string): string {
  const format = formatter(locale, { hour: "numeric", hour12: true, timeZone: "UTC" });
  return part("dayPeriod", MONDAY + hour * 3_600_000, format) || (hour < 12 ? "AM" : "PM");
}

/** The name of the zone without season: `PT`; long, `Pacific Time`. */
export function genericZoneName({ zone, epochSeconds }: DateTime, isLong: boolean, locale: string): string {
  if (!zone.isRegion) return zone.id;
  const timeZoneName = isLong ? "longGeneric" : "shortGeneric";
  return part("timeZoneName", epochSeconds * 1000, formatter(locale, { timeZone: zone.id, timeZoneName }));
}

/** The name of the zone of a date: `UTC`, `EST`, `CEST`; long, `Central European Summer Time`. */
export function zoneName({ zone, epochSeconds }: DateTime, isLong: boolean, locale: string): string {
  if (!zone.isRegion) return zone.id;
  const timeZoneName = isLong ? "long" : "short";
  const name = (language: string) =>
    part("timeZoneName", epochSeconds * 1000, formatter(language, { timeZone: zone.id, timeZoneName }));
  if (isLong) return name(locale);
  const candidates = ZONE_LOCALES.map(name);
  return ZONE_ABBREVIATIONS.get(zone.id) ?? candidates.find((text) => !/^(?:GMT|UTC)[+-]/.test(text)) ??
    name(locale);
}

/** Date and time in a style of the locale, with plain spaces. */
export function styledText(
  date: DateTime,
  style: "full" | "long" | "medium" | "short",
  locale: string,
): string {
  const timeZone = date.zone.id === "Z" ? "UTC" : date.zone.id;
  const format = formatter(locale, { dateStyle: style, timeStyle: style, timeZone });
  return format.formatToParts(date.epochSeconds * 1000).map(({ type, value }) =>
    type === "timeZoneName" ? zoneName(date, style === "full", locale) : value
  ).join("").replace(/[\u202f\u00a0\u2009]/g, " ");
}

/** Quarters by language: the platform has no names for them. */
interface QuarterNames {
  readonly short: (quarter: number) => string;
  readonly long: (quarter: number) => string;
}

function letter(prefix: string): QuarterNames["short"] {
  return (quarter) => prefix + quarter;
}

function listed(...names: string[]): QuarterNames["long"] {
  return (quarter) => names[quarter - 1] ?? "";
}

const ENGLISH: QuarterNames = {
  short: letter("Q"),
  long: listed("1st quarter", "2nd quarter", "3rd quarter", "4th quarter"),
};

const NAMES: ReadonlyMap<string, QuarterNames> = new Map([
  ["de", { short: letter("Q"), long: (quarter) => `${quarter}. Quartal` }],
  ["es", {
    short: letter("T"),
    long: listed("1.er trimestre", "2.º trimestre", "3.er trimestre", "4.º trimestre"),
  }],
  ["fr", {
    short: letter("T"),
    long: listed("1er trimestre", "2e trimestre", "3e trimestre", "4e trimestre"),
  }],
  ["it", { short: letter("T"), long: (quarter) => `${quarter}º trimestre` }],
  ["ja", { short: letter("Q"), long: (quarter) => `第${quarter}四半期` }],
  ["nl", { short: letter("K"), long: (quarter) => `${quarter}e kwartaal` }],
  ["pt", { short: letter("T"), long: (quarter) => `${quarter}º trimestre` }],
]);

/** The name of a quarter, from 1; in English where the language is not listed. */
export function quarterName(quarter: number, width: "short" | "long", locale: string): string {
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? "";
  return (NAMES.get(language) ?? ENGLISH)[width](quarter);
}
