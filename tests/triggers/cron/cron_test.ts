import { assertEquals, assertThrows } from "@std/assert";
import { findZone } from "../../../src/languages/dates/mod.ts";
import { cronMistake, parseCron } from "../../../src/languages/cron/mod.ts";
import { cronFireTimes } from "../../../src/triggers/cron/fire_times.ts";
import { sharedFireTimes } from "../../../src/triggers/cron/shared_times.ts";
import { LocalClock, oracleFires } from "./cron_oracle.ts";

/** The first times after an instant, as texts; `withSeconds` when there are six fields. */
function firesOf(cron: string, zone: string, after: string, count: number): string[] {
  const withSeconds = !cron.startsWith("@") && cron.split(" ").length === 6;
  const times = cronFireTimes(parseCron(cron, withSeconds), findZone(zone));
  const texts: string[] = [];
  let at: number | undefined = Date.parse(after);
  for (let i = 0; i < count; i++) {
    at = times.next(at);
    if (at === undefined) break;
    texts.push(times.text(at));
  }
  return texts;
}

const NEXT: readonly (readonly [cron: string, zone: string, after: string, fires: readonly string[]])[] = [
  ["*/15 * * * *", "UTC", "2026-01-15T10:30:00Z", ["2026-01-15T10:45:00Z", "2026-01-15T11:00:00Z"]],
  ["0 9 * * MON-FRI", "UTC", "2026-01-16T09:00:00Z", ["2026-01-19T09:00:00Z", "2026-01-20T09:00:00Z"]],
  ["0 0 1,15 * *", "UTC", "2026-01-15T00:00:00Z", ["2026-02-01T00:00:00Z", "2026-02-15T00:00:00Z"]],
  ["0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
  ["0 0 13 * 5", "UTC", "2026-02-01T00:00:00Z", ["2026-02-06T00:00:00Z", "2026-02-13T00:00:00Z"]],
  ["0 0 */10 * 1", "UTC", "2026-01-01T00:00:00Z", ["2026-05-11T00:00:00Z"]],
  ["5/20 8 * * *", "UTC", "2026-01-15T00:00:00Z", ["2026-01-15T08:05:00Z", "2026-01-15T08:25:00Z"]],
  ["0 0 * * 7", "UTC", "2026-01-15T00:00:00Z", ["2026-01-18T00:00:00Z"]],
  ["0 0 * * SAT-SUN", "UTC", "2026-01-15T00:00:00Z", ["2026-01-17T00:00:00Z", "2026-01-18T00:00:00Z"]],
  ["0 0 * * sun-mon", "UTC", "2026-01-15T00:00:00Z", ["2026-01-18T00:00:00Z", "2026-01-19T00:00:00Z"]],
  ["0 0 * * SUN-SUN", "UTC", "2026-01-15T00:00:00Z", ["2026-01-18T00:00:00Z", "2026-01-25T00:00:00Z"]],
  ["0 0 1 jan *", "UTC", "2026-01-15T00:00:00Z", ["2027-01-01T00:00:00Z"]],
  ["*/20 * * * * *", "UTC", "2026-01-15T10:30:05.5Z", ["2026-01-15T10:30:20Z", "2026-01-15T10:30:40Z"]],
  ["@hourly", "UTC", "2026-01-15T10:30:00Z", ["2026-01-15T11:00:00Z"]],
  ["@daily", "Europe/Paris", "2026-01-15T10:30:00Z", ["2026-01-16T00:00:00+01:00"]],
  ["@weekly", "UTC", "2026-01-15T10:30:00Z", ["2026-01-18T00:00:00Z"]],
  ["@monthly", "UTC", "2026-01-15T10:30:00Z", ["2026-02-01T00:00:00Z"]],
  ["@yearly", "UTC", "2026-01-15T10:30:00Z", ["2027-01-01T00:00:00Z"]],
  ["@annually", "UTC", "2026-01-15T10:30:00Z", ["2027-01-01T00:00:00Z"]],
  ["@midnight", "+05:30", "2026-01-15T10:30:00Z", ["2026-01-16T00:00:00+05:30"]],
  ["0 0 30 2 *", "UTC", "2026-01-15T10:30:00Z", []],
  ["0 12 L * *", "UTC", "2026-01-15T10:30:00Z", ["2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"]],
  ["0 0 L 2 *", "UTC", "2027-01-15T10:30:00Z", ["2027-02-28T00:00:00Z", "2028-02-29T00:00:00Z"]],
  ["0 0 15,L-2 * *", "UTC", "2026-04-01T00:00:00Z", ["2026-04-15T00:00:00Z", "2026-04-28T00:00:00Z"]],
  // Put forward at 02:00: a time of the day fires when the clock has jumped, a rhythm goes on.
  [
    "30 2 * * *",
    "Europe/Paris",
    "2026-03-28T12:00:00Z",
    ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"],
  ],
  ["0,30 2 * * *", "Europe/Paris", "2026-03-29T00:00:00Z", ["2026-03-29T03:00:00+02:00"]],
  [
    "*/30 * * * *",
    "Europe/Paris",
    "2026-03-29T00:30:00Z",
    ["2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"],
  ],
  // Put back at 03:00: a time of the day fires the first time, a rhythm both times.
  [
    "30 2 * * *",
    "Europe/Paris",
    "2026-10-24T12:00:00Z",
    ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
  ],
  [
    "*/30 * * * *",
    "Europe/Paris",
    "2026-10-25T00:00:00Z",
    ["2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00"],
  ],
  // Midnight itself is skipped.
  ["0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", ["2026-09-06T01:00:00-03:00"]],
];

for (const [cron, zone, after, fires] of NEXT) {
  Deno.test(`cronFireTimes() of "${cron}" in ${zone} after ${after}`, () => {
    assertEquals(firesOf(cron, zone, after, Math.max(1, fires.length)), fires);
  });
}

Deno.test("cronFireTimes() previous() undoes next()", () => {
  const crons = ["*/15 * * * *", "30 2 * * *", "0 9 * * 1", "0 0 1 1 *", "0 0 29 2 *"];
  for (const zone of ["UTC", "Europe/Paris", "Australia/Lord_Howe"]) {
    for (const cron of crons) {
      const times = cronFireTimes(parseCron(cron), findZone(zone));
      let at = times.next(Date.UTC(2026, 2, 27)) ?? 0;
      for (let i = 0; i < 40; i++) {
        const next = times.next(at) ?? 0;
        assertEquals([cron, zone, times.previous(next)], [cron, zone, at]);
        at = next;
      }
    }
  }
});

Deno.test("sharedFireTimes() returns the times of one schedule, cached or not", () => {
  const [cron, zone] = ["*/10 * * * * *", "Europe/Paris"];
  const own = cronFireTimes(parseCron(cron, true), findZone(zone));
  const start = Date.parse("2026-10-25T00:59:00Z");
  for (let step = 0; step < 400; step++) {
    // Back and forth over the change of the clock; every instant more than once.
    const at = start + (step * 7 % 60) * 2_500;
    const shared = sharedFireTimes(cron, true, zone);
    assertEquals(
      [shared.next(at), shared.previous(at), shared.text(at)],
      [own.next(at), own.previous(at), own.text(at)],
    );
  }
  assertThrows(() => sharedFireTimes(cron, false, zone));
  assertEquals(sharedFireTimes("0 0 30 2 *", false, zone).next(start), undefined);
});

Deno.test("cronFireTimes() passes a day that a zone skips in some steps, in both directions", () => {
  const zone = findZone("Pacific/Apia");
  let count = 0;
  const offsetAt = (second: number) => (count++, zone.offsetAt(second));
  const times = cronFireTimes(parseCron("* * * * * *", true), { ...zone, offsetAt });
  const [last, first] = [Date.parse("2011-12-30T09:59:59Z"), Date.parse("2011-12-30T10:00:00Z")];
  assertEquals([times.next(last), times.previous(first)], [first, last]);
  assertEquals(count < 1_000, true);
});

Deno.test("cronFireTimes() previous() of an expression that never fires is undefined", () => {
  assertEquals(cronFireTimes(parseCron("0 0 30 2 *"), findZone("UTC")).previous(0), undefined);
});

const INVALID = [
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "5-1 * * * *",
  "*/0 * * * *",
  "@never",
  "a * * * *",
];

for (const cron of INVALID) {
  Deno.test(`parseCron() refuses "${cron}"`, () => {
    assertThrows(() => parseCron(cron), Error, "Invalid cron expression");
  });
}

const ZONES = [
  "Europe/Paris",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Casablanca",
];
const CRONS = [
  ...["30 2 * * *", "0 0 * * *", "*/20 * * * *", "15 1,3 * * *", "7 */2 * * *"],
  ...["0,45 2 * * 0", "*/10 2-3 * * *", "59 23 31 * 6"],
];
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2036, 0, 1);

for (const zoneId of ZONES) {
  Deno.test(`cronFireTimes() agrees with a minute by minute walk around every change of ${zoneId} in ten years`, () => {
    const clock = new LocalClock(zoneId, FROM, UNTIL);
    for (const text of CRONS) {
      const cron = parseCron(text);
      const times = cronFireTimes(cron, findZone(zoneId));
      for (const { from, until } of clock.spansAroundChanges()) {
        const fires: number[] = [];
        for (let at = times.next(from); at !== undefined && at < until; at = times.next(at)) fires.push(at);
        assertEquals([text, fires], [text, oracleFires(cron, clock, { from, until })]);
      }
    }
  });
}

Deno.test("parseCron() refuses more than 1,000 characters, which every list of different values fits", () => {
  const list = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at).join(",");
  const longest = [list(0, 59), list(0, 59), list(0, 23), list(1, 31), list(1, 12), list(0, 6)].join(" ");
  assertEquals(parseCron(longest, true).seconds.length, 60);
  assertEquals(cronMistake(longest + " ".repeat(1_001), true), undefined);
  const tooLong = `${"*,".repeat(500)}* * * * *`;
  assertEquals(cronMistake(tooLong, false), "it has at most 1,000 characters");
  const { message } = assertThrows(() => parseCron(tooLong), Error);
  assertEquals(message.length < 200, true);
});
