/** The contract of the mailbox, over the store in memory and over a database server. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { IdSource } from "../../../src/base/id.ts";
import { KvConnectStore } from "../../../src/store/kv_connect/kv_connect_store.ts";
import type { Key, Store, StoredEntry } from "../../../src/store/store.ts";
import { Denokv, DENOKV_TOKEN, denokvTest } from "../../support/servers/denokv.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { Machine } from "../../simulation/cluster/machine.ts";
import { MailboxPair } from "./mailbox_pair.ts";

const START = "/api/v1/main/executions/a/b";
const SEARCH = "/api/v1/main/flows/search";
const JSON_BODY = { method: "POST", headers: { "content-type": "text/plain" } };

const RULES: Readonly<Record<string, (pair: MailboxPair) => Promise<void>>> = {
  "a request arrives as its client sent it, and its response as the leader gave it": async (pair) => {
    await pair.lead(1, async (request, env) => {
      const { method, url, headers } = request;
      const shown = [method, url, headers.get("x-a"), await request.text(), env.remoteAddr.hostname];
      return Response.json(shown, { status: 201, headers: { "set-cookie": "a=1" } });
    });
    const init = { method: "PUT", headers: { "x-a": "é" }, body: "content" };
    const response = await pair.send("/api/v1/main/x?q=%20", init);
    assertEquals([response.status, response.headers.getSetCookie()], [201, ["a=1"]]);
    assertEquals(await response.json(), [
      ...["PUT", "http://sluice.example/api/v1/main/x?q=%20", "é", "content", "192.0.2.7"],
    ]);
    await pair.untilEmpty();
  },
  "a response without a body has none": async (pair) => {
    await pair.lead(1, () => new Response(null, { status: 204 }));
    const response = await pair.send(START, { method: "POST" });
    assertEquals([response.status, response.body], [204, null]);
    await pair.untilEmpty();
  },
  "large bodies pass in both directions": async (pair) => {
    await pair.lead(1, async (request) => new Response(await request.bytes()));
    const bytes = Uint8Array.from({ length: 1_500_000 }, (_, n) => n * 7 % 251);
    const response = await pair.send(START, { method: "POST", body: bytes });
    const received = await response.bytes();
    assertEquals([received.length, received.every((byte, n) => byte === bytes[n])], [bytes.length, true]);
    await pair.untilEmpty();
  },
  "many requests at once have a response each": async (pair) => {
    await pair.lead(1, async (request) => new Response(await request.text()));
    const texts = Array.from({ length: 30 }, (_, n) => `request ${n}`);
    const responses = await Promise.all(
      texts.map(async (body) => await (await pair.send(START, { ...JSON_BODY, body })).text()),
    );
    assertEquals(responses, texts);
    await pair.untilEmpty();
  },
  "events of a stream arrive one by one, and the leader learns that the client is gone": async (pair) => {
    const gone = Promise.withResolvers<void>();
    const events = new TransformStream<Uint8Array<ArrayBuffer>>();
    const writer = events.writable.getWriter();
    await pair.lead(1, ({ signal }) => {
      signal.addEventListener("abort", () => gone.resolve());
      return new Response(events.readable, { headers: { "content-type": "text/event-stream" } });
    });
    const response = await pair.send("/api/v1/main/executions/x/follow");
    const reader = (response.body ?? new ReadableStream()).getReader();
    for (const event of [1, 2]) {
      await writer.write(new Uint8Array([event]));
      assertEquals([...(await reader.read()).value ?? []], [event]);
    }
    await reader.cancel();
    await gone.promise;
    await pair.untilEmpty();
    assertEquals(pair.carrier.openCount, 0);
  },
  "a request that no leader claims is withdrawn after five seconds: 503 when no other one comes": async (
    pair,
  ) => {
    pair.view.set(1);
    const sent = pair.send(START, { method: "POST", body: "x" });
    await pair.until(async () => await pair.stored() > 0);
    await pair.clock.advance(6_000);
    await pair.untilEmpty();
    let isOver = false;
    sent.finally(() => isOver = true);
    await pair.until(() => isOver, 1_000);
    const response = await sent;
    assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
    assertStringIncludes(await response.text(), "did not take the request");
    let count = 0;
    await pair.lead(1, () => new Response(String(++count)));
    assertEquals(await (await pair.send(START, { method: "POST" })).text(), "1");
    await pair.untilEmpty();
  },
  "a request that the former leader has claimed: 504, and it is not handled again": async (pair) => {
    const received = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let count = 0;
    await pair.lead(1, async () => {
      count++;
      received.resolve();
      await released.promise;
      return new Response();
    });
    const sent = pair.send(START, { method: "POST", body: "x" });
    await received.promise;
    await pair.lead(2, () => new Response(String(++count)));
    await pair.clock.advance(6_000);
    await pair.until(() => pair.carrier.openCount === 0);
    assertEquals((await sent).status, 504);
    await (await sent).body?.cancel();
    released.resolve();
    assertEquals(count, 1);
  },
  "a request that the former leader has not claimed, and a safe one, are repeated at the new leader at once":
    async (pair) => {
      pair.view.set(1);
      const keyed = {
        method: "POST",
        headers: { "idempotency-key": "k", "content-length": "5" },
        body: "input",
      };
      const sent = [pair.send(SEARCH), pair.send(START, keyed)];
      const texts = sent.map(async (response) => await (await response).text());
      await pair.until(async () => await pair.stored() >= 3);
      await pair.lead(2, async (request) => new Response(`${request.method} ${await request.text()}`));
      assertEquals(await Promise.all(texts), ["GET ", "POST input"]);
      await pair.untilEmpty();
    },
  "the claim of a request that may have an effect is stored before it is handled; a safe one needs none":
    async (
      pair,
    ) => {
      await pair.lead(1, async ({ method }) => {
        const claims = await Array.fromAsync(pair.store.list({ prefix: ["mb", "c"] }));
        return new Response(`${method} ${claims.length}`);
      });
      const safe = await (await pair.send(SEARCH)).text();
      await pair.untilEmpty();
      assertEquals([safe, await (await pair.send(START, { method: "POST" })).text()], ["GET 0", "POST 1"]);
      await pair.untilEmpty();
    },
  "a safe request that takes long is not withdrawn": async (pair) => {
    const received = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await pair.lead(1, async () => {
      received.resolve();
      await released.promise;
      return new Response("found");
    });
    const sent = pair.send(SEARCH);
    await received.promise;
    await pair.clock.advance(1_000);
    await pair.until(async () =>
      (await Array.fromAsync(pair.store.list({ prefix: ["mb", "c"] }))).length > 0
    );
    await pair.clock.advance(6_000);
    released.resolve();
    assertEquals(await (await sent).text(), "found");
    await pair.untilEmpty();
  },
  "a safe request that was withdrawn is ended when it takes long": async (pair) => {
    const received = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await pair.lead(1, ({ signal }) => {
      received.resolve();
      signal.addEventListener("abort", () => ended.resolve());
      return ended.promise.then(() => new Response());
    });
    const client = new AbortController();
    const sent = pair.send(SEARCH, { signal: client.signal });
    await received.promise;
    client.abort();
    assertEquals((await sent).status, 503);
    await pair.clock.advance(1_000);
    await ended.promise;
  },
  "a request whose head the database cannot store is refused at once, and nothing of it is posted": async (
    pair,
  ) => {
    await pair.lead(1, () => new Response());
    const headers = { cookie: "c".repeat(70_000) };
    const response = await pair.send(START, { method: "POST", headers, body: "x".repeat(1_000_000) });
    assertEquals([response.status, await pair.stored()], [413, 0]);
    assertStringIncludes(await response.text(), "60000 bytes");
  },
  "what processes have left is swept after fifteen minutes": async (pair) => {
    const old = new IdSource().next(FAKE_START - 16 * 60_000);
    const recent = new IdSource().next(FAKE_START);
    const keys = [["mb", "q"], ["mb", "b"], ["mb", "c"], ["mb", "a"], ["mr"]];
    const mutations = keys.flatMap((prefix) =>
      [old, recent].map((id) => {
        const value = new TextEncoder().encode('\u0001"withdrawn"');
        return { type: "set", key: [...prefix, id, ...prefix.length === 1 ? [0] : []], value } as const;
      })
    );
    await pair.store.commit({ checks: [], mutations, messages: [] });
    await pair.lead(1, () => new Response());
    await pair.until(async () => await pair.stored() === 5);
    assertEquals(await pair.stored(), 5);
  },
};

for (const [rule, check] of Object.entries(RULES)) {
  Deno.test(`mailbox (memory): ${rule}`, async () => {
    const store = new MemoryStore(new FakeClock());
    {
      await using pair = new MailboxPair(store);
      await check(pair);
    }
    store.close();
  });
}

denokvTest("mailbox (KV Connect): all rules", () =>
  withTempDir(async (directory) => {
    await using server = await Denokv.start(`${directory}/mailbox.db`);
    const open = () => KvConnectStore.open({ url: server.url, token: DENOKV_TOKEN, clock: systemClock });
    for (const [rule, check] of Object.entries(RULES)) {
      const stores = await Promise.all([open(), open()]);
      {
        await using pair = new MailboxPair(...stores as [Store, Store]);
        await check(pair).catch((error) => {
          throw new Error(rule, { cause: error });
        });
      }
      // The desk writes the responses under way until it is disposed.
      for (const prefix of ["mb", "mr"]) await clear(stores[0] as Store, prefix);
      for (const store of stores) store.close();
    }
  }));

async function clear(store: Store, prefix: string): Promise<void> {
  const entries = await Array.fromAsync(store.list({ prefix: [prefix] }));
  const mutations = entries.map(({ key }) => ({ type: "delete", key } as const));
  await store.commit({ checks: [], mutations, messages: [] });
}

/** A store whose commits of a follower fail or arrive late. */
class LateStore extends MemoryStore {
  readonly held: (() => void)[] = [];
  isHolding = false;

  override commit(...[atomic]: Parameters<MemoryStore["commit"]>): Promise<string | null> {
    if (!this.isHolding || !atomic.mutations.some(({ key }) => key[1] === "q")) return super.commit(atomic);
    this.isHolding = false;
    this.held.push(() => void super.commit(atomic));
    return Promise.reject(new Error("the response was lost"));
  }
}

Deno.test("mailbox: a request that arrives after its follower has withdrawn it is never handled; it is posted again", async () => {
  const store = new LateStore(new FakeClock());
  {
    await using pair = new MailboxPair(store);
    let count = 0;
    await pair.lead(1, () => new Response(String(++count)));
    store.isHolding = true;
    const sent = pair.send(START, { method: "POST", body: "x" });
    await pair.until(() => count === 1, 1_000);
    assertEquals([store.held.length, await (await sent).text()], [1, "1"]);
    for (const land of store.held) land();
    await pair.clock.advance(10_000);
    assertEquals(count, 1);
    assertEquals(await (await pair.send(START, { method: "POST" })).text(), "2");
  }
  store.close();
});

Deno.test("mailbox: a body that the client does not send to its end is refused", async () => {
  const store = new MemoryStore(new FakeClock());
  {
    await using pair = new MailboxPair(store);
    await pair.lead(1, () => new Response());
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    assertEquals((await pair.send(START, { method: "POST", body })).status, 400);
    assertEquals(pair.carrier.openCount, 0);
  }
  store.close();
});

for (const isKnown of [false, true]) {
  const rule =
    `a request whose claim was swept while its follower was suspended: 504, claim known: ${isKnown}`;
  Deno.test(`mailbox: ${rule}`, async () => {
    const store = new MemoryStore(new FakeClock());
    const follower = new Machine(new FakeClock(), store);
    {
      await using pair = new MailboxPair(store, follower);
      const finish = Promise.withResolvers<void>();
      let count = 0;
      await pair.lead(1, async () => {
        count++;
        await finish.promise;
        return new Response();
      });
      const sent = pair.send(START, { method: "POST", body: "x" });
      await pair.until(() => count === 1);
      if (isKnown) await pair.clock.advance(10_000);
      follower.freeze();
      finish.resolve();
      await pair.until(async () => await pair.stored() === 0, 60_000);
      follower.thaw(true);
      await pair.clock.advance(70_000);
      assertEquals([pair.carrier.openCount, count], [0, 1]);
      assertEquals((await sent).status, 504);
    }
    store.close();
  });
}

for (const fault of ["fail_before", "fail_after", "late"] as const) {
  Deno.test(`mailbox: a withdrawal whose outcome is unknown is tried again: ${fault}`, async () => {
    const store = new MemoryStore(new FakeClock());
    const faults: Fault[] = [fault];
    const follower = new FaultyStore(store, (_, { mutations: [first] }) => {
      const isWithdrawal = first?.type === "delete" && first.key[1] === "q";
      return (isWithdrawal ? faults.shift() : undefined) ?? "none";
    });
    {
      await using pair = new MailboxPair(store, follower);
      pair.view.set(1);
      const sent = pair.send(START, { method: "POST", body: "x" });
      await pair.until(async () => await pair.stored() > 0);
      await pair.clock.advance(20_000);
      assertEquals(pair.carrier.openCount, 0);
      assertEquals((await sent).status, 503);
      await follower.land();
      assertEquals(await pair.stored(), 0);
    }
    store.close();
  });
}

/** A store that fails one commit of a claim, or the read after it. */
class ClaimFaultStore extends FaultyStore {
  faults = 0;
  #isReadFaulty = false;

  constructor(inner: MemoryStore, failsRead: boolean) {
    super(inner, (_, { mutations }) => {
      const isClaim = mutations.some(({ type, key }) => type === "set" && key[0] === "mb" && key[1] === "c");
      if (!isClaim || this.faults > 0) return "none";
      this.faults++;
      this.#isReadFaulty = failsRead;
      return failsRead ? "none" : "fail_before";
    });
  }

  override get(key: Key): Promise<StoredEntry | null> {
    if (!this.#isReadFaulty || key[1] !== "q") return super.get(key);
    this.#isReadFaulty = false;
    return Promise.reject(new Error("disk I/O error"));
  }
}

for (const [what, failsRead] of [["commit", false], ["read after it", true]] as const) {
  Deno.test(`mailbox: a request whose claim fails once is handled once: the ${what} fails`, async () => {
    const memory = new MemoryStore(new FakeClock());
    const store = new ClaimFaultStore(memory, failsRead);
    {
      await using pair = new MailboxPair(store, memory);
      let count = 0;
      await pair.lead(1, () => new Response(String(++count)));
      const sent = pair.send(START, { method: "POST", body: "x" });
      await pair.until(() => store.faults > 0);
      await pair.clock.advance(3_000);
      assertEquals(count, 1);
      const response = await sent;
      assertEquals([response.status, await response.text()], [200, "1"]);
      await pair.untilEmpty();
      assertEquals([store.faults, count], [1, 1]);
    }
    memory.close();
  });
}
