import { assertEquals } from "@std/assert";
import {
  durationJson,
  formatDuration,
  parseDuration,
  readDuration,
} from "../../../src/base/time/duration.ts";
import { Double, type JsonValue } from "../../../src/base/json.ts";

const ROWS: readonly (readonly [string, number | undefined])[] = [
  ["PT10S", 10_000],
  ["pt0.25s", 250],
  ["PT1H30M", 5_400_000],
  ["P1D", 86_400_000],
  ["P1DT1S", 86_401_000],
  ["P2W", 1_209_600_000],
  ["-PT5M", -300_000],
  ["PT-5M", -300_000],
  ["PT0S", 0],
  ["PT0.0001S", 1],
  ["-PT0.0001S", -1],
  ["PT1,5S", 1_500],
  ["", undefined],
  ["P", undefined],
  ["PT", undefined],
  ["1h", undefined],
  ["P1M", undefined],
  ["P1Y", undefined],
  ["PT1S2", undefined],
  [`PT${"9".repeat(400)}S`, undefined],
];
for (const [text, ms] of ROWS) {
  Deno.test(`parseDuration() reads "${text.slice(0, 20)}" as ${ms}`, () =>
    assertEquals(parseDuration(text), ms));
}

const TEXTS: readonly (readonly [number, string])[] = [
  [0, "PT0S"],
  [1_500, "PT1.5S"],
  [5_400_000, "PT1H30M"],
  [93_600_500, "PT26H0.5S"],
  [-300_000, "PT-5M"],
];
for (const [ms, text] of TEXTS) {
  Deno.test(`formatDuration() prints ${ms} as ${text}`, () => {
    assertEquals(formatDuration(ms), text);
    assertEquals(parseDuration(text), ms);
  });
}

const READ: readonly (readonly [JsonValue | undefined, number | undefined])[] = [
  ["PT10S", 10_000],
  [30, 30_000],
  [0, 0],
  [new Double(1.5), 1_500],
  [30n, 30_000],
  ["30", 30_000],
  [" 0.25 ", 250],
  [-2, -2_000],
  ["", undefined],
  ["30s", undefined],
  ["1e3", undefined],
  [true, undefined],
  [null, undefined],
  [undefined, undefined],
  [[30], undefined],
  [new Double(Infinity), undefined],
];
for (const [value, ms] of READ) {
  Deno.test(`readDuration() reads ${Deno.inspect(value)} as ${ms}`, () =>
    assertEquals(readDuration(value), ms));
}

for (
  const [ms, form, text] of [[1_500, "seconds", "1.5"], [1_500, "iso", '"PT1.5S"'], [
    0,
    "iso",
    '"PT0S"',
  ]] as const
) {
  Deno.test(`durationJson() writes ${ms} ms in the form ${form} as ${text}`, () => {
    assertEquals(durationJson(ms, form), text);
  });
}
