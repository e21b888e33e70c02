/** Cron expressions and time zones of schedules, as far as they can be told wrong without running them. */
import { type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { describeValue, readFlag, scalarText } from "./describe.ts";
import type { Path } from "./parse.ts";
import { hasExpression, type Report } from "./report.ts";

const NICKNAMES: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** One field of a cron expression. */
interface Field {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Names of the values, from `low` on. */
  readonly names?: readonly string[];
}

const SECONDS: Field = { name: "seconds", low: 0, high: 59 };
const FIELDS: readonly Field[] = [
  { name: "minutes", low: 0, high: 59 },
  { name: "hours", low: 0, high: 23 },
  { name: "day of month", low: 1, high: 31 },
  {
    name: "month",
    low: 1,
    high: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  { name: "day of week", low: 0, high: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];

const ZONE_OFFSET = /^(?:Z|(?:UTC|GMT|UT)?[+-](?:0?\d|1[0-8])(?::?[0-5]\d)?)$/;

/** Reports what is wrong with the cron expression and the zone of a schedule. */
export function checkSchedule(trigger: JsonObject, path: Path, report: Report): void {
  const cron = ownProperty(trigger, "cron");
  if (typeof cron === "string" && !hasExpression(cron)) {
    const mistake = cronMistake(cron, readFlag(ownProperty(trigger, "withSeconds"), false));
    const message = `invalid cron expression ${describeValue(cron)}: ${mistake}`;
    if (mistake !== undefined) report.error("bad_cron", [...path, "cron"], message);
  }
  checkZone(ownProperty(trigger, "timezone"), [...path, "timezone"], report);
}

/** Reports a time zone that does not exist. */
export function checkZone(value: JsonValue | undefined, path: Path, report: Report): void {
  const zone = scalarText(value);
  if (zone === undefined || hasExpression(zone) || isZone(zone)) return;
  report.error("bad_zone", path, `${describeValue(zone)} is not a valid time-zone ID`);
}

function isZone(zone: string): boolean {
  if (ZONE_OFFSET.test(zone)) return true;
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Why a cron expression means nothing; `undefined` when it does. */
export function cronMistake(cron: string, withSeconds: boolean): string | undefined {
  const text = cron.trim();
  if (text.startsWith("@")) {
    const known = [...NICKNAMES].join(", ");
    return NICKNAMES.has(text) ? undefined : `known nicknames are ${known}`;
  }
  const fields = withSeconds ? [SECONDS, ...FIELDS] : FIELDS;
  const parts = text.split(/\s+/);
  if (parts.length !== fields.length) return `it needs ${fields.length} fields, but has ${parts.length}`;
  for (const [index, field] of fields.entries()) {
    const wrong = (parts[index] ?? "").split(",").find((item) => !isItem(item, field));
    if (wrong !== undefined) return `${describeValue(wrong)} cannot be used for ${field.name}`;
  }
  return undefined;
}

/** `*`, a value or a range, each with an optional step. */
function isItem(item: string, field: Field): boolean {
  const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(item);
  if (!match) return false;
  const [, from = "", to, step] = match;
  if (step !== undefined && Number(step) < 1) return false;
  if (from === "*") return to === undefined;
  const low = valueOf(from, field), high = to === undefined ? low : valueOf(to, field);
  return low !== undefined && high !== undefined && low <= high;
}

function valueOf(text: string, { low, high, names = [] }: Field): number | undefined {
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return low + index;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= low && value <= high ? value : undefined;
}
