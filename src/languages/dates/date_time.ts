/** Dates with a zone: fields and arithmetic. */
import { daysInMonth, epochDays } from "../../base/time/iso_8601.ts";
import { fail } from "../values/mod.ts";
import { epochSecondsOf, type Zone } from "./zone.ts";

/** A local date and time; months count from 1. */
export interface LocalFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** An instant in a zone. */
export interface DateTime extends LocalFields {
  readonly epochSeconds: number;
  readonly nanos: number;
  readonly zone: Zone;
  readonly offsetSeconds: number;
}

const DAY_SECONDS = 86_400;
const NANOS = 1_000_000_000n;
/** The platform's range is 100,000,000 days either side of 1970; one day is reserved for zone offsets. */
const MAX_SECONDS = 8_639_999_913_600;

/** The date at an instant, in a zone. @throws ExpressionError `argument` beyond the years ±271,000 */
export function dateTimeAt(epochSeconds: number, nanos: number, zone: Zone): DateTime {
  if (!(Math.abs(epochSeconds) <= MAX_SECONDS)) fail("argument", "Cannot use a date that far away");
  const offsetSeconds = zone.offsetAt(epochSeconds);
  return { ...localFields(epochSeconds + offsetSeconds), epochSeconds, nanos, zone, offsetSeconds };
}

/** The same instant in a zone. */
export function inZone(zone: Zone, date: DateTime): DateTime {
  return date.zone === zone ? date : dateTimeAt(date.epochSeconds, date.nanos, zone);
}

/** The date of a local time in a zone. @throws ExpressionError `argument` */
export function dateTimeOf(fields: LocalFields, nanos: number, zone: Zone): DateTime {
  const local = localSeconds(fields);
  if (!(Math.abs(local) <= MAX_SECONDS)) fail("argument", "Cannot use a date that far away");
  return dateTimeAt(epochSecondsOf(local, zone), nanos, zone);
}

function localSeconds({ year, month, day, hour, minute, second }: LocalFields): number {
  return epochDays(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
}

function localFields(seconds: number): LocalFields {
  const date = new Date(seconds * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

type Unit =
  | { readonly kind: "nanos"; readonly size: bigint }
  | { readonly kind: "days" | "months"; readonly size: number };

const clock = (seconds: bigint): Unit => ({ kind: "nanos", size: seconds * NANOS });
const UNITS: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ["NANOS", { kind: "nanos", size: 1n }],
  ["MICROS", { kind: "nanos", size: 1000n }],
  ["MILLIS", { kind: "nanos", size: 1_000_000n }],
  ["SECONDS", clock(1n)],
  ["MINUTES", clock(60n)],
  ["HOURS", clock(3600n)],
  ["HALF_DAYS", clock(43_200n)],
  ["DAYS", { kind: "days", size: 1 }],
  ["WEEKS", { kind: "days", size: 7 }],
  ["MONTHS", { kind: "months", size: 1 }],
  ["YEARS", { kind: "months", size: 12 }],
  ["DECADES", { kind: "months", size: 120 }],
  ["CENTURIES", { kind: "months", size: 1200 }],
  ["MILLENNIA", { kind: "months", size: 12_000 }],
]);

/**
 * The date plus an amount. Days and longer units keep the local time; months and years keep the day, or use the last one of
 * the month; shorter units count elapsed time. @throws ExpressionError `argument`
 */
export function addUnits(date: DateTime, amount: number, unitName: string): DateTime {
  const unit = UNITS.get(unitName);
  if (!unit) return fail("argument", `Unknown unit "${unitName}": units are ${[...UNITS.keys()].join(", ")}`);
  if (unit.kind === "nanos") {
    const total = BigInt(date.nanos) + BigInt(amount) * unit.size;
    const nanos = Number(((total % NANOS) + NANOS) % NANOS);
    const seconds = Number((total - BigInt(nanos)) / NANOS);
    return dateTimeAt(date.epochSeconds + seconds, nanos, date.zone);
  }
  const count = amount * unit.size;
  if (Math.abs(count) > DAY_SECONDS * 1200) fail("argument", "Cannot use a date that far away");
  if (unit.kind === "days") return dateTimeOf({ ...date, day: date.day + count }, date.nanos, date.zone);
  const months = date.year * 12 + date.month - 1 + count;
  const year = Math.floor(months / 12), month = months - year * 12 + 1;
  const day = Math.min(date.day, daysInMonth(year, month));
  return dateTimeOf({ ...date, year, month, day }, date.nanos, date.zone);
}
