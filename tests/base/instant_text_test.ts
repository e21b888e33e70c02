import { assertEquals } from "@std/assert";
import { parseInstant, parseIsoInstant } from "../../src/base/instant_text.ts";

/** A text, and what each of the two readers makes of it. */
const READ: readonly (readonly [text: string, strict: string | undefined, iso: string | undefined])[] = [
  ["2026-01-31T08:15:30Z", "2026-01-31T08:15:30.000Z", "2026-01-31T08:15:30.000Z"],
  ["2026-01-31T08:15:30.123456+01:00", "2026-01-31T07:15:30.123Z", "2026-01-31T07:15:30.123Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T08:15", "2026-01-31T08:15:00.000Z", "2026-01-31T08:15:00.000Z"],
  ["2026-01-31T08:15-0130", undefined, "2026-01-31T09:45:00.000Z"],
  ["2026-01-31t08:15z", undefined, "2026-01-31T08:15:00.000Z"],
  ["2026-01-31T08:15+01:00[Europe/Paris]", undefined, "2026-01-31T07:15:00.000Z"],
  ["2026-01-31 08:15", undefined, undefined],
  ["2026-13-01", undefined, undefined],
  ["2026-02-30", undefined, undefined],
  ["2026-02-30T08:15Z", undefined, undefined],
  ["2026-01-31T25:00", undefined, undefined],
  ["soon", undefined, undefined],
  ["", undefined, undefined],
];
const isoText = (at: number | undefined) => at === undefined ? undefined : new Date(at).toISOString();

for (const [text, strict, iso] of READ) {
  Deno.test(`parseInstant() and parseIsoInstant() read "${text}"`, () => {
    assertEquals([isoText(parseInstant(text)), isoText(parseIsoInstant(text))], [strict, iso]);
  });
}
