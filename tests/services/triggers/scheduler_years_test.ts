/** The scheduler over ten years of clock changes. */
import { assert, assertEquals } from "@std/assert";
import { parseCron } from "../../../src/languages/cron/mod.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { executionsOf, schedule, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";
import { LocalClock, oracleFires, type Span } from "../../triggers/cron/cron_oracle.ts";

const ZONES = [
  "Europe/Paris",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Casablanca",
];
/** Times within and near the hours of clock changes. */
const CRON = "15,45 0,2 * * *";
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2036, 0, 1);
const HOUR = 3_600_000;

/** Span around each change; the time between is skipped. */
function changesOf(clock: LocalClock): Span[] {
  return clock.spansAroundChanges().map(({ from, until }) => ({
    from: from + 40 * HOUR,
    until: until - 40 * HOUR,
  }));
}

/** Advances to each next date of the schedule within the span. */
async function runThrough(app: Harness, { from, until }: Span): Promise<void> {
  app.clock.jump(from - app.clock.now());
  await app.advance(60_000);
  for (;;) {
    const next = Date.parse(String((await stateOf(app, "s")).nextExecutionDate));
    if (!(next < until)) return;
    app.clock.jump(next - 500 - app.clock.now());
    await app.advance(1_000);
  }
}

for (const zone of ZONES) {
  Deno.test(`Scheduler starts an execution for each date near every clock change of ${zone} in ten years`, async () => {
    const oracle = new LocalClock(zone, FROM, UNTIL);
    const spans = changesOf(oracle);
    await using app = await Harness.start({}, undefined, new FakeClock(FROM));
    const trigger = schedule(CRON, { timezone: zone, recoverMissedSchedules: "NONE" });
    await app.save(triggeredFlow("s", trigger));
    for (const span of spans) await runThrough(app, span);
    const dates = (await executionsOf(app, "s")).map(({ trigger: { date } }) => Date.parse(String(date)));
    const cron = parseCron(CRON);
    const expected = spans.flatMap((span) =>
      oracleFires(cron, oracle, { ...span, from: span.from + 60_000 })
    );
    assertEquals(dates, expected);
    assert(dates.length > 2 * spans.length);
  });
}
