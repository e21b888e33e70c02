/** The check of a whole database: a healthy one has no findings, and one planted damage of each kind is found. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkStore } from "../../../src/store/check/check.ts";
import type { FindingCode } from "../../../src/store/check/findings.ts";
import { repairDerived } from "../../../src/store/check/repair.ts";
import { tombstoneRow } from "../../../src/store/catalog/rows/row.ts";
import { decodeJson, encodeJson } from "../../../src/store/codec.ts";
import { blockKey, catalogSnapshotKey, flowKey, rowGroupKey, slotKey } from "../../../src/store/keys.ts";
import { decodeRecord } from "../../../src/store/records/executions/inline_record.ts";
import type { Key, Mutation, Selector, Store, StoredEntry } from "../../../src/store/store.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../../support/harness.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const FLOWS = [
  `id: hello
namespace: demo
inputs: [{id: name, type: STRING, defaults: Ada}]
tasks: [{id: say, type: ${RETURN}, format: "{{ inputs.name }}"}]
triggers: [{id: each, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}]
`,
  `id: many
namespace: demo
tasks: [{id: all, type: io.svc.plugin.core.flow.ForEach, values: "{{ range(1, 60) }}", tasks: [{id: one, type: ${RETURN}, format: "${
    "x".repeat(200)
  }"}]}]
`,
  "id: sleep\nnamespace: demo\ntasks: [{id: wait, type: io.svc.plugin.core.flow.Sleep, duration: P30D}]\n",
  "id: paused\nnamespace: demo\ntasks: [{id: wait, type: io.svc.plugin.core.flow.Pause}]\n",
  `id: limited
namespace: demo
concurrency: {limit: 1}
tasks: [{id: act, type: ${EFFECT_TYPE}}]
`,
  "id: called\nnamespace: demo\ntasks: [{id: sub, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: sleep}]\n",
];

/** A database with records of every kind, as a server leaves it: live, dormant and ended executions. */
async function healthyStore(): Promise<MemoryStore> {
  await using server = await Harness.start({ effect: () => new Promise<never>(() => {}) });
  for (const flow of FLOWS) await server.save(flow);
  await server.start("hello");
  await server.start("hello", { name: "y".repeat(100_000) });
  for (const id of ["many", "sleep", "paused", "limited", "limited", "called"]) await server.start(id);
  await server.start("limited", {}, "?scheduleDate=2126-01-01T00:00:00Z");
  await server.json("PUT", "/namespaces/demo/kv/small", json("1"));
  await server.json("PUT", "/namespaces/demo/kv/large", json(JSON.stringify("z".repeat(100_000))));
  await server.json("PUT", "/namespaces/demo/kv/brief", {
    ...json("1"),
    headers: { ...json("1").headers, ttl: "P1D" },
  });
  await server.json("PUT", "/namespaces/demo/secrets", json('{"key":"A","value":"b"}'));
  const form = new FormData();
  form.set("fileContent", new Blob(["f".repeat(150_000)]), "f.txt");
  await server.json("POST", "/namespaces/demo/files?path=/dir/f.txt", { body: form });
  await server.json(
    "POST",
    "/tenants".replace("/tenants", "/api/v1/tenants"),
    json('{"id":"other","name":"Other"}'),
  );
  await server.advance(1_000);
  return server.store.reopen(new FakeClock(server.clock.now()));
}

async function codesOf(store: Store): Promise<FindingCode[]> {
  return (await checkStore(store)).findings.list().map(({ code }) => code);
}

async function write(store: Store, ...mutations: readonly Mutation[]): Promise<void> {
  await store.commit({ checks: [], mutations, messages: [] });
}

async function first(
  store: Store,
  selector: Selector,
  isWanted = (_entry: StoredEntry) => true,
): Promise<StoredEntry> {
  for await (const entry of store.list(selector)) if (isWanted(entry)) return entry;
  throw new Error(`there is no key of ${JSON.stringify(selector)}`);
}

function kind(...prefix: Key): Selector {
  return { prefix };
}

/** The catalog row of the first execution of the list. */
async function rowGroup(store: Store): Promise<StoredEntry> {
  return await first(store, kind("main", "xr"));
}

async function remove(
  store: Store,
  selector: Selector,
  isWanted?: (entry: StoredEntry) => boolean,
): Promise<void> {
  await write(store, { type: "delete", key: (await first(store, selector, isWanted)).key });
}

/** Makes the stored file a second revision and adds one before it. */
async function addEarlierRevision(
  store: Store,
  packed: (content: { readonly blobId: unknown; readonly size: unknown }) => unknown[],
): Promise<void> {
  const { key, value } = await first(store, kind("main", "nf"), ({ key }) => String(key[3]).includes("/"));
  const [createdAt, modifiedMs, , blobId, size, digest] = decodeJson(value) as unknown[];
  const file = [createdAt, modifiedMs, 2, blobId, size, digest, [packed({ blobId, size })]];
  await write(store, { type: "set", key, value: encodeJson(file) });
}

interface Damage {
  readonly code: FindingCode;
  readonly name: string;
  readonly plant: (store: Store) => Promise<void>;
  /** Further findings that the damage causes. */
  readonly also?: readonly FindingCode[];
  readonly isRepaired?: boolean;
}

function recordOf({ key, value }: StoredEntry): unknown[] {
  return decodeRecord(value, String(key[2]));
}

/** The record of an execution, changed. */
async function changeRecord(
  store: Store,
  change: (packed: unknown[]) => void,
  isWanted = (_packed: unknown[]) => true,
): Promise<void> {
  const entry = await first(store, kind("main", "x"), (each) => isWanted(recordOf(each)));
  const packed = recordOf(entry);
  change(packed);
  await write(store, { type: "set", key: entry.key, value: encodeJson(packed) });
}

const hasEnded = (packed: unknown[]) => [2, 4].includes((packed[3] as number[]).at(-2) ?? 0);

const DAMAGES: readonly Damage[] = [
  {
    code: "row_missing",
    name: "a lost group of catalog rows",
    plant: async (store) => await write(store, { type: "delete", key: (await rowGroup(store)).key }),
    isRepaired: true,
  },
  {
    code: "row_differs",
    name: "a catalog row with another state",
    async plant(store) {
      const { key, value } = await rowGroup(store);
      const bytes = value.slice();
      bytes[36] = 4;
      await write(store, { type: "set", key, value: bytes });
    },
    isRepaired: true,
  },
  {
    code: "row_stray",
    name: "a catalog row whose execution is gone",
    async plant(store) {
      const { key } = await first(store, kind("main", "x"));
      await write(store, { type: "delete", key });
    },
    also: ["index_stray"],
    isRepaired: true,
  },
  {
    code: "block_unreadable",
    name: "a block of the catalog that was cut",
    async plant(store) {
      const { value } = await rowGroup(store);
      const { key } = await first(store, kind("main", "x"));
      await write(store, { type: "set", key: blockKey("main", String(key[2])), value: value.slice(0, 60) });
    },
    isRepaired: true,
  },
  {
    code: "counts_differ",
    name: "counters that do not fit the catalog",
    plant: async (store) =>
      await write(store, {
        type: "set",
        key: catalogSnapshotKey("main"),
        value: encodeJson({ seq: 1, counts: [1, 2, 77] }),
      }),
    isRepaired: true,
  },
  {
    code: "index_missing",
    name: "a lost timer of a sleeping execution",
    plant: async (store) => await remove(store, kind("tm")),
    isRepaired: true,
  },
  {
    code: "index_missing",
    name: "a lost due time of a schedule",
    plant: async (store) => await remove(store, kind("td")),
    isRepaired: true,
  },
  {
    code: "index_missing",
    name: "a lost expiry time of a KV pair",
    plant: async (store) => await remove(store, kind("main", "kx")),
    isRepaired: true,
  },
  {
    code: "slot_stray",
    name: "a slot of an execution that is not there",
    plant: async (store) =>
      await write(store, {
        type: "set",
        key: slotKey("main", { namespace: "demo", id: "limited" }, "A0000000000000000000aa"),
        value: new Uint8Array([1]),
      }),
    isRepaired: true,
  },
  {
    code: "slot_stray",
    name: "a slot of an execution that waits for its date",
    async plant(store) {
      const { key } = await first(store, kind("tm"), ({ key }) => key[4] === "start");
      const slot = slotKey("main", { namespace: "demo", id: "limited" }, String(key[3]));
      await write(store, { type: "set", key: slot, value: new Uint8Array([1]) });
    },
    isRepaired: true,
  },
  {
    code: "undecodable",
    name: "a KV pair of an unknown format",
    async plant(store) {
      const { key } = await first(store, kind("main", "kv"), ({ key }) => key[3] === "small");
      await write(store, { type: "set", key, value: new Uint8Array([9, 9]) });
    },
  },
  {
    code: "undecodable",
    name: "an execution that was cut",
    async plant(store) {
      const { key, value } = await first(
        store,
        kind("main", "x"),
        (entry) => hasEnded(recordOf(entry)),
      );
      await write(store, { type: "set", key, value: value.slice(0, 40) });
    },
  },
  {
    code: "value_missing",
    name: "a lost chunk of a namespace file",
    plant: async (store) => await remove(store, kind("main", "b", "demo")),
  },
  {
    code: "value_missing",
    name: "a lost chunk of an input",
    plant: async (store) => await remove(store, kind("main", "b"), ({ key }) => key[2] !== "demo"),
  },
  {
    code: "task_runs_missing",
    name: "a lost page of task runs",
    plant: async (store) => await remove(store, kind("main", "t")),
  },
  {
    code: "flow_missing",
    name: "a lost flow",
    plant: async (store) =>
      await write(store, { type: "delete", key: flowKey("main", { namespace: "demo", id: "paused" }) }),
    also: ["record_stray"],
  },
  {
    code: "revision_missing",
    name: "a lost revision",
    plant: async (store) => await remove(store, kind("main", "fr", "demo", "paused")),
  },
  {
    code: "flow_number_taken",
    name: "a flow with the number of another one",
    async plant(store) {
      const [one, two] = await Array.fromAsync(store.list(kind("main", "f")));
      assert(one && two);
      const head = decodeJson(two.value) as unknown[];
      head[0] = (decodeJson(one.value) as unknown[])[0];
      await write(store, { type: "set", key: two.key, value: encodeJson(head) });
    },
    also: ["flow_missing"],
  },
  {
    code: "execution_missing",
    name: "task runs of an execution that is not there",
    async plant(store) {
      const { value } = await first(store, kind("main", "t"));
      await write(store, { type: "set", key: ["main", "t", "A0000000000000000000aa", 0], value });
    },
  },
  {
    code: "directory_missing",
    name: "a file in a directory that is not stored",
    plant: async (store) => await remove(store, kind("main", "nf")),
  },
  {
    code: "file_revisions_mixed",
    name: "a file whose earlier revision has the number of the present one",
    plant: async (store) => await addEarlierRevision(store, ({ blobId, size }) => [2, 0, blobId, size, ""]),
  },
  {
    code: "value_missing",
    name: "an earlier revision of a file whose content is lost",
    plant: async (store) => await addEarlierRevision(store, () => [1, 0, "lost", 3, ""]),
  },
  {
    code: "illegal_history",
    name: "an execution that ended without having begun",
    plant: async (store) => await changeRecord(store, (packed) => packed[3] = [2, 0], hasEnded),
  },
  {
    code: "nothing_wakes",
    name: "a running execution without a timer",
    async plant(store) {
      await changeRecord(
        store,
        (packed) => delete (packed[8] as Record<string, unknown>).m,
        (packed) => (packed[8] as { m?: unknown } | undefined)?.m !== undefined,
      );
      await remove(store, kind("tm"));
    },
  },
  {
    code: "unknown_tenant",
    name: "data of a tenant that does not exist",
    plant: async (store) =>
      await write(store, { type: "set", key: ["ghost", "ns", "a"], value: encodeJson([null, false]) }),
  },
  {
    code: "chain_missing",
    name: "a lost chain key",
    plant: async (store) => await remove(store, kind("~chain")),
  },
  {
    code: "value_unreferenced",
    name: "a large value that nothing refers to",
    plant: async (store) =>
      await write(store, {
        type: "set",
        key: ["main", "b", "demo", "nobody", 0],
        value: new Uint8Array([2, 1]),
      }),
  },
  {
    code: "index_stray",
    name: "a timer of no execution",
    plant: async (store) =>
      await write(store, {
        type: "set",
        key: ["tm", 1, "main", "A0000000000000000000aa", "wake"],
        value: new Uint8Array([1]),
      }),
  },
  {
    code: "unknown_key",
    name: "keys of an unknown kind",
    plant: async (store) => await write(store, { type: "set", key: ["main", "zz", 1], value: encodeJson(1) }),
  },
];

Deno.test("checkStore() finds nothing in a database as a server leaves it, and counts its records", async () => {
  const context = await checkStore(await healthyStore());
  assertEquals(context.findings.list(), []);
  const counts = Object.fromEntries(context.counts);
  assertEquals([counts.executions, counts.flows, counts.secrets, counts.tenants], [10, 6, 1, 1]);
});

Deno.test("checkStore() finds nothing in passes of a Loop, which refer to values of another execution", async () => {
  await using server = await Harness.start();
  await server.save(`id: loop
namespace: demo
inputs: [{id: name, type: STRING}]
tasks: [{id: each, type: io.svc.plugin.core.flow.Loop, values: [1, 2], tasks: [{id: one, type: ${RETURN}, format: x}]}]
`);
  const { id } = await server.start("loop", { name: "y".repeat(20_000) });
  for (let turn = 0; turn < 20; turn++) await settle();
  await server.advance(1_000);
  const store = () => server.store.reopen(new FakeClock(server.clock.now()));
  assertEquals(await codesOf(store()), []);
  await server.json("DELETE", `/executions/${id}`);
  await server.advance(1_000);
  assertEquals(await codesOf(store()), []);
});

const healthy = await healthyStore();
for (const { code, name, plant, also = [], isRepaired = false } of DAMAGES) {
  Deno.test(`checkStore() finds ${code}: ${name}${isRepaired ? "; a repair mends it" : ""}`, async () => {
    const store = healthy.reopen();
    await plant(store);
    const before = await codesOf(store);
    assert(before.includes(code), `${before}`);
    const allowed = new Set<FindingCode>([code, ...also]);
    const context = await checkStore(store);
    const committer = quietCommitter(store, new FakeClock(), { instance: "main" });
    await repairDerived(context, committer);
    await committer[Symbol.asyncDispose]();
    const after = (await checkStore(store)).findings.list().filter(({ severity }) => severity === "derived");
    assertEquals(after, []);
    if (isRepaired) assertEquals((await codesOf(store)).filter((found) => !also.includes(found)), []);
    else assert(code === "chain_missing" || (await codesOf(store)).includes(code));
    assert(before.every((found) => allowed.has(found) || isConsequence(found)), `${before}`);
  });
}

/** What follows from another damage and is not its kind. */
function isConsequence(code: FindingCode): boolean {
  return ["row_differs", "row_stray", "value_unreferenced", "nothing_wakes", "slot_stray"].includes(code);
}

Deno.test("a repair writes only derived records", async () => {
  const store = healthy.reopen();
  await write(store, { type: "delete", key: (await rowGroup(store)).key });
  await remove(store, kind("tm"));
  const before = await Array.fromAsync(store.list({ start: [""], end: ["\u{10ffff}"] }));
  const context = await checkStore(store);
  const committer = quietCommitter(store, new FakeClock(), { instance: "main" });
  await repairDerived(context, committer);
  await committer[Symbol.asyncDispose]();
  const derived = (key: Key) => ["tm", "~chain"].includes(String(key[0])) || key[1] === "xr";
  const after = await Array.fromAsync(store.list({ start: [""], end: ["\u{10ffff}"] }));
  const rest = (entries: readonly StoredEntry[]) => entries.filter(({ key }) => !derived(key));
  assertEquals(rest(after), rest(before));
});

Deno.test("a server that starts after a repair lists every execution once", async () => {
  const store = healthy.reopen();
  for await (const { key } of store.list(kind("main", "xr"))) await write(store, { type: "delete", key });
  await write(store, {
    type: "set",
    key: rowGroupKey("main", 1),
    value: tombstoneRow("A0000000000000000000aa"),
  });
  const committer = quietCommitter(store, new FakeClock(), { instance: "main" });
  await repairDerived(await checkStore(store), committer);
  await committer[Symbol.asyncDispose]();
  const clock = new FakeClock();
  await using server = await Harness.start(
    { effect: () => new Promise<never>(() => {}) },
    store.reopen(clock),
    clock,
  );
  const { total } = await server.page("/executions/search?size=1");
  assertEquals(total, 10);
});

Deno.test("checkStore() finds nothing in data of format 3 that no server has moved", async () => {
  const store = healthy.reopen();
  for (const [kind, old] of [["~chain", "chain"], ["~g", "g"]] as const) {
    const entries = await Array.fromAsync(store.list({ prefix: [kind] }));
    assert(entries.length > 0);
    for (const { key, value } of entries) {
      await write(store, { type: "set", key: [old, ...key.slice(1)], value }, { type: "delete", key });
    }
  }
  assertEquals(await codesOf(store), []);
});

Deno.test("checkStore() knows every kind of key", async () => {
  const files = ["src/store/keys.ts", "src/store/old_keys.ts"];
  const source = (await Promise.all(files.map((path) => Deno.readTextFile(path)))).join();
  const ofTenants = [...source.matchAll(/`\[tenant, "(\w+)"/g)].map(([, name = ""]) => name);
  const ofNobody = [...source.matchAll(/`\["([~\w]+)"/g)].map(([, name = ""]) => name);
  assert(ofTenants.length > 20 && ofNobody.length > 10);
  const store = new MemoryStore(new FakeClock());
  const keys: Key[] = [
    ...ofTenants.map((name) => ["main", name, "a", "b", "c", "d"]),
    ...ofNobody.map((name) => [name]),
  ];
  await write(store, ...keys.map((key): Mutation => ({ type: "set", key, value: encodeJson(null) })));
  const codes = await codesOf(store);
  assertEquals(codes.filter((code) => code === "unknown_key" || code === "unknown_tenant"), []);
});

Deno.test("checkStore() needs old revisions only of executions that have not ended", async () => {
  const store = await (async () => {
    await using server = await Harness.start();
    const source = (id: string, task: string) => `id: ${id}\nnamespace: demo\ntasks: [{id: only, ${task}}]\n`;
    const flows = { ended: `type: ${RETURN}, format: a`, open: "type: io.svc.plugin.core.flow.Pause" };
    for (const [id, task] of Object.entries(flows)) {
      await server.save(source(id, task));
      await server.start(id);
      await server.json("PUT", `/flows/demo/${id}`, yaml(source(id, `${task}, description: second`)));
    }
    await server.json("DELETE", "/flows/demo/ended/revisions?revisions=1");
    await server.advance(1_000);
    return server.store.reopen(new FakeClock(server.clock.now()));
  })();
  assertEquals(await codesOf(store), []);
  await remove(store, kind("main", "fr", "demo", "open"));
  const findings = (await checkStore(store)).findings.list();
  assertEquals(findings.map(({ code, count }) => [code, count]), [["revision_missing", 1]]);
  assertStringIncludes(findings[0]?.examples[0] ?? "", 'revision 1 of "demo.open"');
});

Deno.test("checkStore() finds nothing in an execution whose header and pages have several parts", async () => {
  const core = "io.svc.plugin.core";
  await using server = await Harness.start();
  const labels = Array.from({ length: 90 }, (_, n) => `k${n}: ${"v".repeat(950)}`).join(", ");
  await server.save(`id: long
namespace: demo
inputs: [{id: list, type: JSON}]
tasks:
  - {id: label, type: ${core}.execution.Labels, labels: {${labels}}}
  - {id: each, type: ${core}.flow.ForEach, values: "{{ inputs.list }}", concurrencyLimit: 0, tasks: [
      {id: wait, type: ${core}.flow.Pause}]}
`);
  await server.start("long", {
    list: JSON.stringify(Array.from({ length: 60 }, (_, n) => `${n}`.padEnd(3_000, "x"))),
  });
  await settle(200);
  const { store } = server;
  assertEquals([store.count(["main", "x"]), store.count(["main", "t"])], [2, 4]);
  assertEquals(await codesOf(store.reopen(new FakeClock(server.clock.now()))), []);
});

Deno.test("checkStore() finds no value that a loop with SetVariables has replaced", async () => {
  const core = "io.svc.plugin.core";
  await using server = await Harness.start({ effect: () => ({ state: "SUCCESS", outputs: {} }) });
  await server.save(`id: growing
namespace: demo
variables: {text: ""}
tasks:
  - id: loop
    type: ${core}.flow.ForEach
    values: "{{ range(1, 60) }}"
    tasks:
      - {id: act, type: ${EFFECT_TYPE}, name: x}
      - id: grow
        type: ${core}.execution.SetVariables
        variables: {text: "{{ vars.text ~ taskrun.value ~ '${"y".repeat(300)}' }}"}
`);
  const { id } = await server.start("growing");
  for (let tries = 0; tries < 100 && (await server.execution(id)).state.current === "RUNNING"; tries++) {
    await settle();
  }
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
  await settle();
  const store = server.store.reopen(new FakeClock(server.clock.now()));
  assertEquals(await codesOf(store), []);
});

Deno.test("checkStore() continues after a kind that cannot be read, and reports that it is not complete", async () => {
  const store = new FaultyStore(healthy.reopen());
  const list = store.list.bind(store);
  store.list = (selector, options) => {
    if ("prefix" in selector && selector.prefix[1] === "kv") return brokenList();
    return list(selector, options);
  };
  const context = await checkStore(store);
  const { code, examples } = context.findings.list().find(({ severity }) => severity === "lost") ?? {};
  assertEquals([code, examples?.[0]], ["unreadable", "KV pairs: database disk image is malformed"]);
  assertEquals([context.isComplete, context.counts.get("executions")], [false, 10]);
});

/** Fails at its first entry. */
function brokenList(): AsyncIterable<StoredEntry> {
  const next = () => Promise.reject(new Error("database disk image is malformed"));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
