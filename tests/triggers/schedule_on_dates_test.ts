/** Dates of ScheduleOnDates. */
import { assertEquals, assertThrows } from "@std/assert";
import { scheduleOnDatesTrigger } from "../../src/triggers/schedule_on_dates.ts";

Deno.test("ScheduleOnDates refuses more than 20,000 dates, which an expression may give", () => {
  const dates = (count: number) =>
    `[${Array.from({ length: count }, (_, n) => `"2026-01-01T00:00:0${n % 10}Z"`).join()}]`;
  assertEquals(scheduleOnDatesTrigger.times({ dates: dates(20_000) }, "UTC").next(0), Date.UTC(2026, 0, 1));
  assertThrows(
    () => scheduleOnDatesTrigger.times({ dates: dates(20_001) }, "UTC"),
    Error,
    "Cannot read dates: they are more than 20000",
  );
});
