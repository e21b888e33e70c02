/** ISO 8601 durations in milliseconds. Months and years are refused: their length varies. No Temporal: Deno before 2.7 lacks it. */
import { Double, type JsonValue } from "../json.ts";

const PATTERN =
  /^([-+])?P(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:([-+]?\d+(?:[.,]\d+)?)H)?(?:([-+]?\d+(?:[.,]\d+)?)M)?(?:([-+]?\d+(?:[.,]\d+)?)S)?)?$/i;
const UNIT_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000];

/** Milliseconds of `PT5M`, `P1DT2H`, `-PT1.5S` (any case); `undefined` when the text is no such duration. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text.trim());
  if (!match || /[PT]$/i.test(text.trim())) return undefined;
  const parts = match.slice(2);
  const ms = parts.reduce(
    (sum, part, index) => sum + Number((part ?? "0").replace(",", ".")) * (UNIT_MS[index] as number),
    0,
  );
  return Number.isFinite(ms) ? wholeMs(match[1] === "-" ? -ms : ms) : undefined;
}

/** Only 0 is 0: a shorter time is a millisecond. */
function wholeMs(ms: number): number {
  return Math.round(ms) || Math.sign(ms);
}

/** A number of seconds as text, as a template gives it. */
const SECONDS = /^[-+]?\d{1,15}(?:\.\d{1,15})?$/;

/** Milliseconds of a duration in a flow: a number of seconds, or the text of one, or ISO 8601; `undefined` for other values. */
export function readDuration(value: JsonValue | undefined): number | undefined {
  if (typeof value === "string") {
    return SECONDS.test(value.trim()) ? millisecondsOf(Number(value)) : parseDuration(value);
  }
  if (value instanceof Double) return millisecondsOf(value.value);
  return typeof value === "number" || typeof value === "bigint" ? millisecondsOf(Number(value)) : undefined;
}

function millisecondsOf(seconds: number): number | undefined {
  const ms = wholeMs(seconds * 1000);
  return Number.isFinite(ms) ? ms : undefined;
}

/** How API responses write durations: as a number of seconds, or as ISO 8601 text. */
export const DURATION_FORMS = ["seconds", "iso"] as const;

/** One of {@link DURATION_FORMS}. */
export type DurationForm = typeof DURATION_FORMS[number];

/** The JSON text of a duration. */
export function durationJson(ms: number, form: DurationForm): string {
  return form === "iso" ? `"${formatDuration(ms)}"` : String(ms / 1000);
}

/** ISO 8601 text of a duration, as Java prints it: hours, minutes and seconds, `PT26H0.5S`; `PT0S` for 0. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "PT0S";
  const sign = ms < 0 ? "-" : "";
  const total = Math.abs(ms);
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total % 3_600_000 / 60_000);
  const seconds = total % 60_000 / 1000;
  const parts = [[hours, "H"], [minutes, "M"], [seconds, "S"]] as const;
  return "PT" +
    parts.filter(([value]) => value > 0).map(([value, unit]) => `${sign}${value}${unit}`).join("");
}
