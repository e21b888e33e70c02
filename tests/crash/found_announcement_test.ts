/** What earlier processes announced is looked for while recovered executions announce more: none is reacted to twice. */
import { assertEquals } from "@std/assert";
import { compareKeys } from "../support/checks/key_order.ts";
import { ANNOUNCEMENTS } from "../../src/store/keys.ts";
import type { MemoryStore } from "../support/fakes/memory_store.ts";
import type { Atomic, ListOptions, Selector, StoredEntry } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { executionsOf, flowTrigger, triggeredFlow } from "../support/flows/triggers.ts";

/** Finds announcements once one was written, as a database does that is busy with a recovery. */
class SlowAnnouncements extends FaultyStore {
  readonly #written = Promise.withResolvers<void>();

  override async commit(atomic: Atomic): Promise<string | null> {
    const versionstamp = await super.commit(atomic);
    if (atomic.mutations.some(({ type, key }) => type === "set" && key[0] === "oe")) this.#written.resolve();
    return versionstamp;
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const isSlow = "prefix" in selector && "prefix" in ANNOUNCEMENTS &&
      compareKeys(selector.prefix, ANNOUNCEMENTS.prefix) === 0;
    if (isSlow) await Promise.race([this.#written.promise, settle()]);
    yield* super.list(selector, options);
  }
}

Deno.test("start() reacts once to an execution that ends while announcements are looked for", async () => {
  const first = await Harness.start({ effect: () => new Promise<never>(() => {}) });
  const upstream = { tasks: [{ id: "a", type: EFFECT_TYPE }], triggers: [] };
  await first.save(triggeredFlow("upstream", {}, upstream));
  await first.save(triggeredFlow("listener", flowTrigger({ states: ["SUCCESS"] })));
  await first.start("upstream");
  await settle();
  const wrap = (store: MemoryStore) => new SlowAnnouncements(store);
  await using second = await first.crash({ wrap });
  await settle();
  assertEquals((await executionsOf(second, "listener")).length, 1);
  assertEquals(second.store.count(["oe"]), 0);
});
