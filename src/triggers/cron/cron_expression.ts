/** Cron expressions: their text, and which local times they mean. */

/** Which times a cron expression means; each set holds the values in ascending order. */
export interface CronExpression {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Days of the month, 1 to 31. */
  readonly days: ReadonlySet<number>;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Days of the month and of the week are both restricted: one of them is enough. */
  readonly isEitherDay: boolean;
  /** The hours are not restricted: it means a rhythm, not times of the day. */
  readonly isEveryHour: boolean;
}

interface Field {
  readonly low: number;
  readonly high: number;
  /** Names of the values, from `low` on. */
  readonly names?: readonly string[];
}

const SECONDS: Field = { low: 0, high: 59 };
const FIELDS: readonly Field[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  {
    low: 1,
    high: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  { low: 0, high: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
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

/** The expression of a text: five fields, six when it begins with seconds, or a nickname. @throws Error it means nothing */
export function parseCron(text: string, withSeconds = false): CronExpression {
  const nickname = NICKNAMES.get(text.trim());
  const parts = (nickname ?? text).trim().split(/\s+/);
  if (nickname !== undefined || !withSeconds) parts.unshift("0");
  if (parts.length !== FIELDS.length + 1) throw invalid(text, `it has ${parts.length} fields`);
  const sets = [SECONDS, ...FIELDS].map((field, index) => valuesOf(parts[index] ?? "", field, text));
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

function valuesOf(text: string, field: Field, cron: string): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const { from, to, step } = rangeOf(item, field, cron);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

/** `*`, a value or a range, each with an optional step; a value with a step goes on to the end. */
function rangeOf(item: string, field: Field, cron: string): { from: number; to: number; step: number } {
  const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(item);
  const [, low = "", high, stepText] = match ?? [];
  const step = Number(stepText ?? 1);
  if (!match || step < 1) throw invalid(cron, `"${item}" cannot be used`);
  if (low === "*") {
    if (high !== undefined) throw invalid(cron, `"${item}" cannot be used`);
    return { from: field.low, to: field.high === SUNDAY ? SUNDAY - 1 : field.high, step };
  }
  const from = valueOf(low, field, cron);
  const last = field.high === SUNDAY ? SUNDAY - 1 : field.high;
  const end = stepText === undefined ? from : Math.max(from, last);
  const to = high === undefined ? end : valueOf(high, field, cron);
  if (to < from) throw invalid(cron, `"${item}" ends before it begins`);
  return { from, to, step };
}

function valueOf(text: string, { low, high, names = [] }: Field, cron: string): number {
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return low + index;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  if (value >= low && value <= high) return value;
  throw invalid(cron, `"${text}" cannot be used`);
}

function invalid(cron: string, reason: string): Error {
  return new Error(`Invalid cron expression "${cron}": ${reason}`);
}
