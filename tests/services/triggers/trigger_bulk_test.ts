import { assertEquals } from "@std/assert";
import type { IdSource } from "../../../src/base/id.ts";
import { letOthersRun } from "../../../src/base/time/turn.ts";
import { illegalState } from "../../../src/model/errors.ts";
import { TriggerBulk } from "../../../src/services/triggers/trigger_bulk.ts";
import type { Triggers } from "../../../src/services/triggers/triggers.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

/** Time passes each time that it is read. */
class PassingClock extends FakeClock {
  /** @inheritdoc */
  override monotonicMs(): number {
    this.jump(10);
    return super.monotonicMs();
  }
}

Deno.test("TriggerBulk.apply() lets others run between triggers that it skips", async () => {
  const ids = { next: () => "id" } as unknown as IdSource;
  const bulk = new TriggerBulk({} as Triggers, { clock: new PassingClock(), ids });
  const keys = Array.from({ length: 500 }, (_, n) => ({
    namespace: "demo",
    flowId: "f",
    triggerId: `t${n}`,
  }));
  let [isOver, turns] = [false, 0];
  const others = (async () => {
    for (; !isOver; turns++) await letOthersRun();
  })();
  const skip = () => Promise.reject(illegalState("Trigger is not locked"));
  const result = await bulk.apply({ tenant: "main", user: "u" }, keys, skip);
  isOver = true;
  await others;
  assertEquals(result, { count: 0, totalItems: 500, operationId: "id" });
  assertEquals(turns > 200, true, `${turns} turns`);
});
