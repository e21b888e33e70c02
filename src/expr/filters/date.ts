/** Filters on dates: format, add, time since the epoch. */
import { Double, type JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import {
  addUnits,
  type DateTime,
  dateTimeAt,
  findFormat,
  findZone,
  formatDate,
  formatSteps,
  inZone,
  parseDateBy,
  parseIsoDate,
  type Zone,
} from "../../languages/dates/mod.ts";
import { type Arguments, type Filter, type FilterEntry, integerArgument, textArgument } from "../entry.ts";
import { fail, isInteger, kindOf, toInteger } from "../../languages/values/mod.ts";

const DATE_PARAMETERS = ["format", "timeZone", "existingFormat", "locale"];
const DEFAULT_FORMAT = "iso";
const DEFAULT_LOCALE = "en-US";
/** Longer than every locale that the platform knows; it takes 0.4 s to look for one of 180,000 characters. */
const MAX_LOCALE_LENGTH = 200;
const WHOLE_NUMBER = /^[-+]?\d{1,15}$/;

/** Filters on dates; null stays null. */
export const DATE_FILTERS: readonly FilterEntry[] = [
  ["date", {
    parameters: DATE_PARAMETERS,
    apply: (input, args, context) => input === null ? null : date(input, args, context),
  }],
  ["dateAdd", { parameters: ["amount", "unit", ...DATE_PARAMETERS], required: 2, apply: dateAdd }],
  ["timestamp", timestamp(({ epochSeconds }) => epochSeconds)],
  ["timestampMilli", timestamp((moment) => Number(nanosOf(moment) / 1_000_000n))],
  ["timestampMicro", timestamp((moment) => toInteger(nanosOf(moment) / 1000n))],
  ["timestampNano", timestamp((moment) => toInteger(nanosOf(moment)))],
];

/** The current time as text; the arguments are those of `date`. */
export function nowText(args: Arguments, context: Context): string {
  const { now } = context.scope;
  const nanos = (((now % 1000) + 1000) % 1000) * 1_000_000;
  return printDate(dateTimeAt(Math.floor(now / 1000), nanos, zoneOf(args[1], context)), args, context);
}

function zoneOf(value: JsonValue | undefined, context: Context): Zone {
  return findZone(textArgument(value, "timeZone", context.scope.timeZone));
}

function localeOf(value: JsonValue | undefined): string {
  const locale = textArgument(value, "locale", DEFAULT_LOCALE);
  return locale.length <= MAX_LOCALE_LENGTH ? locale : fail("argument", "Cannot use a locale that long");
}

/** Prints by the arguments of `date`. */
function printDate(moment: DateTime, args: Arguments, context: Context): string {
  const format = findFormat(textArgument(args[0], "format", DEFAULT_FORMAT));
  context.spend(formatSteps(format));
  return formatDate(moment, format, localeOf(args[3]));
}

interface Reading {
  /** The zone of a date that names none. */
  readonly zone: Zone;
  readonly existingFormat: JsonValue | undefined;
  readonly locale: JsonValue | undefined;
}

/** The date of epoch seconds or a text. @throws ExpressionError `type`, `argument` */
function readDate(input: JsonValue, { zone, existingFormat, locale }: Reading, context: Context): DateTime {
  if (isInteger(input)) return dateTimeAt(Number(input), 0, zone);
  if (input instanceof Double) {
    const seconds = Math.floor(input.value);
    return dateTimeAt(seconds, Math.round((input.value - seconds) * 1e9) % 1e9, zone);
  }
  if (typeof input !== "string") return fail("type", `Cannot read ${kindOf(input)} as a date`);
  if (existingFormat === undefined || existingFormat === null) return parseIsoDate(input, zone);
  const format = findFormat(textArgument(existingFormat, "existingFormat"));
  context.spend(formatSteps(format, true));
  return parseDateBy(input, format, { zone, locale: localeOf(locale) });
}

function date(input: JsonValue, args: Arguments, context: Context): JsonValue {
  const [, timeZone, existingFormat, locale] = args;
  const zone = zoneOf(timeZone, context);
  return printDate(inZone(zone, readDate(input, { zone, existingFormat, locale }, context)), args, context);
}

function dateAdd(input: JsonValue, args: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  const [, , , timeZone, existingFormat, locale] = args;
  const amount = amountOf(args[0]);
  const zone = zoneOf(timeZone, context);
  // A date is added to in its own zone, which decides where a month ends; the other zone is for printing.
  const moment = readDate(input, { zone, existingFormat, locale }, context);
  return printDate(
    inZone(zone, addUnits(moment, amount, textArgument(args[1], "unit"))),
    args.slice(2),
    context,
  );
}

/** An amount may be written as text. @throws ExpressionError `argument` */
function amountOf(value: JsonValue | undefined): number {
  const isText = typeof value === "string" && WHOLE_NUMBER.test(value);
  return integerArgument(isText ? Number(value) : value, "amount");
}

function nanosOf({ epochSeconds, nanos }: DateTime): bigint {
  return BigInt(epochSeconds) * 1_000_000_000n + BigInt(nanos);
}

function timestamp(count: (moment: DateTime) => number | bigint): Filter {
  return {
    classOf: (input) => input === null ? null : "java.lang.Long",
    parameters: ["timeZone", "existingFormat"],
    apply(input, [timeZone, existingFormat], context) {
      if (input === null) return null;
      const zone = zoneOf(timeZone, context);
      return count(readDate(input, { zone, existingFormat, locale: undefined }, context));
    },
  };
}
