import { assertEquals } from "@std/assert";
import type { Trigger } from "../../../src/model/flows/flow.ts";
import { Evaluations } from "../../../src/model/triggers/evaluations.ts";
import { Conditions } from "../../../src/rendering/conditions.ts";
import { createTriggerRenderer } from "../../../src/rendering/trigger_renderer.ts";
import { ScheduleDates } from "../../../src/services/triggers/schedule_dates.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { PassingClock } from "../../support/fakes/passing_clock.ts";
import { plan } from "../../support/flows/flows.ts";
import { condition, schedule } from "../../support/flows/triggers.ts";

Deno.test("ScheduleDates.prepare() lets others run while it looks for dates that meet the conditions", async () => {
  const clock = new PassingClock();
  const catalog = createTriggerCatalog();
  const values = { secret: () => Promise.resolve(undefined), kvPair: () => Promise.resolve(undefined) };
  const server = { envs: {}, globals: {}, kestra: {} };
  const renderer = createTriggerRenderer({ clock, timeZone: "UTC", random: () => 0, values, ...server });
  const conditions = new Conditions(catalog, renderer);
  const dates = new ScheduleDates({ clock, conditions, renderer, catalog, timeZone: "UTC" });
  const only = { after: "2026-01-15T10:30:00Z", before: "2026-01-15T10:32:00Z" };
  const properties = schedule("* * * * *", { conditions: [condition("DateTimeBetween", only)] });
  const trigger = {
    id: "t",
    kind: "core.trigger.Schedule",
    disabled: false,
    properties,
  } as unknown as Trigger;
  const flow = plan({ triggers: [trigger] });
  const state = { evaluations: Evaluations.none } as Parameters<ScheduleDates["prepare"]>[0]["state"];
  const times = await dates.timesOf(flow.flow, trigger);
  const before = clock.turns;
  const at = Date.UTC(2026, 0, 15, 10, 31);
  const { start } = await dates.prepare({ state, plan: flow, trigger, times }, at, false);
  assertEquals(start.variables, { date: "2026-01-15T10:31:00Z" });
  assertEquals(clock.turns - before > 1_000, true, `${clock.turns} turns for 3,000 dates`);
});
