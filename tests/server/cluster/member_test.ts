/** The roles of processes over one store, in this process and by a fake clock. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Clock } from "../../../src/base/time/clock.ts";
import type { RandomBytes } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { Assembly } from "../../../src/server/assembly.ts";
import { ClusterMember } from "../../../src/server/cluster/member.ts";
import type { Desk, DeskTerm } from "../../../src/server/cluster/term.ts";
import type { Credentials } from "../../../src/model/access/user.ts";
import type { RunnableTaskType } from "../../../src/model/tasks/task_catalog.ts";
import { encodeJson } from "../../../src/store/codec.ts";
import { LEASE_KEY } from "../../../src/store/keys.ts";
import { LeaseWatch } from "../../../src/store/lease.ts";
import { prepareData } from "../../../src/store/meta.ts";
import type { Key, Store, StoredEntry } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../support/fakes/faulty_store.ts";
import { harnessOptions } from "../../support/harness.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";

const TTL_MS = 5_000;
const WATCH_MS = 200;
const FLOW = "{id: one, namespace: demo, tasks: [{id: a, type: io.svc.plugin.core.debug.Return, format: x}]}";

const WAITS = "{id: waits, namespace: demo, tasks: [{id: a, type: io.svc.plugin.harness.Waits}]}";

/** A store as on a database server: without a queue. */
class QueuelessStore extends FaultyStore {
  /** Reads of executions wait for it. */
  executionsReadable: Promise<void> = Promise.resolve();

  override get hasQueue(): boolean {
    return false;
  }

  override async get(key: Key): Promise<StoredEntry | null> {
    if (key[1] === "x") await this.executionsReadable;
    return await super.get(key);
  }
}

interface MemberOptions {
  readonly optionsHash?: string;
  readonly skewMs?: number;
  readonly hasAddress?: boolean;
  readonly watchMs?: number;
  /** Has looked at the lease before the process starts. */
  readonly seen?: LeaseWatch;
}

class World {
  readonly clock = new FakeClock();
  readonly store = new QueuelessStore(new MemoryStore(this.clock));
  readonly forwarded: string[] = [];
  /** Of all processes; absent: they ask for none. */
  credentials: Credentials | undefined;
  /** When the desks of terms are disposed of. */
  deskDisposed: Promise<void> = Promise.resolve();
  /** Processes that take requests from the database. */
  readonly desks: string[] = [];
  /** Attempts of `harness.Waits` that were interrupted. */
  interrupted = 0;
  readonly #members: ClusterMember[] = [];
  /** Number of assemblies that were built. */
  built = 0;

  /** Calls of each process: the leader has responded to a request that another one has posted. */
  readonly served = new Map<string, (process: string) => void>();

  /** A process that has not started. Its requests to the leader are noted and get 299. Those without address hand over. */
  member(
    holder: string,
    { optionsHash = "same", skewMs = 0, hasAddress = true, watchMs = WATCH_MS, seen }: MemberOptions = {},
  ): ClusterMember {
    const { clock: exact, store } = this;
    const clock: Clock = {
      now: () => exact.now() + skewMs,
      monotonicMs: () => exact.monotonicMs(),
      setTimer: (ms, callback) => exact.setTimer(ms, callback),
    };
    const logger = silentLogger(clock);
    const number = this.#members.length;
    // Processes that take over at the same time are told apart by chance.
    const randomBytes: RandomBytes = (buffer) => void buffer.fill(number);
    const { credentials } = this;
    const options = { ...harnessOptions(store, clock), credentials, randomBytes };
    const member = new ClusterMember({
      ...{ store, clock, logger, randomBytes, watchMs },
      database: "kv_connect",
      self: { holder, url: `http://${holder}.test`, version: "1.0.0", optionsHash, ttlMs: TTL_MS },
      seen: seen ?? new LeaseWatch(store, clock),
      prepareData: () => prepareData(store, "key"),
      createAssembly: (term) => {
        this.built++;
        return Assembly.create({ ...options, extraTasks: [this.#waits()], ...term });
      },
      forwarder: () => ({
        count: this.forwarded.length,
        forward: ({ method, url }) => {
          this.forwarded.push(`${holder}: ${method} ${new URL(url).pathname}`);
          return Promise.resolve(new Response(null, { status: 299 }));
        },
      }),
      metrics: () => Promise.resolve([]),
      handsOver: !hasAddress,
      ...!hasAddress && { createDesk: (term: DeskTerm) => this.#desk(holder, term) },
    });
    this.#members.push(member);
    return member;
  }

  #desk(holder: string, { onServed }: DeskTerm): Desk {
    this.served.set(holder, onServed);
    return { start: () => this.desks.push(holder), [Symbol.asyncDispose]: () => this.deskDisposed };
  }

  /** A task that ends when it is interrupted. */
  #waits(): RunnableTaskType {
    const run: RunnableTaskType["run"] = async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      this.interrupted++;
      return { state: "KILLED" };
    };
    const description = "Waits.";
    return {
      form: "runnable",
      type: "harness.Waits",
      aliases: [],
      description,
      pure: false,
      properties: {},
      run,
    };
  }

  async started(holder: string, options: MemberOptions = {}): Promise<ClusterMember> {
    const member = this.member(holder, options);
    const started = member.start();
    // A follower is ready once it has seen a renewal.
    await this.clock.advance(2 * TTL_MS);
    await started;
    return member;
  }

  async stop(): Promise<void> {
    this.store.plan = () => "none";
    for (const member of this.#members) await this.settled(member.stop());
  }

  /** Advances the clock until the work is done. */
  async settled<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const done = work.finally(() => isDone = true);
    for (let round = 0; round < 100 && !isDone; round++) await this.clock.advance(100);
    return await done;
  }
}

function request(method: string, path: string, body?: string): Request {
  const headers = body === undefined ? undefined : { "content-type": "application/x-yaml" };
  return new Request(`http://127.0.0.1:8080${path}`, { method, headers, body });
}

async function statusOf(member: ClusterMember, path: string, method = "GET", body?: string): Promise<number> {
  const response = await member.fetch(request(method, path, body), {});
  await response.body?.cancel();
  return response.status;
}

Deno.test("ClusterMember: the first process leads, the next one follows and sends it what it receives", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  assertEquals([first.leader()?.holder, second.leader()?.holder], ["first", "first"]);
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", FLOW), 200);
  assertEquals(await statusOf(second, "/api/v1/main/flows", "POST", FLOW), 299);
  assertEquals(await statusOf(second, "/health"), 200);
  assertEquals(world.forwarded, ["second: POST /api/v1/main/flows"]);
  await world.stop();
});

Deno.test("ClusterMember: users that one leader changes are those of the next one; followers check none", async () => {
  const world = new World();
  world.credentials = { user: "root", password: "correct:horse" };
  const send = async (member: ClusterMember, method: string, path: string, user: string, body?: object) => {
    const headers = {
      authorization: `Basic ${btoa(`${user}:correct:horse`)}`,
      "content-type": "application/json",
    };
    const init = { method, headers, body: body && JSON.stringify(body) };
    const response = await world.settled(member.fetch(new Request(`http://127.0.0.1:8080${path}`, init), {}));
    await response.body?.cancel();
    return response.status;
  };
  const first = await world.started("first");
  const second = await world.started("second");
  const users = ["vera", "gone"].map((username) => ({ username, password: "correct:horse", role: "viewer" }));
  for (const user of users) assertEquals(await send(first, "POST", "/api/v1/users", "root", user), 201);
  assertEquals(await send(first, "DELETE", "/api/v1/users/gone", "root"), 204);
  assertEquals(await send(second, "GET", "/api/v1/me", "nobody"), 299);
  await world.settled(first.stop());
  await world.clock.advance(2 * TTL_MS);
  assertEquals(second.leader()?.holder, "second");
  const statuses = [];
  for (const user of ["vera", "gone", "root"]) statuses.push(await send(second, "GET", "/api/v1/me", user));
  assertEquals([...statuses, await send(second, "POST", "/api/v1/main/flows", "vera", {})], [
    200,
    401,
    200,
    403,
  ]);
  await world.stop();
});

/** Stores a lease of a process that does not run, or its renewal. */
async function putLease(store: Store): Promise<void> {
  const lease = {
    holder: "dead",
    version: "1.0.0",
    optionsHash: "same",
    ttlMs: TTL_MS,
    epoch: 1,
    renewal: "1",
  };
  const mutations = [{ type: "set", key: LEASE_KEY, value: encodeJson(lease) }] as const;
  await store.commit({ checks: [], mutations, messages: [] });
}

Deno.test("ClusterMember: a term is built two seconds before the lease is free, and dropped if the lease is renewed", async () => {
  const world = new World();
  const { clock, store } = world;
  await putLease(store);
  const member = world.member("next");
  const started = member.start();
  await clock.advance(3_900);
  assertEquals(world.built, 0);
  await clock.advance(2_000);
  assertEquals(world.built, 1);
  await putLease(store);
  await clock.advance(5_900);
  assertEquals([world.built, member.ledEpoch], [2, undefined]);
  await clock.advance(200);
  await started;
  assertEquals([world.built, member.leader()?.holder], [2, "next"]);
  await world.stop();
});

Deno.test("ClusterMember: the lease of a dead leader counts from the first look, before the process has started", async () => {
  const world = new World();
  const { clock, store } = world;
  await putLease(store);
  const seen = new LeaseWatch(store, clock);
  await seen.read();
  await clock.advance(TTL_MS);
  const member = world.member("next", { seen });
  const started = member.start();
  await clock.advance(999);
  assertEquals(member.ledEpoch, undefined);
  await clock.advance(1);
  await started;
  assertEquals(member.leader()?.holder, "next");
  await world.stop();
});

Deno.test("ClusterMember: after an orderly stop another process leads at once", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  const changed = Promise.withResolvers<void>();
  second.onChange(() => changed.resolve());
  // The clock stands still: the watch of the lease wakes the other process.
  await first.stop();
  await changed.promise;
  assertEquals([second.leader()?.holder, second.metrics().takeOvers], ["second", 1]);
  await world.stop();
});

/** A request whose body ends when `end` is called. */
function slowRequest(path: string): { readonly request: Request; readonly end: () => void } {
  const text = new TransformStream<string, string>();
  const writer = text.writable.getWriter();
  const body = text.readable.pipeThrough(new TextEncoderStream());
  const headers = { "content-type": "application/x-yaml" };
  const end = () => void writer.write(FLOW).then(() => writer.close());
  return { request: new Request(`http://127.0.0.1:8080${path}`, { method: "POST", headers, body }), end };
}

Deno.test("ClusterMember.stepDown() ends the requests under way, then the next leader gets what arrives", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  const { request: slow, end } = slowRequest("/api/v1/main/flows");
  const saving = first.fetch(slow, {});
  await world.clock.advance(1);
  const leaving = first.stepDown();
  await world.clock.advance(1);
  // Not lost yet, but no request begins here any more.
  assertEquals([second.leader()?.holder, await statusOf(first, "/api/v1/main/flows/search")], ["first", 299]);
  end();
  assertEquals((await world.settled(saving)).status, 200);
  await world.settled(leaving);
  assertEquals(second.leader()?.holder, "second");
  await world.clock.advance(2 * TTL_MS);
  assertEquals([first.leader()?.holder, first.ledEpoch], ["second", undefined]);
  assertEquals(await statusOf(second, "/api/v1/main/flows/demo/one"), 200);
  await world.stop();
});

Deno.test("ClusterMember.stepDown() gives the lease back after five seconds of a request under way", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  const { request: slow, end } = slowRequest("/api/v1/main/flows");
  const saving = first.fetch(slow, {});
  await world.clock.advance(1);
  const leaving = first.stepDown();
  await world.clock.advance(4_900);
  assertEquals(second.leader()?.holder, "first");
  await world.clock.advance(200);
  await leaving;
  assertEquals(second.leader()?.holder, "second");
  end();
  assertEquals((await world.settled(saving)).status, 503);
  await world.stop();
});

Deno.test("ClusterMember.stepDown() leaves a lease that it gave back to others", async () => {
  const world = new World();
  const first = await world.started("first");
  await world.settled(first.stepDown());
  await world.clock.advance(4 * TTL_MS);
  assertEquals([first.leader(), first.ledEpoch], [undefined, undefined]);
  await world.stop();
});

Deno.test("ClusterMember: a process that looks rarely takes the lease of a dead one as soon as it is free", async () => {
  const world = new World();
  const first = await world.started("first");
  world.store.plan = () => "late";
  await world.settled(first.stop());
  world.store.plan = () => "none";
  const second = world.member("second", { watchMs: 4_000 });
  const started = second.start();
  await world.clock.advance(TTL_MS + 999);
  assertEquals(second.ledEpoch, undefined);
  await world.clock.advance(1);
  await started;
  assert(second.ledEpoch !== undefined);
  await world.stop();
});

Deno.test("ClusterMember: a process that another one was faster to replace the leader than follows that one at once", async () => {
  const world = new World();
  const first = await world.started("first");
  const others = [await world.started("second"), await world.started("third")];
  const holders = () => others.map((other) => other.leader()?.holder);
  const stopped = first.stop();
  while (!others.some(({ ledEpoch }) => ledEpoch !== undefined)) await world.clock.advance(1);
  const since = world.clock.now();
  while (holders().includes("first") || new Set(holders()).size > 1) await world.clock.advance(1);
  assert(world.clock.now() - since < WATCH_MS / 10, `${world.clock.now() - since} ms`);
  await world.settled(stopped);
  await world.stop();
});

Deno.test("ClusterMember: a process that is stopped while it takes over gives the lease back", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  let stopping: Promise<void> | undefined;
  world.store.plan = (_, { checks }) => {
    // The take-over of the second one.
    if (checks.length === 3) stopping ??= second.stop();
    return "none";
  };
  await world.settled(first.stop());
  await world.clock.advance(WATCH_MS);
  assert(stopping);
  await world.settled(stopping);
  const third = world.member("third");
  await world.settled(third.start());
  assertEquals(third.leader()?.holder, "third");
  await world.stop();
});

Deno.test("ClusterMember: a leader that cannot renew acknowledges nothing more, and follows when another one leads", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  // The database takes nothing from the first process any more.
  world.store.plan = (_, { mutations }) =>
    mutations.some(({ key, type, ...set }) =>
        key[0] === "lease" && type === "set" && holderOf(set) === "first"
      )
      ? "fail_before"
      : "none";
  world.clock.jump(TTL_MS);
  assertEquals(await statusOf(first, "/api/v1/main/flows/search"), 503);
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", FLOW), 503);
  await world.clock.advance(2 * TTL_MS);
  assertEquals([first.leader()?.holder, second.leader()?.holder], ["second", "second"]);
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", FLOW), 299);
  await world.stop();
});

function holderOf(set: object): string {
  const { value } = set as { readonly value: Uint8Array };
  return JSON.parse(new TextDecoder().decode(value.subarray(1))).holder;
}

Deno.test("ClusterMember: a request that changes something gets 504 when the lease ends before its response", async () => {
  const world = new World();
  const first = await world.started("first");
  const held = Promise.withResolvers<Uint8Array>();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(await held.promise);
      controller.close();
    },
  });
  const headers = { "content-type": "application/x-yaml" };
  const saving = first.fetch(
    new Request("http://127.0.0.1:8080/api/v1/main/flows", { method: "POST", headers, body }),
    {},
  );
  await world.clock.advance(1);
  world.clock.jump(TTL_MS);
  held.resolve(new TextEncoder().encode("{id: wrong"));
  const response = await saving;
  assertEquals(response.status, 504);
  assertStringIncludes(await response.text(), "this process does not lead any more");
  await world.stop();
});

Deno.test("GET /cluster lists the processes with their roles, and says who is refused", async () => {
  const world = new World();
  const first = await world.started("first");
  const other = world.member("other", { optionsHash: "different" });
  const started = other.start();
  await world.clock.advance(2 * TTL_MS);
  await started;
  const response = await first.fetch(request("GET", "/api/v1/main/cluster"), {});
  const { processes, leaseTtl } = await response.json();
  const facts = processes.map(({ id, role, refusal }: Record<string, string>) => [id, role, refusal]);
  assertEquals(leaseTtl, 5);
  assertEquals(facts, [
    ["first", "LEADER", undefined],
    ["other", "FOLLOWER", "its options differ from those of the leader"],
  ]);
  await world.stop();
});

Deno.test("GET /health of a follower is 503 while it knows no leader", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second");
  world.store.isUnreadable = true;
  world.clock.jump(TTL_MS);
  assertEquals([await statusOf(second, "/health"), await statusOf(second, "/health/liveness")], [503, 200]);
  world.store.isUnreadable = false;
  await world.clock.advance(TTL_MS);
  assert(first.leader() !== undefined);
  await world.stop();
});

Deno.test("ClusterMember: attempts are interrupted as soon as the lease is lost, whatever the term still ends", async () => {
  const world = new World();
  const disposed = Promise.withResolvers<void>();
  world.deskDisposed = disposed.promise;
  const first = await world.started("first", { hasAddress: false });
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", WAITS), 200);
  assertEquals(await statusOf(first, "/api/v1/main/executions/demo/waits", "POST"), 200);
  await world.clock.advance(100);
  assertEquals(world.interrupted, 0);
  world.clock.jump(TTL_MS);
  await world.clock.advance(1);
  assertEquals(world.interrupted, 1);
  disposed.resolve();
  await world.stop();
});

Deno.test("ClusterMember: a new leader takes posted requests before executions are recovered", async () => {
  const world = new World();
  const first = await world.started("first", { hasAddress: false });
  const second = await world.started("second", { hasAddress: false });
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", WAITS), 200);
  assertEquals(await statusOf(first, "/api/v1/main/executions/demo/waits", "POST"), 200);
  const readable = Promise.withResolvers<void>();
  world.store.executionsReadable = readable.promise;
  await world.settled(first.stop());
  await world.clock.advance(1_000);
  assertEquals([world.desks, second.metrics().isLeader], [["first", "second"], false]);
  assertEquals(await statusOf(second, "/api/v1/main/executions/demo/waits", "POST"), 200);
  readable.resolve();
  await world.clock.advance(1);
  assertEquals(second.metrics().isLeader, true);
  await world.stop();
});

async function leaderAfter(world: World, from: ClusterMember, to: string): Promise<string | undefined> {
  world.served.get("first")?.(to);
  await world.clock.advance(500);
  return from.leader()?.holder;
}

Deno.test("ClusterMember: an idle leader without an address gives the lease to the process that posts a request", async () => {
  const world = new World();
  const first = await world.started("first", { hasAddress: false });
  await world.started("second", { hasAddress: false });
  assertEquals(await statusOf(first, "/health"), 200);
  assertEquals(await leaderAfter(world, first, "second"), "first");
  await world.clock.advance(2_000);
  assertEquals(await leaderAfter(world, first, "second"), "second");
  await world.stop();
});

Deno.test("ClusterMember: a lease that its heir does not take goes to any process after a second", async () => {
  const world = new World();
  const first = await world.started("first", { hasAddress: false });
  await world.clock.advance(2_000);
  assertEquals(await leaderAfter(world, first, "gone"), undefined);
  await world.clock.advance(1_000);
  assertEquals(first.leader()?.holder, "first");
  await world.stop();
});

Deno.test("ClusterMember: a leader with an address keeps the lease", async () => {
  const world = new World();
  const first = await world.started("first");
  await world.started("second");
  await world.clock.advance(2_000);
  assertEquals(await leaderAfter(world, first, "second"), "first");
  await world.stop();
});

Deno.test("ClusterMember.tick() of a follower waits for a renewal, or until this process leads", async () => {
  const world = new World();
  await world.started("first");
  const second = await world.started("second");
  await world.settled(second.tick());
  assertEquals(second.leader()?.holder, "first");
  // The leader is frozen.
  world.store.plan = (_, { mutations }) =>
    mutations.some(({ key, type, ...set }) =>
        key[0] === "lease" && type === "set" && holderOf(set) === "first"
      )
      ? "fail_before"
      : "none";
  await world.settled(second.tick());
  assertEquals(second.leader()?.holder, "second");
  await world.stop();
});

Deno.test("GET /health warns of clocks that differ, at the leader and at the follower", async () => {
  const world = new World();
  const first = await world.started("first");
  const second = await world.started("second", { skewMs: 30_000 });
  await world.clock.advance(20_000);
  const warnings = await Promise.all([first, second].map(async (member) => {
    const { status, warning } = await (await member.fetch(request("GET", "/health"), {})).json();
    return [status, warning.replace(/\d+ s/, "N s")];
  }));
  assertEquals(warnings, [
    ["UP", "the clock of process second is N s ahead of the clock here"],
    ["UP", "the clock of the leading process is N s behind the clock here"],
  ]);
  await world.stop();
});

Deno.test("ClusterMember: the time of a new leader does not go below that of the one before", async () => {
  const world = new World();
  const first = await world.started("first", { skewMs: 60_000 });
  assertEquals(await statusOf(first, "/api/v1/main/flows", "POST", FLOW), 200);
  const before = await startDate(first);
  const second = await world.started("second");
  await world.settled(first.stop());
  await world.clock.advance(500);
  assertEquals(second.leader()?.holder, "second");
  const after = await startDate(second);
  assert(before <= after && after < before + 60_000, `${before} ${after}`);
  await world.stop();
});

async function startDate(member: ClusterMember): Promise<number> {
  const response = await member.fetch(request("POST", "/api/v1/main/executions/demo/one"), {});
  return Date.parse((await response.json()).state.startDate);
}
