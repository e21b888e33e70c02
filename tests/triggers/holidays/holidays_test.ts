import { assertEquals, assertThrows } from "@std/assert";
import { isHoliday } from "../../../src/triggers/holidays/holidays.ts";

/** Days, and whether they are public holidays there. */
const DAYS: readonly (readonly [date: string, country: string, subDivision: string, isFree: boolean])[] = [
  ["2026-01-01", "FR", "", true],
  ["2026-07-14", "FR", "", true],
  ["2026-07-14", "DE", "", false],
  ["2026-04-03", "DE", "", true],
  ["2026-04-03", "FR", "", false],
  ["2024-04-01", "FR", "", true],
  ["2025-04-21", "AT", "", true],
  ["2026-05-14", "BE", "", true],
  ["2026-05-25", "LU", "", true],
  ["2026-06-04", "DE", "", false],
  ["2026-06-04", "DE", "BY", true],
  ["2026-06-04", "DE", "be", false],
  ["2026-01-19", "US", "", true],
  ["2026-11-26", "US", "", true],
  ["2026-05-25", "us", "", true],
  ["2026-08-31", "GB", "ENG", true],
  ["2026-08-31", "GB", "SCT", false],
  ["2026-04-13", "GR", "", true],
  ["2025-04-18", "GR", "", true],
  ["2026-10-26", "IE", "", true],
  ["2026-06-02", "IT", "", true],
  ["2026-10-12", "ES", "", true],
  ["2026-04-25", "PT", "", true],
];

for (const [date, country, subDivision, isFree] of DAYS) {
  Deno.test(`isHoliday() of ${date} in ${country} ${subDivision} is ${isFree}`, () => {
    const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
    assertEquals(isHoliday({ year, month, day }, { country, subDivision }), isFree);
  });
}

for (const [country, subDivision] of [["XX", ""], ["", ""], ["FR", "BY"], ["constructor", ""]] as const) {
  Deno.test(`isHoliday() of country "${country}" and part "${subDivision}" cannot be told`, () => {
    assertThrows(
      () => isHoliday({ year: 2026, month: 1, day: 1 }, { country, subDivision }),
      Error,
      "Unknown",
    );
  });
}
