/** How many flows the views of triggers read. */
import { assertEquals } from "@std/assert";
import type { TriggerState } from "../../../src/model/triggers/trigger_state.ts";
import { Triggers } from "../../../src/services/triggers/triggers.ts";

const ACTOR = { tenant: "main", user: "u" };
const STATES = Array.from(
  { length: 40 },
  (_, n) => ({ namespace: "demo", flowId: `f${n}`, triggerId: "t" }) as TriggerState,
);

/** Triggers that note how many flows they read at the same time, and how many in all. */
function triggersOf() {
  const reads = { now: 0, most: 0, all: 0 };
  const deps = {
    flows: {
      plan: async () => {
        reads.all++;
        reads.most = Math.max(reads.most, ++reads.now);
        await Promise.resolve();
        reads.now--;
        return { flow: { triggers: [] } };
      },
    },
    schedules: { hasOpenExecution: () => Promise.resolve(false) },
    catalog: { find: () => undefined },
    polls: { runningSince: () => undefined },
    buffer: { applyTo: (_tenant: string, state: TriggerState) => state },
  };
  return { reads, triggers: new Triggers(deps as unknown as ConstructorParameters<typeof Triggers>[0]) };
}

Deno.test("Triggers.views() reads 16 flows at the same time, and keeps the order of the states", async () => {
  const { reads, triggers } = triggersOf();
  const views = await triggers.views(ACTOR, STATES);
  assertEquals(views.map(({ state }) => state), STATES);
  assertEquals(reads, { now: 0, most: 16, all: 40 });
});

Deno.test("Triggers.pieces() reads no flow before its piece is taken", async () => {
  const { reads, triggers } = triggersOf();
  const pieces = triggers.pieces(ACTOR, STATES);
  assertEquals(reads.all, 0);
  const { value } = await pieces.next();
  assertEquals([value?.length, reads.all], [16, 16]);
  await pieces.return(undefined);
});
