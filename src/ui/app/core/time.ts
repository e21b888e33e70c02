/** Instants and durations as people read them, in the chosen zone and language. */
import { computed, signal } from "@preact/signals";
import type { TimeUnit } from "../../../base/time/time_parts.ts";
import { decimalText, locale } from "./numbers.ts";
import { preferences } from "./preferences.ts";

/** The present time in milliseconds; advances each second while the page is visible. */
export const now = signal(Date.now());

/** Lets {@link now} advance. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
}

const zone = computed(() => {
  const { timeZone } = preferences.value;
  return timeZone === "local" ? undefined : timeZone;
});
const dateTime = computed(() => formatOf({ dateStyle: "medium", timeStyle: "medium" }));
const clockTime = computed(() =>
  formatOf({ hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })
);
/** Buckets of days begin at midnight UTC; in another zone their date would be wrong. */
const shortDay = computed(() => formatOf({ day: "numeric", month: "short", timeZone: "UTC" }));
const day = computed(() => formatOf({ dateStyle: "medium", timeZone: "UTC" }));
const localDay = computed(() => formatOf({ dateStyle: "medium" }));
/** Changes once a day, so that lines are not drawn again each second. */
const today = computed(() => localDay.value.format(now.value));
const minute = computed(() => formatOf({ hour: "2-digit", minute: "2-digit", hour12: false }));
const relative = computed(() =>
  new Intl.RelativeTimeFormat(locale.value, { numeric: "auto", style: "short" })
);

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** Date and time. */
export function dateTimeText(iso: string): string {
  return dateTime.value.format(new Date(iso));
}

/** A part of the time in charts: date and time, or the date of a part that begins with a day of UTC. */
export function partText(iso: string, unit: TimeUnit): string {
  return (isWithinDay(unit) ? dateTime : day).value.format(new Date(iso));
}

/** The same for axes: the time of the day, or the day. */
export function shortPartText(iso: string, unit: TimeUnit): string {
  return (isWithinDay(unit) ? minute : shortDay).value.format(new Date(iso));
}

function isWithinDay(unit: TimeUnit): boolean {
  return unit === "minute" || unit === "hour";
}

/** Time of the day with milliseconds, for log lines. */
export function clockText(iso: string): string {
  const date = new Date(iso);
  return `${clockTime.value.format(date)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** The same, after the date unless that is today. */
export function lineTimeText(iso: string): string {
  const date = localDay.value.format(new Date(iso));
  return date === today.value ? clockText(iso) : `${date}, ${clockText(iso)}`;
}

/** `3 min ago`, `in 2 hr`. Reads {@link now}. */
export function relativeText(iso: string): string {
  const difference = Date.parse(iso) - now.value;
  const [unit, ms] = UNITS.find(([, each]) => Math.abs(difference) >= each) ?? ["second", 1_000];
  return relative.value.format(Math.trunc(difference / ms), unit);
}

/** `850 ms`, `1.24 s`, `2 min 05 s`, `3 h 02 min`, `2 d 04 h`. */
export function durationText(seconds: number): string {
  const ms = Math.max(0, seconds * 1_000);
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${decimalText(Math.floor(ms / 10) / 100, ms < 10_000 ? 2 : 1)} s`;
  const parts = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const;
  const whole = Math.floor(ms / 1_000);
  const first = parts.findIndex(([, size]) => whole >= size);
  const [unit, size] = parts[first] ?? ["s", 1];
  const [nextUnit, nextSize] = parts[first + 1] ?? ["s", 1];
  const rest = Math.floor((whole % size) / nextSize);
  return `${Math.floor(whole / size)} ${unit} ${String(rest).padStart(2, "0")} ${nextUnit}`;
}

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale.value, { timeZone: zone.value, ...options });
  } catch {
    return new Intl.DateTimeFormat(locale.value, options); // A zone that this browser does not know.
  }
}
