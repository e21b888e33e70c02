/** Instants as people read them. */
import { assertEquals } from "../../../support/assert.ts";
import { preferences } from "../../../../src/ui/app/core/preferences.ts";
import { partText, shortPartText } from "../../../../src/ui/app/core/time.ts";
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
