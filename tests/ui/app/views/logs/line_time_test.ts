/** Times of log lines of several days. */
import { assertEquals } from "../../../../support/assert.ts";
import { now } from "../../../../../src/ui/app/core/time.ts";
import { lineTimeText } from "../../../../../src/ui/app/views/logs/line_time.ts";
import { withPreferences } from "../../preferred.ts";

const CASES = [
  ["UTC", "2026-11-28T00:00:00.007Z", "00:00:00.007"],
  ["UTC", "2026-11-27T23:59:59.999Z", "27.11.2026, 23:59:59.999"],
  ["UTC", "2025-11-28T12:00:00Z", "28.11.2025, 12:00:00.000"],
  ["America/New_York", "2026-11-28T04:59:59Z", "27.11.2026, 23:59:59.000"],
  ["America/New_York", "2026-11-28T05:00:00Z", "00:00:00.000"],
  ["Pacific/Auckland", "2026-11-28T10:59:59Z", "28.11.2026, 23:59:59.000"],
] as const;

for (const [timeZone, iso, expected] of CASES) {
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
