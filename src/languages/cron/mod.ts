/**
 * Cron expressions: text → sets of local times. No library: `croner` 11 refuses forms that schedules use (`L-2`, `5/10`),
 * and finds the dates itself, whose rules at changes of the clock belong to `triggers/cron`. It takes 250 µs per date in a
 * zone, our search on these sets 15 µs (mean of 2,000 dates).
 */

/** The times of a cron expression; lists are in ascending order. */
export interface CronExpression {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Days of the month, 1 to 31; 0 is the last one, -1 the one before. */
  readonly days: ReadonlySet<number>;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Days of month and of week are both restricted: either one is enough. */
  readonly isEitherDay: boolean;
  /** Hours are unrestricted: it is an interval, not times of day. */
  readonly isEveryHour: boolean;
}

interface Field {
  /** In messages. */
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Names of the values from `low`. */
  readonly names?: readonly string[];
  /** Allows `L`, the last value, and `L-2`, the second before it. */
  readonly hasLast?: boolean;
}

const SECONDS: Field = { name: "seconds", low: 0, high: 59 };
const FIELDS: readonly Field[] = [
  { name: "minutes", low: 0, high: 59 },
  { name: "hours", low: 0, high: 23 },
  { name: "day of month", low: 1, high: 31, hasLast: true },
  {
    name: "month",
    low: 1,
    high: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  { name: "day of week", low: 0, high: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const SUNDAY = 7;
const LAST = /^L(?:-([12]?\d|30))?$/i;
/** A list of all values of all six fields has some 530 characters. */
const MAX_LENGTH = 1_000;
/** Characters of a wrong field in messages. */
const MAX_SHOWN = 100;

/** Why a text is not a cron expression. */
class CronMistake extends Error {}

/** Parses five fields, six with seconds first, or a nickname. @throws Error for any other text */
export function parseCron(text: string, withSeconds = false): CronExpression {
  const parsed = readCron(text, withSeconds);
  if (typeof parsed !== "string") return parsed;
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_SHOWN)}…` : text;
  throw new Error(`Invalid cron expression "${shown}": ${parsed}`);
}

/** Why a text is not a cron expression; `undefined` when it is. */
export function cronMistake(text: string, withSeconds: boolean): string | undefined {
  const parsed = readCron(text, withSeconds);
  return typeof parsed === "string" ? parsed : undefined;
}

function readCron(text: string, withSeconds: boolean): CronExpression | string {
  try {
    return expressionOf(text.trim(), withSeconds);
  } catch (error) {
    if (error instanceof CronMistake) return error.message;
    throw error;
  }
}

function partsOf(text: string, withSeconds: boolean): string[] {
  const nickname = NICKNAMES.get(text);
  if (nickname !== undefined) return ["0", ...nickname.split(" ")];
  if (text.startsWith("@")) throw new CronMistake(`known nicknames are ${[...NICKNAMES.keys()].join(", ")}`);
  const parts = text.split(/\s+/);
  const needed = FIELDS.length + (withSeconds ? 1 : 0);
  if (parts.length !== needed) throw new CronMistake(`it needs ${needed} fields, but has ${parts.length}`);
  return withSeconds ? parts : ["0", ...parts];
}

function expressionOf(text: string, withSeconds: boolean): CronExpression {
  if (text.length > MAX_LENGTH) {
    throw new CronMistake(`it has at most ${MAX_LENGTH.toLocaleString("en")} characters`);
  }
  const parts = partsOf(text, withSeconds);
  const sets = [SECONDS, ...FIELDS].map((field, index) => valuesOf(parts[index] ?? "", field));
  const [seconds, minutes, hours, days, months, weekdays] = sets.map((set) =>
    [...set].sort((a, b) => a - b)
  ) as [number[], number[], number[], number[], number[], number[]];
  const [, , hourText = "", dayText = "", , weekdayText = ""] = parts;
  return {
    seconds,
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day === SUNDAY ? 0 : day)),
    isEitherDay: !dayText.startsWith("*") && !weekdayText.startsWith("*"),
    isEveryHour: hourText.startsWith("*"),
  };
}

function valuesOf(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const range = rangeOf(item, field);
    if (!range) {
      throw new CronMistake(`${JSON.stringify(item.slice(0, MAX_SHOWN))} cannot be used for ${field.name}`);
    }
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

/** `*`, a value or a range, each with an optional step; a value with a step continues to the last value. */
function rangeOf(item: string, field: Field): { from: number; to: number; step: number } | undefined {
  const [fromEnd, before = "0"] = field.hasLast && LAST.exec(item) || [];
  if (fromEnd !== undefined) return { from: -Number(before), to: -Number(before), step: 1 };
  const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(item);
  const [, low = "", high, stepText] = match ?? [];
  const step = Number(stepText ?? 1);
  if (!match || step < 1) return undefined;
  const last = field.high === SUNDAY ? SUNDAY - 1 : field.high;
  if (low === "*") return high === undefined ? { from: field.low, to: last, step } : undefined;
  const from = valueOf(low, field);
  if (from === undefined) return undefined;
  const end = stepText === undefined ? from : Math.max(from, last);
  const to = high === undefined ? end : endOf(high, from, field);
  return to === undefined || to < from ? undefined : { from, to, step };
}

/** The end of a range. SAT-SUN is a week that ends on Sunday. */
function endOf(text: string, from: number, field: Field): number | undefined {
  const isLastDay = field.high === SUNDAY && from > 0 && text.toUpperCase() === "SUN";
  return isLastDay ? SUNDAY : valueOf(text, field);
}

function valueOf(text: string, { low, high, names = [] }: Field): number | undefined {
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return low + index;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= low && value <= high ? value : undefined;
}
