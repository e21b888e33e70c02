import { assertEquals } from "@std/assert";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";

const RULES = [
  ["run() follows the start, which may have left an execution that it could not read", "none"],
  ["run() is repeated if it could not store its next message", "full"],
] as const;

for (const [rule, fault] of RULES) {
  Deno.test(rule, async () => {
    const effect = () => new Promise<never>(() => {});
    const first = await Harness.start({ effect });
    const { id } = await first.run(`id: once\nnamespace: demo\ntasks: [{id: e, type: ${EFFECT_TYPE}}]\n`);
    const stores: FaultyStore[] = [];
    await using app = await first.crash({
      effect,
      wrap: (memory) => {
        const store = new FaultyStore(memory);
        stores.push(store);
        store.unreadable.add(id);
        return store;
      },
    });
    await settle();
    const [store] = stores;
    if (store) store.plan = () => fault;
    await app.advance(3_000);
    if (store) store.plan = () => "none";
    store?.unreadable.clear();
    assertEquals(app.assembly.executor.isLive("main", id), false);
    await app.advance(10_000);
    assertEquals(app.assembly.executor.isLive("main", id), true);
  });
}
