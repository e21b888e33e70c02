import { assertEquals } from "@std/assert";
import { localMsOf, parseTimeOfDay } from "../../src/triggers/time_of_day.ts";

const HOUR = 3_600_000;

const READ: readonly (readonly [text: string, ms: number | undefined, zone?: string])[] = [
  ["09:30", 9.5 * HOUR],
  ["9:30:15.250", 9.5 * HOUR + 15_000],
  ["16:00:00+02:00", 16 * HOUR, "+02:00"],
  ["16:00 +0200", 16 * HOUR, "+0200"],
  ["16:00:00-03", 16 * HOUR, "-03"],
  [" 23:59:59z ", 24 * HOUR - 1_000, "Z"],
  ["00:00", 0],
  ["24:00", 24 * HOUR],
  ["24:00:00.000Z", 24 * HOUR, "Z"],
  ["24:01", undefined],
  ["25:00", undefined],
  ["12:60", undefined],
  ["noon", undefined],
  ["", undefined],
];
for (const [text, ms, zone] of READ) {
  Deno.test(`parseTimeOfDay() reads "${text}" as ${ms} in ${zone}`, () => {
    assertEquals(parseTimeOfDay(text), ms === undefined ? undefined : { ms, zone });
  });
}

Deno.test("localMsOf() moves by the offset that a zone has at that instant", () => {
  const [winter, summer] = [Date.parse("2026-01-15T10:00:00Z"), Date.parse("2026-07-15T10:00:00Z")];
  assertEquals(localMsOf(winter, "Europe/Berlin") - winter, HOUR);
  assertEquals(localMsOf(summer, "Europe/Berlin") - summer, 2 * HOUR);
});
