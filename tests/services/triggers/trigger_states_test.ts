/** The cache of trigger states. */
import { assertEquals } from "@std/assert";
import type { TriggerKey } from "../../../src/model/flows/flow.ts";
import { Evaluations } from "../../../src/model/triggers/evaluations.ts";
import type { TriggerState } from "../../../src/model/triggers/trigger_state.ts";
import { TriggerStates } from "../../../src/services/triggers/trigger_states.ts";

function states(members: Partial<TriggerState>): TriggerStates {
  const get = (_tenant: string, key: TriggerKey) =>
    Promise.resolve({ evaluations: Evaluations.none, ...key, ...members });
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

const many = (count: number, reason: string) =>
  Evaluations.of(Array.from({ length: count }, (_, at) => ({ at, outcome: "SKIPPED", reason } as const)));
const texts = (count: number) => Array.from({ length: count }, (_, n) => `${n}`.padStart(40, "-"));
const dates = { start: 0, end: 1, currentDate: 0, isPaused: false };

/** What a state remembers, and whether a thousand of them are kept. */
const REMEMBERED: readonly (readonly [name: string, members: Partial<TriggerState>, isAll: boolean])[] = [
  ["remember nothing", {}, true],
  ["remember usual evaluations", { evaluations: many(20, "The previous execution is still running") }, true],
  ["remember much of polls", { pollState: { seen: texts(1_000) } }, false],
  ["have large inputs of a backfill", { backfill: { ...dates, inputs: { seen: texts(500) } } }, false],
  ["have long reasons", { evaluations: many(20, "x".repeat(700)) }, false],
];
for (const [name, members, isAll] of REMEMBERED) {
  Deno.test(`TriggerStates.get() keeps ${isAll ? "a thousand" : "few"} states that ${name}`, async () => {
    const kept = await keptOf(states(members), 1_000);
    assertEquals(isAll ? kept === 1_000 : kept < 200, true, `${kept} states`);
  });
}
