import { assertEquals } from "@std/assert";
import type { IdSource } from "../../../src/base/id.ts";
import { illegalState } from "../../../src/model/errors.ts";
import { TriggerBulk } from "../../../src/services/triggers/trigger_bulk.ts";
import type { Triggers } from "../../../src/services/triggers/triggers.ts";
import { PassingClock } from "../../support/fakes/passing_clock.ts";

Deno.test("TriggerBulk.apply() lets others run between triggers that it skips", async () => {
  const ids = { next: () => "id" } as unknown as IdSource;
  const clock = new PassingClock();
  const bulk = new TriggerBulk({} as Triggers, { clock, ids });
  const keys = Array.from({ length: 500 }, (_, n) => ({
    namespace: "demo",
    flowId: "f",
    triggerId: `t${n}`,
  }));
  const skip = () => Promise.reject(illegalState("Trigger is not locked"));
  const result = await bulk.apply({ tenant: "main", user: "u" }, keys, skip);
  assertEquals(result, { count: 0, totalItems: 500, operationId: "id" });
  assertEquals(clock.turns, 500);
});
