import { assertEquals, assertRejects } from "@std/assert";
import { IdSource } from "../../../src/base/id.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { Idempotency, type OnceOutcome } from "../../../src/services/starts/idempotency.ts";
import { Blobs } from "../../../src/store/blobs/blobs.ts";
import { IdempotencyRecords } from "../../../src/store/records/idempotency_records.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";

const BODY = { body: "b" };

class Bench implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly store = new MemoryStore(this.clock);
  readonly committer = quietCommitter(this.store, this.clock);
  readonly idempotency: Idempotency;
  starts = 0;

  constructor() {
    const { store, committer, clock } = this;
    const blobs = new Blobs({ store, committer, ids: new IdSource(), clock });
    const records = new IdempotencyRecords({ store, committer, blobs });
    this.idempotency = new Idempotency({ records, clock, tenants: () => ["main", "other"] });
  }

  /** Asks for a start whose answer is `text`; `fail` is thrown after it was asked to be remembered. */
  once(
    options: { tenant?: string; caller?: string; key?: string; text?: string; fail?: Error } = {},
  ): Promise<OnceOutcome> {
    const { tenant = "main", caller = "ann", key = "k", text = "a", fail } = options;
    return this.idempotency.once({ tenant, caller: [caller], key, request: ["POST"] }, {
      first: async (content, remember) => {
        content.addBody(BODY);
        const response = { status: 200, contentType: "text/plain", body: text };
        const mutations = await remember({ executionId: `e${++this.starts}`, flowRevision: 1, response });
        if (fail) throw fail;
        await this.committer.commit({ mutations });
      },
      again: (content) => Promise.resolve(content.addBody(BODY)),
    });
  }

  async keyCount(): Promise<number> {
    const keys = await Array.fromAsync(this.store.list({ prefix: ["main"] }));
    return keys.length + (await Array.fromAsync(this.store.list({ prefix: ["bi"] }))).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.committer[Symbol.asyncDispose]();
    this.store.close();
  }
}

async function startBench(): Promise<Bench> {
  const bench = new Bench();
  await bench.committer.start();
  return bench;
}

const SCOPES: readonly (readonly [string, object, boolean])[] = [
  ["the same caller", {}, true],
  ["another caller", { caller: "bob" }, false],
  ["another tenant", { tenant: "other" }, false],
  ["another key", { key: "k2" }, false],
];

for (const [name, options, isReplayed] of SCOPES) {
  Deno.test(`once() ${isReplayed ? "returns the first response again" : "starts"} for ${name}`, async () => {
    await using bench = await startBench();
    await bench.once();
    assertEquals((await bench.once(options)).isReplayed, isReplayed);
    assertEquals(bench.starts, isReplayed ? 1 : 2);
  });
}

const SIZES = [0, 1, 59_000, 60_000, 70_000, 700_000] as const;

for (const size of SIZES) {
  Deno.test(`once() stores a response of ${size} characters, and sweepExpired() removes it`, async () => {
    await using bench = await startBench();
    const text = "é".repeat(size);
    await bench.once({ text });
    const { remembered } = await bench.once();
    assertEquals(remembered?.response?.body, text);
    bench.clock.jump(24 * 3_600_000);
    assertEquals(await bench.idempotency.sweepExpired(), 1);
    assertEquals(await bench.keyCount(), 0);
  });

  Deno.test(`once() stores nothing of a refused start with a response of ${size} characters`, async () => {
    await using bench = await startBench();
    const fail = new DomainError("unavailable", "Cannot write");
    await assertRejects(() => bench.once({ text: "é".repeat(size), fail }), DomainError, "Cannot write");
    assertEquals(await bench.keyCount(), 0);
    assertEquals((await bench.once()).isReplayed, false);
  });
}

Deno.test("once() refuses a response that is too large to be stored, before it starts anything", async () => {
  await using bench = await startBench();
  await assertRejects(
    () => bench.once({ text: "x".repeat(16 * 1024 * 1024 + 1) }),
    DomainError,
    "send large values as files",
  );
  assertEquals([bench.starts, await bench.keyCount()], [1, 0]);
});

Deno.test("sweepExpired() keeps unexpired records, and removes a bounded number at a time", async () => {
  await using bench = await startBench();
  for (let i = 0; i < 250; i++) await bench.once({ key: `k${i}` });
  assertEquals(await bench.idempotency.sweepExpired(), 0);
  bench.clock.jump(24 * 3_600_000);
  await bench.once({ key: "new" });
  const swept = [await bench.idempotency.sweepExpired(), await bench.idempotency.sweepExpired()];
  assertEquals([swept, await bench.idempotency.sweepExpired(), await bench.keyCount()], [[200, 50], 0, 2]);
});
