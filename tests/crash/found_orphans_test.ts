/** The search for values that were never finished runs while recovered executions write: it must leave theirs alone. */
import { assertEquals } from "@std/assert";
import { compareKeys } from "../support/checks/key_order.ts";
import { BLOB_INTENTS } from "../../src/store/keys.ts";
import type { MemoryStore } from "../support/fakes/memory_store.ts";
import type { Atomic, ListOptions, Selector, StoredEntry } from "../../src/store/store.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";

const FLOW = `
id: large
namespace: demo
tasks:
  - {id: act, type: ${EFFECT_TYPE}}
  - {id: big, type: io.svc.plugin.core.debug.Return, format: "{{ outputs.act.text }}"}
`;

/** Time goes on a little with each look at it, as it does in reality. */
class TickingClock extends FakeClock {
  override now(): number {
    this.jump(1);
    return super.now();
  }
}

/** Finds the intents only once one was written, as a database does that is busy with a recovery. */
class SlowIntents extends FaultyStore {
  readonly #written = Promise.withResolvers<void>();

  override async commit(atomic: Atomic): Promise<string | null> {
    const versionstamp = await super.commit(atomic);
    if (atomic.mutations.some(({ type, key }) => type === "set" && key[0] === "bi")) this.#written.resolve();
    return versionstamp;
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const isIntents = "prefix" in selector && "prefix" in BLOB_INTENTS &&
      compareKeys(selector.prefix, BLOB_INTENTS.prefix) === 0;
    if (isIntents) await this.#written.promise;
    yield* super.list(selector, options);
  }
}

/** While the later ones are read the first ones are written. */
const EXECUTIONS = 30;

Deno.test("start() removes no large value that a recovered execution is writing", async () => {
  const text = "x".repeat(200_000);
  const first = await Harness.start({ effect: () => new Promise<never>(() => {}) });
  await first.save(FLOW);
  const ids = [];
  for (let n = 0; n < EXECUTIONS; n++) ids.push((await first.start("large")).id);
  const clock = new TickingClock(first.clock.now());
  const wrap = (store: MemoryStore) => new SlowIntents(store);
  const effect = () => ({ state: "SUCCESS", outputs: { text } }) as const;
  const second = await Harness.start({ wrap, effect }, first.store.reopen(clock), clock);
  await settle();
  await using third = await second.crash({});
  await settle();
  const states = [];
  for (const id of ids) {
    const response = await third.request("GET", `/executions/${id}`);
    const answer = await response.json();
    states.push(response.ok && answer.taskRunList[1].outputs.value === text ? "whole" : response.status);
  }
  assertEquals(states, ids.map(() => "whole"));
  await second[Symbol.asyncDispose]();
});
