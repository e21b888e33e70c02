/** A state that more triggers await than one commit takes: each of them gets it once, in groups. */
import { assertEquals } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import type { Atomic, ListOptions, Selector, StoredEntry } from "../../../src/store/store.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../../support/harness.ts";
import {
  condition,
  executionsOf,
  flowTrigger,
  type StartedExecution,
  triggeredFlow,
} from "../../support/flows/triggers.ts";

/** Remembers how many announcements a commit stores. */
class CountingStore extends FaultyStore {
  most = 0;

  override async commit(atomic: Atomic): Promise<string | null> {
    const count = atomic.mutations.filter(({ type, key }) => type === "set" && key[0] === "oe").length;
    this.most = Math.max(this.most, count);
    return await super.commit(atomic);
  }
}

/** A flow whose triggers await executions of any other flow. */
function listener(triggers: number, states: readonly string[]): string {
  const all = Array.from(
    { length: triggers },
    (_, n) => ({ id: `t${n}`, ...flowTrigger({ states: [...states] }) }),
  );
  return triggeredFlow("listener", {}, { triggers: all });
}

const UPSTREAM = stringifyJson({
  id: "a",
  namespace: "demo",
  tasks: [{ id: "r", type: "io.kestra.plugin.core.debug.Return", format: "done" }],
});

/** The states that each trigger has seen, in their order. */
function seenBy(started: readonly StartedExecution[]): string[] {
  const byTrigger = Map.groupBy(started, ({ triggerId }) => triggerId);
  return [...byTrigger.values()].map((each) => each.map(({ trigger }) => String(trigger.state)).join());
}

Deno.test("each of 120 triggers reacts once to each state, in their order", async () => {
  let store: CountingStore | undefined;
  await using app = await Harness.start({ wrap: (memory) => store = new CountingStore(memory) });
  await app.save(listener(120, ["RUNNING", "SUCCESS"]));
  await app.save(UPSTREAM);
  await app.start("a");
  await settle();
  assertEquals(seenBy(await executionsOf(app, "listener")), Array(120).fill("RUNNING,SUCCESS"));
  assertEquals([app.store.count(["oe"]), store?.most], [0, 51]);
});

Deno.test("a trigger reacts to a later state that few await after an earlier one that is announced in groups", async () => {
  await using app = await Harness.start();
  const early = Array.from(
    { length: 120 },
    (_, n) => ({ id: `t${n}`, ...flowTrigger({ states: ["RUNNING"] }) }),
  );
  const both = { id: "z", ...flowTrigger({ states: ["RUNNING", "SUCCESS"] }) };
  await app.save(triggeredFlow("listener", {}, { triggers: [...early, both] }));
  await app.save(stringifyJson({ id: "a", namespace: "demo", tasks: [{ id: "e", type: EFFECT_TYPE }] }));
  await app.start("a");
  for (let turn = 0; turn < 10; turn++) await settle();
  const started = await executionsOf(app, "listener");
  assertEquals(seenBy(started.filter(({ triggerId }) => triggerId === "z")), ["RUNNING,SUCCESS"]);
  assertEquals([started.length, app.store.count(["oe"])], [122, 0]);
});

Deno.test("a start is stored and ends though 1,200 triggers await it", async () => {
  await using app = await Harness.start();
  const flows = Array.from({ length: 3 }, (_, n) => `l${n}`);
  const conditions = [{
    type: "io.kestra.plugin.core.condition.ExecutionNamespace",
    namespace: "{{ 'elsewhere' }}",
  }];
  const triggers = Array.from({ length: 400 }, (_, n) => ({ id: `t${n}`, ...flowTrigger({ conditions }) }));
  for (const id of flows) await app.save(triggeredFlow(id, {}, { triggers }));
  await app.save(UPSTREAM);
  const { id } = await app.start("a");
  await settle();
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
  assertEquals(app.store.count(["oe"]), 0);
});

Deno.test("an end writes nothing for 400 triggers whose condition names another namespace", async () => {
  let store: CountingStore | undefined;
  await using app = await Harness.start({ wrap: (memory) => store = new CountingStore(memory) });
  const conditions = [{ type: "io.kestra.plugin.core.condition.ExecutionNamespace", namespace: "elsewhere" }];
  const triggers = Array.from({ length: 400 }, (_, n) => ({ id: `t${n}`, ...flowTrigger({ conditions }) }));
  await app.save(triggeredFlow("listener", {}, { triggers }));
  await app.save(UPSTREAM);
  const before = store?.commits ?? 0;
  await app.start("a");
  await settle();
  assertEquals([(store?.commits ?? 0) - before, store?.most], [1, 0]);
});

/** Counts how often the pages of task runs are read. */
class ReadingStore extends FaultyStore {
  pages = 0;

  override list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const key = "prefix" in selector ? selector.prefix : selector.start;
    if (key[1] === "t") this.pages++;
    return super.list(selector, options);
  }
}

Deno.test("an execution is read once for all triggers of 40 flows that react to its end together", async () => {
  let store: ReadingStore | undefined;
  await using app = await Harness.start({ wrap: (memory) => store = new ReadingStore(memory) });
  const trigger = flowTrigger({
    conditions: [condition("ExecutionFlow", { namespace: "demo", flowId: "a" })],
  });
  for (let n = 0; n < 40; n++) await app.save(triggeredFlow(`l${n}`, trigger));
  const returns = { id: "r", type: "io.kestra.plugin.core.debug.Return", format: "x".repeat(900) };
  const values = Array.from({ length: 20 }, (_, n) => `${n}`);
  const each = { id: "e", type: "io.kestra.plugin.core.flow.ForEach", values, tasks: [returns] };
  await app.save(stringifyJson({ id: "a", namespace: "demo", tasks: [each] }));
  const before = store?.pages ?? 0;
  await app.start("a");
  for (let turn = 0; turn < 10; turn++) await settle();
  const { pages = 0 } = store ?? {};
  const started = await Promise.all(Array.from({ length: 40 }, (_, n) => executionsOf(app, `l${n}`)));
  assertEquals([started.flat().length, pages - before], [40, 1]);
});

const CRASHES: readonly Fault[] = ["fail_before", "fail_after"];
const LISTENERS = 60;

for (const fault of CRASHES) {
  Deno.test(`each of ${LISTENERS} triggers reacts once when the process dies at one of the first six commits, or at some later ones (${fault})`, async () => {
    for (let deadAt = 0; deadAt < LISTENERS + 10; deadAt += deadAt < 6 ? 1 : 9) {
      let store: FaultyStore | undefined;
      const first = await Harness.start({ wrap: (memory) => store = new FaultyStore(memory) });
      await first.save(listener(LISTENERS, ["SUCCESS"]));
      await first.save(UPSTREAM);
      if (store) {
        const alive = store.commits + deadAt;
        store.plan = (commit) => commit <= alive ? "none" : commit === alive + 1 ? fault : "fail_before";
      }
      await first.request("POST", "/executions/demo/a");
      await settle();
      first.clock.jump(1); // Ids are drawn anew, and must not be the same ones.
      await using second = await first.crash({});
      await second.advance(1_000);
      const starts = (await executionsOf(second, "a")).length;
      const seen = seenBy(await executionsOf(second, "listener"));
      assertEquals([deadAt, seen], [deadAt, Array(starts * LISTENERS).fill("SUCCESS")]);
      assertEquals(second.store.count(["oe"]), 0);
    }
  });
}
