/** Timers that could not be read at a start are read later, and none of them is passed over. */
import { assertEquals } from "@std/assert";
import type { MemoryStore } from "../support/fakes/memory_store.ts";
import type { ListOptions, Selector, StoredEntry } from "../../src/store/store.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { Harness, statesOf } from "../support/harness.ts";

const FLOW = `
id: sleep
namespace: demo
tasks:
  - {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT2S}
`;

/** Cannot list timers the first few times. */
class UnreadableTimers extends FaultyStore {
  failures = 3;

  override list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const first = "start" in selector ? selector.start : selector.prefix;
    if (first[0] === "tm" && this.failures-- > 0) throw new Error("injected: not read");
    return super.list(selector, options);
  }
}

Deno.test("Timers fires what was overdue when the first reads failed", async () => {
  const first = await Harness.start();
  const { id } = await first.run(FLOW);
  await first.advance(1_000);
  first.clock.jump(60_000); // The server is down while the timer comes due.
  await using second = await first.crash({ wrap: (store: MemoryStore) => new UnreadableTimers(store) });
  await second.advance(5_000);
  assertEquals(statesOf(await second.execution(id)), "CREATED RUNNING SUCCESS");
  assertEquals(second.store.count(["tm"]), 0);
});
