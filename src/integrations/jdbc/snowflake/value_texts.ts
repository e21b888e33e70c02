/** Values as Snowflake's SQL API gives them. https://docs.snowflake.com/en/developer-guide/sql-api/handling-responses */
import { toIso } from "../../../base/time/clock.ts";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import type { Cell, CellKind, Column } from "../cells.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KINDS: ReadonlyMap<string, CellKind> = new Map<string, CellKind>([
  ["fixed", "decimal"],
  ["real", "float"],
  ["boolean", "boolean"],
  ["date", "date"],
  ["timestamp_ntz", "timestamp"],
  ["timestamp_ltz", "instant"],
  ["timestamp_tz", "instant"],
  ["binary", "bytes"],
  ["variant", "json"],
  ["object", "json"],
  ["array", "json"],
]);

/** A column with its type. */
interface SnowflakeColumn extends Column {
  /** In lower case. */
  readonly type: string;
}

/** From an entry of `rowType`. */
export function columnOf(given: JsonObject): SnowflakeColumn {
  const type = String(ownProperty(given, "type")).toLowerCase();
  const kind = KINDS.get(type) ?? "text";
  const isWhole = kind === "decimal" && Number(ownProperty(given, "scale") ?? 0) === 0;
  return { name: String(ownProperty(given, "name")), kind: isWhole ? "integer" : kind, type };
}

/** The text of a value as cells have it. */
export function cellOf(type: string, text: string): Cell {
  switch (type) {
    case "date":
      return toIso(Number(text) * DAY_MS).slice(0, "2024-02-29".length);
    case "time":
      return timeOf(text, "").slice("1970-01-01 ".length);
    case "timestamp_ntz":
      return timeOf(text, "");
    case "timestamp_ltz":
      return timeOf(text, "+00");
    case "timestamp_tz":
      return zoned(text);
    case "binary":
      return `\\x${text.toLowerCase()}`;
    default:
      return text;
  }
}

/** Seconds since the epoch, a space, and the offset in minutes plus a day. */
function zoned(text: string): string {
  const [time = "", shifted = "1440"] = text.split(" ");
  const minutes = Number(shifted) - 1440;
  const [, whole = "0", fraction = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(time) ?? [];
  const at = Math.abs(minutes);
  const offset = [Math.floor(at / 60), at % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return timeOf(`${Number(whole) + minutes * 60}.${fraction}`, `${minutes < 0 ? "-" : "+"}${offset}`);
}

/** Seconds since the epoch with a fraction of nine digits. */
function timeOf(text: string, offset: string): string {
  const [, whole = "0", fraction = ""] = /^(-?\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  const isNegative = whole.startsWith("-") && Number(fraction) > 0;
  const seconds = Number(whole) - (isNegative ? 1 : 0);
  const digits = isNegative
    ? String(10 ** fraction.length - Number(fraction)).padStart(fraction.length, "0")
    : fraction;
  const kept = digits.replace(/(?<!0)0+$/, "");
  const time = toIso(seconds * 1000).slice(0, "2024-02-29T10:11:12".length).replace("T", " ");
  return `${time}${kept && `.${kept}`}${offset}`;
}
