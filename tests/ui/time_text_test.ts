import { assertEquals } from "@std/assert";
import { dateTimeTag, durationText, timeTag } from "../../src/ui/time_text.ts";

const DURATIONS: readonly (readonly [number, string])[] = [
  [-5, "0 ms"],
  [0, "0 ms"],
  [999, "999 ms"],
  [1_239, "1.23 s"],
  [9_999, "9.99 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min 00 s"],
  [3_599_999, "59 min 59 s"],
  [3_720_000, "1 h 02 min"],
  [86_400_000 * 3 + 3_600_000 * 4, "3 d 04 h"],
];
for (const [ms, expected] of DURATIONS) {
  Deno.test(`durationText() ${ms} ms is "${expected}"`, () => assertEquals(durationText(ms), expected));
}

Deno.test("dateTimeTag() carries the machine-readable time", () => {
  const at = Date.UTC(2026, 0, 5, 7, 8, 9, 10);
  assertEquals(
    dateTimeTag(at).text,
    '<time datetime="2026-01-05T07:08:09.010Z">2026-01-05 07:08:09<small>.010 UTC</small></time>',
  );
});

Deno.test("timeTag() shows the time of the day", () => {
  const text = timeTag(Date.UTC(2026, 0, 5, 7, 8, 9, 10)).text;
  assertEquals(text.replace(/<[^>]*>/g, ""), "07:08:09.010");
});
