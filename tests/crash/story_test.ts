/** Plays that share what does not depend on their cuts end like those that share nothing. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { EFFECT_TYPE } from "../support/harness.ts";
import { type Cut, CUT_MODES } from "./mortal_store.ts";
import { type Scenario, Story } from "./story.ts";

const SCENARIO: Scenario = {
  name: "effects and a wait",
  flow: `id: story
namespace: demo
tasks:
  - {id: a, type: ${EFFECT_TYPE}}
  - {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT2S}
  - {id: b, type: ${EFFECT_TYPE}}
`,
};

Deno.test("Story.play() ends the same whether the lives after a crash are known or not", async () => {
  const story = new Story(SCENARIO);
  const [commits = 0] = (await story.play()).commits;
  assert(commits > 2);
  for (const mode of CUT_MODES) {
    for (let at = 1; at <= commits + 1; at++) {
      for (
        const second of [undefined, { at: 1, mode: "die_after" }, { at: 9, mode: "die_before" }] as const
      ) {
        const cuts: (Cut | undefined)[] = [{ at, mode }, second];
        assertEquals(await story.play(cuts), await new Story(SCENARIO).play(cuts), JSON.stringify(cuts));
      }
    }
  }
});

Deno.test("MemoryStore.fingerprint() changes with each key, value and version", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const seen = new Set([store.fingerprint()]);
  const set = async (key: string, value: string) => {
    const mutation = { type: "set", key: [key], value: new TextEncoder().encode(value) } as const;
    await store.commit({ checks: [], mutations: [mutation], messages: [] });
    assertEquals(seen.has(store.fingerprint()), false);
    seen.add(store.fingerprint());
    assertEquals(store.reopen(clock).fingerprint(), store.fingerprint());
  };
  await set("a", "b");
  await set("a", "c");
  await set("a", "c");
  await set("b", "c");
  await store.commit({ checks: [], mutations: [{ type: "delete", key: ["b"] }], messages: [] });
  assertNotEquals(store.fingerprint(), [...seen].at(-1));
});
