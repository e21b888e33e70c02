/** The cache of trigger states. */
import { assertEquals } from "@std/assert";
import type { TriggerKey } from "../../../src/model/flows/flow.ts";
import { Evaluations } from "../../../src/model/triggers/evaluations.ts";
import type { TriggerState } from "../../../src/model/triggers/trigger_state.ts";
import { TriggerStates } from "../../../src/services/triggers/trigger_states.ts";

function states(pollState: TriggerState["pollState"]): TriggerStates {
  const get = (_tenant: string, key: TriggerKey) =>
    Promise.resolve({ ...key, pollState, evaluations: Evaluations.of([]) });
  return new TriggerStates({ records: { get } } as unknown as ConstructorParameters<typeof TriggerStates>[0]);
}

async function keptOf(of: TriggerStates, count: number): Promise<number> {
  const keys = Array.from({ length: count }, (_, n) => ({
    namespace: "demo",
    flowId: "f",
    triggerId: `t${n}`,
  }));
  for (const key of keys) await of.get("main", key);
  return keys.filter((key) => of.known("main", key)).length;
}

Deno.test("TriggerStates.get() keeps the states of a thousand triggers", async () => {
  assertEquals(await keptOf(states(undefined), 1_000), 1_000);
});

Deno.test("TriggerStates.get() keeps few states that remember much", async () => {
  const seen = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(40, "-"));
  assertEquals(await keptOf(states({ seen }), 1_000) < 100, true);
});
