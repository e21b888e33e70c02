/** Date formats of C, `%Y-%m-%d`: printing and reading, in UTC and English. */
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_MS = 86_400_000;

/** Directives that combine others. */
const COMPOSED: ReadonlyMap<string, string> = new Map([
  ["c", "%a %b %e %H:%M:%S %Y"],
  ["D", "%m/%d/%y"],
  ["F", "%Y-%m-%d"],
  ["r", "%I:%M:%S %p"],
  ["R", "%H:%M"],
  ["T", "%H:%M:%S"],
  ["x", "%m/%d/%y"],
  ["X", "%H:%M:%S"],
]);

type Print = (date: Date) => string;

const two = (value: number): string => String(value).padStart(2, "0");
const spaced = (value: number): string => String(value).padStart(2, " ");
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;

const PRINTERS: ReadonlyMap<string, Print> = new Map<string, Print>([
  ["%", () => "%"],
  ["n", () => "\n"],
  ["t", () => "\t"],
  ["Y", (date) => String(date.getUTCFullYear())],
  ["C", (date) => two(Math.floor(date.getUTCFullYear() / 100))],
  ["y", (date) => two(((date.getUTCFullYear() % 100) + 100) % 100)],
  ["m", (date) => two(date.getUTCMonth() + 1)],
  ["B", (date) => MONTHS[date.getUTCMonth()] ?? ""],
  ["b", (date) => MONTHS[date.getUTCMonth()]?.slice(0, 3) ?? ""],
  ["h", (date) => MONTHS[date.getUTCMonth()]?.slice(0, 3) ?? ""],
  ["d", (date) => two(date.getUTCDate())],
  ["e", (date) => spaced(date.getUTCDate())],
  ["j", (date) => String(dayOfYear(date) + 1).padStart(3, "0")],
  ["A", (date) => DAYS[date.getUTCDay()] ?? ""],
  ["a", (date) => DAYS[date.getUTCDay()]?.slice(0, 3) ?? ""],
  ["u", (date) => String(date.getUTCDay() || 7)],
  ["w", (date) => String(date.getUTCDay())],
  ["U", (date) => two(Math.floor((dayOfYear(date) + 7 - date.getUTCDay()) / 7))],
  ["W", (date) => two(Math.floor((dayOfYear(date) + 7 - (date.getUTCDay() + 6) % 7) / 7))],
  ["V", (date) => two(isoWeek(date).week)],
  ["G", (date) => String(isoWeek(date).year)],
  ["g", (date) => two(isoWeek(date).year % 100)],
  ["H", (date) => two(date.getUTCHours())],
  ["k", (date) => spaced(date.getUTCHours())],
  ["I", (date) => two(hour12(date))],
  ["l", (date) => spaced(hour12(date))],
  ["M", (date) => two(date.getUTCMinutes())],
  ["S", (date) => two(date.getUTCSeconds())],
  ["p", (date) => date.getUTCHours() < 12 ? "AM" : "PM"],
  ["P", (date) => date.getUTCHours() < 12 ? "am" : "pm"],
  ["s", (date) => String(Math.floor(date.getTime() / 1000))],
  ["Z", () => "UTC"],
  ["z", () => "+0000"],
]);

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);
}

/** The ISO week: the year is that of its Thursday. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getTime() + (3 - (date.getUTCDay() + 6) % 7) * DAY_MS);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

/** The date in that format; unknown directives are printed as they are. */
export function printByFormat(date: Date, format: string): string {
  return expanded(format).replace(
    /%[-_0^#EO]?([^])/g,
    (text, directive) => PRINTERS.get(directive)?.(date) ?? text,
  );
}

function expanded(format: string): string {
  return format.replace(/%([^])/g, (text, directive) => COMPOSED.get(directive) ?? text);
}

/** Fields of a parsed date; months count from 0. */
interface ParsedFields {
  year?: number;
  month?: number;
  day?: number;
  dayOfYear?: number;
  hour?: number;
  minute?: number;
  second?: number;
  epochSeconds?: number;
  isAfternoon?: boolean;
}

interface Reader {
  readonly pattern: RegExp;
  read(fields: ParsedFields, text: string): boolean;
}

function digits(
  most: number,
  [low, high]: readonly [number, number],
  set: (fields: ParsedFields, value: number) => void,
): Reader {
  return {
    pattern: new RegExp(`\\s*([+-]?\\d{1,${most}})`, "y"),
    read(fields, text) {
      const value = Number(text);
      if (value < low || value > high) return false;
      set(fields, value);
      return true;
    },
  };
}

function named(names: readonly string[], set: (fields: ParsedFields, index: number) => void): Reader {
  const words = names.flatMap((name) => [name, name.slice(0, 3)]);
  return {
    pattern: new RegExp(`(${words.join("|")})`, "iy"),
    read(fields, text) {
      set(
        fields,
        names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()),
      );
      return true;
    },
  };
}

const MONTH = named(MONTHS, (fields, index) => fields.month = index);
const WEEKDAY = named(DAYS, () => {});
const DAY = digits(2, [1, 31], (fields, value) => fields.day = value);
const HOUR = digits(2, [0, 23], (fields, value) => fields.hour = value);
const HOUR12 = digits(2, [1, 12], (fields, value) => fields.hour = value);
const AFTERNOON: Reader = {
  pattern: /([AaPp][Mm])/y,
  read(fields, text) {
    fields.isAfternoon = /^p/i.test(text);
    return true;
  },
};
const ZONE_NAME: Reader = { pattern: /([A-Za-z]+)/y, read: () => true };
const OFFSET: Reader = { pattern: /(Z|[+-]\d{2}:?\d{2})/y, read: () => true };

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["Y", digits(4, [0, 9999], (fields, value) => fields.year = value)],
  ["y", digits(2, [0, 99], (fields, value) => fields.year = value + (value < 69 ? 2000 : 1900))],
  ["m", digits(2, [1, 12], (fields, value) => fields.month = value - 1)],
  ["d", DAY],
  ["e", DAY],
  ["j", digits(3, [1, 366], (fields, value) => fields.dayOfYear = value)],
  ["H", HOUR],
  ["k", HOUR],
  ["I", HOUR12],
  ["l", HOUR12],
  ["M", digits(2, [0, 59], (fields, value) => fields.minute = value)],
  ["S", digits(2, [0, 61], (fields, value) => fields.second = value)],
  ["s", digits(12, [-1e11, 1e12], (fields, value) => fields.epochSeconds = value)],
  ["u", digits(1, [1, 7], () => {})],
  ["w", digits(1, [0, 6], () => {})],
  ["U", digits(2, [0, 53], () => {})],
  ["W", digits(2, [0, 53], () => {})],
  ["B", MONTH],
  ["b", MONTH],
  ["h", MONTH],
  ["A", WEEKDAY],
  ["a", WEEKDAY],
  ["p", AFTERNOON],
  ["P", AFTERNOON],
  ["Z", ZONE_NAME],
  ["z", OFFSET],
]);

/** Reads a text by a format; `undefined` when it does not match. Zones are ignored: all times are UTC. */
export function parseByFormat(text: string, format: string): ParsedFields | undefined {
  const fields: ParsedFields = {};
  let at = 0;
  for (const [part, directive] of expanded(format).matchAll(/%[-_0^#EO]?([^])|\s+|[^%\s]|%$/g)) {
    const end = readPart(fields, { text, at }, { part, directive });
    if (end === undefined) return undefined;
    at = end;
  }
  if (at < text.length) return undefined;
  if (fields.isAfternoon !== undefined) fields.hour = (fields.hour ?? 0) % 12 + (fields.isAfternoon ? 12 : 0);
  return fields;
}

/** The offset after a part of the format. */
function readPart(
  fields: ParsedFields,
  { text, at }: { readonly text: string; readonly at: number },
  { part, directive }: { readonly part: string; readonly directive: string | undefined },
): number | undefined {
  if (directive === undefined || directive === "n" || directive === "t" || directive === "%") {
    if (/^\s/.test(part) || directive === "n" || directive === "t") return at + spaceAt(text, at);
    const sign = directive ?? part;
    return text.startsWith(sign, at) ? at + sign.length : undefined;
  }
  const reader = READERS.get(directive);
  if (!reader) return undefined;
  reader.pattern.lastIndex = at;
  const found = reader.pattern.exec(text);
  return found?.[1] !== undefined && reader.read(fields, found[1]) ? reader.pattern.lastIndex : undefined;
}

function spaceAt(text: string, at: number): number {
  return /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
}
