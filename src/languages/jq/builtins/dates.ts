/** Dates of jq: seconds since the epoch, and broken-down times `[year, month from 0, day, hour, minute, second, weekday, day of year]`. UTC only. */
import { Double, type JsonValue } from "../../../base/json.ts";
import { isNumber, toFloat } from "../../values/mod.ts";
import type { Machine } from "../code.ts";
import { raise } from "../errors.ts";
import { describe, fromFloat } from "../values.ts";
import { type FunctionEntry, textOf } from "./entry.ts";
import { parseByFormat, printByFormat } from "./date_format.ts";

const DAY_MS = 86_400_000;
/** Fields of a broken-down time that determine the instant. */
const FIELD_COUNT = 6;
/** The platform's limit. */
const MAX_MS = 8.64e15;

/** Functions on dates. */
export const DATE_FUNCTIONS: readonly FunctionEntry[] = [
  ["gmtime/0", (value) => brokenDown(secondsOf(value, "gmtime"))],
  ["localtime/0", (value) => brokenDown(secondsOf(value, "localtime"))],
  ["mktime/0", (value) => makeTime(value)],
  ["strftime/1", (value, [format = null], machine) => print(value, counted(format, machine), "strftime")],
  [
    "strflocaltime/1",
    (value, [format = null], machine) => print(value, counted(format, machine), "strflocaltime"),
  ],
  ["strptime/1", (value, [format = null], machine) => parse(value, counted(format, machine))],
];

/** Counts the length of a format; a directive prints some ten characters. */
function counted(format: JsonValue, machine: Machine): JsonValue {
  if (typeof format === "string") machine.spendText(format.length * 8);
  return format;
}

function secondsOf(value: JsonValue, name: string): number {
  if (!isNumber(value)) return raise(`${name}() requires a number`);
  const seconds = toFloat(value);
  return Math.abs(seconds * 1000) <= MAX_MS
    ? seconds
    : raise(`error converting number of seconds since epoch to datetime`);
}

function brokenDown(seconds: number): JsonValue[] {
  const whole = Math.floor(seconds);
  const date = new Date(whole * 1000);
  const fraction = seconds - whole;
  const second = date.getUTCSeconds();
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    fraction === 0 ? second : new Double(second + fraction),
    date.getUTCDay(),
    dayOfYear(date),
  ];
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / DAY_MS);
}

/** The instant of a broken-down time; fields out of range carry over. */
function instantOf(value: JsonValue, name: string): Date {
  if (!Array.isArray(value)) return raise(`${name} requires array inputs`);
  const fields = value.slice(0, FIELD_COUNT).map((field) =>
    isNumber(field) ? Math.floor(toFloat(field)) : NaN
  );
  const [year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN] = fields;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second);
  return Number.isNaN(date.getTime()) ? raise(`${name} requires parsed datetime inputs`) : date;
}

function makeTime(value: JsonValue): JsonValue {
  return fromFloat(Math.floor(instantOf(value, "mktime").getTime() / 1000));
}

function print(value: JsonValue, format: JsonValue, name: string): JsonValue {
  const time = isNumber(value) ? brokenDown(secondsOf(value, name)) : value;
  if (!Array.isArray(time)) return raise(`${name}/1 requires parsed datetime inputs`);
  const pattern = textOf(format, `${name}/1 requires a string format`);
  return printByFormat(instantOf(time, `${name}/1`), pattern);
}

function parse(value: JsonValue, format: JsonValue): JsonValue {
  const text = textOf(value, `strptime/1 requires string inputs and arguments`);
  const pattern = textOf(format, `${describe(format)} strptime/1 requires a string format`);
  const fields = parseByFormat(text, pattern);
  if (!fields) return raise(`date "${text.slice(0, 100)}" does not match format "${pattern.slice(0, 100)}"`);
  if (fields.epochSeconds !== undefined) return brokenDown(fields.epochSeconds);
  const date = new Date(0);
  if (fields.dayOfYear === undefined) {
    date.setUTCFullYear(fields.year ?? 1900, fields.month ?? 0, fields.day ?? 1);
  } else date.setUTCFullYear(fields.year ?? 1900, 0, fields.dayOfYear);
  return [
    fields.year ?? 1900,
    date.getUTCMonth(),
    date.getUTCDate(),
    fields.hour ?? 0,
    fields.minute ?? 0,
    fields.second ?? 0,
    date.getUTCDay(),
    dayOfYear(date),
  ];
}
