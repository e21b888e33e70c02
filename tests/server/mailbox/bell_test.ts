import { assertEquals } from "@std/assert";
import { Bell } from "../../../src/server/mailbox/bell.ts";
import type { Key } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";

/** Counts the watches that are open, and that were opened. */
class WatchedStore extends MemoryStore {
  open = 0;
  opened = 0;

  override watch(key: Key, onChange: () => void): () => void {
    const stop = super.watch(key, onChange);
    this.open++;
    this.opened++;
    return () => {
      this.open--;
      stop();
    };
  }
}

interface Parts {
  readonly clock: FakeClock;
  readonly store: WatchedStore;
  readonly bell: Bell;
}

const RULES: Readonly<Record<string, (parts: Parts) => Promise<void>>> = {
  "uses within a minute share a watch": async ({ clock, store, bell }) => {
    bell.use()();
    await clock.advance(59_000);
    bell.use()();
    await clock.advance(59_000);
    assertEquals([store.open, store.opened], [1, 1]);
    await clock.advance(2_000);
    assertEquals([store.open, clock.timerCount], [0, 0]);
  },
  "it rings each two seconds while it is used": async ({ clock, bell }) => {
    const endUse = bell.use();
    for (const isUsed of [true, false]) {
      let hasRung = false;
      void bell.next().then(() => hasRung = true);
      await clock.advance(2_000);
      assertEquals(hasRung, isUsed);
      endUse();
    }
  },
  "its end ends all waits, and a use that ends later plans nothing": async ({ clock, store, bell }) => {
    const endUse = bell.use();
    const rung = bell.next();
    bell[Symbol.dispose]();
    await rung;
    endUse();
    assertEquals([store.open, clock.timerCount], [0, 0]);
  },
};

for (const [rule, check] of Object.entries(RULES)) {
  Deno.test(`Bell: ${rule}`, async () => {
    const clock = new FakeClock();
    const store = new WatchedStore(clock);
    using bell = new Bell({ store, clock, process: "follower" });
    await check({ clock, store, bell });
    store.close();
  });
}
