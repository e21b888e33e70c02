import { assertEquals } from "@std/assert";
import {
  daysInMonth,
  epochDays,
  normalizeDay,
  normalizeTime,
  normalizeTimestamp,
  parseInstant,
} from "../../../src/base/time/iso_8601.ts";

/** Texts, and the instants that they name. */
const INSTANTS: readonly (readonly [text: string, iso: string | undefined])[] = [
  ["2026-01-31T08:15:30Z", "2026-01-31T08:15:30.000Z"],
  ["2026-01-31T08:15:30.123456+01:00", "2026-01-31T07:15:30.123Z"],
  ["2026-01-31T08:15:30,5+01", "2026-01-31T07:15:30.500Z"],
  ["2026-01-31T08:15:30.1234567891Z", "2026-01-31T08:15:30.123Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T08:15", "2026-01-31T08:15:00.000Z"],
  ["2026-01-31T08:15-0130", "2026-01-31T09:45:00.000Z"],
  ["2026-01-31T08:15:00-01:30:15", "2026-01-31T09:45:15.000Z"],
  ["2026-01-31t08:15z", "2026-01-31T08:15:00.000Z"],
  ["2026-01-31T08:15+01:00[Europe/Paris]", "2026-01-31T07:15:00.000Z"],
  ["2026-01-31T24:00", "2026-02-01T00:00:00.000Z"],
  ["+12026-01-31", "+012026-01-31T00:00:00.000Z"],
  ["0000-02-29", "0000-02-29T00:00:00.000Z"],
  ["2026-01-31 08:15", undefined],
  ["2026-1-31", undefined],
  ["2026-13-01", undefined],
  ["2026-02-30", undefined],
  ["2026-02-30T08:15Z", undefined],
  ["2026-01-31T25:00", undefined],
  ["2026-01-31T24:00:01", undefined],
  ["2026-01-31T08:60", undefined],
  ["2026-01-31T08:15:60", undefined],
  ["2026-01-31T08:15+24:00", undefined],
  ["2026-01-31T08:15+01:60", undefined],
  ["2026-01-31T08:15[Europe/Paris]", undefined],
  ["+999999-01-01", undefined],
  ["soon", undefined],
  ["", undefined],
];

for (const [text, iso] of INSTANTS) {
  Deno.test(`parseInstant() reads "${text}"`, () => {
    const at = parseInstant(text);
    assertEquals(at === undefined ? undefined : new Date(at).toISOString(), iso);
  });
}

/** A text, and its normal form as a day, as a time of day and as a timestamp. */
const NORMAL: readonly (readonly [text: string, ...forms: (string | undefined)[]])[] = [
  ["2024-02-29", "2024-02-29", undefined, undefined],
  ["2024-02-29T", "2024-02-29", undefined, undefined],
  ["+12024-02-29", undefined, undefined, undefined],
  ["2024-02-29T10:00", undefined, undefined, undefined],
  ["08:15", undefined, "08:15:00", undefined],
  ["08:15:30.5", undefined, "08:15:30.500", undefined],
  ["08:15:30.1230", undefined, "08:15:30.123", undefined],
  ["24:00", undefined, undefined, undefined],
  ["8:15", undefined, undefined, undefined],
  ["08:15Z", undefined, undefined, undefined],
  ["2026-01-01T00:30:00.1200+01:00", undefined, undefined, "2025-12-31T23:30:00.120Z"],
  ["2026-01-01T00:30:00.123456Z", undefined, undefined, "2026-01-01T00:30:00.123456Z"],
  ["9999-12-31T23:30-01:00", undefined, undefined, undefined],
];

for (const [text, ...forms] of NORMAL) {
  Deno.test(`normalizeDay(), normalizeTime() and normalizeTimestamp() of "${text}"`, () => {
    assertEquals([normalizeDay(text), normalizeTime(text), normalizeTimestamp(text)], forms);
  });
}

Deno.test("daysInMonth() and epochDays() follow the proleptic Gregorian calendar", () => {
  assertEquals([daysInMonth(1900, 2), daysInMonth(2000, 2), daysInMonth(-4, 2)], [28, 29, 29]);
  assertEquals([epochDays(1970, 1, 1), epochDays(0, 3, 1), epochDays(50, 1, 1)], [0, -719468, -701265]);
});
