/** Instants as people read them. */
import { assertEquals } from "../../../support/assert.ts";
import { preferences } from "../../../../src/ui/app/core/preferences.ts";
import { lineTimeText, now, partText, shortPartText } from "../../../../src/ui/app/core/time.ts";
import { withPreferences } from "../preferred.ts";

const DAY = "2026-11-28T00:00:00Z";
const HOUR = "2026-11-28T13:00:00Z";

Deno.test("parts of days are days of UTC in each zone, and have no time of the day", () => {
  for (const timeZone of ["America/New_York", "Pacific/Auckland", "UTC"]) {
    withPreferences({ language: "de", timeZone }, () => {
      assertEquals(shortPartText(DAY, "day"), "28. Nov.", timeZone);
      for (const unit of ["day", "week", "month"] as const) {
        assertEquals(partText(DAY, unit), "28.11.2026", timeZone);
      }
    });
  }
});

Deno.test("parts of hours and minutes are shown in the chosen zone", () => {
  withPreferences({ language: "de", timeZone: "America/New_York" }, () => {
    for (const unit of ["hour", "minute"] as const) {
      assertEquals(shortPartText(HOUR, unit), "08:00");
      assertEquals(partText(HOUR, unit), "28.11.2026, 08:00:00");
    }
  });
});

Deno.test("days are shown in a zone that the browser does not know, too", () => {
  withPreferences({ language: "de", timeZone: "Nowhere/Else" }, () => {
    assertEquals(shortPartText(DAY, "day"), "28. Nov.");
    assertEquals(preferences.value.timeZone, "Nowhere/Else");
  });
});

const LINE_TIMES = [
  ["UTC", "2026-11-28T00:00:00.007Z", "00:00:00.007"],
  ["UTC", "2026-11-27T23:59:59.999Z", "27.11.2026, 23:59:59.999"],
  ["UTC", "2025-11-28T12:00:00Z", "28.11.2025, 12:00:00.000"],
  ["America/New_York", "2026-11-28T04:59:59Z", "27.11.2026, 23:59:59.000"],
  ["America/New_York", "2026-11-28T05:00:00Z", "00:00:00.000"],
  ["Pacific/Auckland", "2026-11-28T10:59:59Z", "28.11.2026, 23:59:59.000"],
] as const;

for (const [timeZone, iso, expected] of LINE_TIMES) {
  Deno.test(`lineTimeText() of ${iso} in ${timeZone} has a date unless that is today there`, () => {
    const before = now.value;
    now.value = Date.parse("2026-11-28T13:00:00Z");
    try {
      withPreferences({ language: "de", timeZone }, () => assertEquals(lineTimeText(iso), expected));
    } finally {
      now.value = before;
    }
  });
}
