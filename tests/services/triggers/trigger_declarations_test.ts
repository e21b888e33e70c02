/** States that declarations give to triggers. */
import { assertEquals } from "@std/assert";
import type { Flow, Trigger } from "../../../src/model/flows/flow.ts";
import { TriggerDeclarations } from "../../../src/services/triggers/trigger_declarations.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";

const FLOW = { tenant: "main", namespace: "demo", id: "f", triggers: [] } as unknown as Flow;
const TRIGGER = {
  id: "t",
  kind: "core.http.Trigger",
  properties: { interval: "PT1H" },
} as unknown as Trigger;

function declarations(): TriggerDeclarations {
  const deps = { clock: new FakeClock(), catalog: { find: () => ({ form: "polling" }) } };
  return new TriggerDeclarations(deps as unknown as ConstructorParameters<typeof TriggerDeclarations>[0]);
}

Deno.test("TriggerDeclarations.stateOf() keeps the next date of a state with the text of its timing, as earlier versions stored it", async () => {
  const of = declarations();
  const dueAt = FAKE_START + 1_800_000;
  const first = await of.stateOf(FLOW, TRIGGER);
  const old = { ...first, timing: '{"interval":"PT1H"}', dueAt, nextDate: dueAt };
  const next = await of.stateOf(FLOW, TRIGGER, old);
  assertEquals([next.dueAt, next.timing], [dueAt, first.timing]);
});

Deno.test("TriggerDeclarations.stateOf() counts the next date again after another timing", async () => {
  const of = declarations();
  const first = await of.stateOf(FLOW, TRIGGER);
  const later = { ...first, dueAt: FAKE_START + 1_800_000 };
  const daily = { ...TRIGGER, properties: { interval: "P1D" } } as unknown as Trigger;
  assertEquals((await of.stateOf(FLOW, daily, later)).dueAt, first.dueAt);
});
