/** Databases that the server refuses to open. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { decodeJson, encodeJson } from "../../src/store/codec.ts";
import { META_KEY } from "../../src/store/keys.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { checkData, DataMismatchError, keyFingerprint, prepareData } from "../../src/store/meta.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

Deno.test("checkData() writes format and key to a new database and accepts it afterwards", async () => {
  const store = new MemoryStore(new FakeClock());
  await checkData(store, "k");
  await checkData(store, "k");
  assertEquals(store.count(), 1);
});

Deno.test("checkData() refuses another key, and changes nothing", async () => {
  const store = new MemoryStore(new FakeClock());
  await checkData(store, "k");
  const before = (await store.get(META_KEY))?.versionstamp;
  await assertRejects(() => checkData(store, "other"), DataMismatchError, "encrypted with another key");
  assertEquals((await store.get(META_KEY))?.versionstamp, before);
});

Deno.test("checkData() refuses data of a newer version, and changes nothing", async () => {
  const store = new MemoryStore(new FakeClock());
  const value = encodeJson({ format: 9, minReader: 9, key: "k" });
  await store.commit({ checks: [], mutations: [{ type: "set", key: META_KEY, value }], messages: [] });
  await assertRejects(() => checkData(store, "k"), DataMismatchError, "newer version (format 9");
  assertEquals(store.count(), 1);
});

Deno.test("keyFingerprint() differs for different keys", async () => {
  const [a, b] = [await keyFingerprint(new Uint8Array(32)), await keyFingerprint(new Uint8Array(32).fill(1))];
  assertNotEquals(a, b);
  assertEquals(a.length, 16);
});

Deno.test("checkData() reads the key of another process that was first", async () => {
  const store = new FaultyStore(new MemoryStore(new FakeClock()));
  store.plan = () => {
    store.plan = () => "none";
    void checkData(store, "other");
    return "conflict";
  };
  await assertRejects(() => checkData(store, "mine"), DataMismatchError, "encrypted with another key");
});

Deno.test("checkData() reads its own key when the response to its write was lost", async () => {
  const store = new FaultyStore(new MemoryStore(new FakeClock()), () => "fail_after");
  await checkData(store, "mine");
  store.plan = () => "none";
  await checkData(store, "mine");
});

function writeMeta(store: MemoryStore, meta: object): Promise<string | null> {
  const value = encodeJson(meta);
  return store.commit({ checks: [], mutations: [{ type: "set", key: META_KEY, value }], messages: [] });
}

async function metaOf(store: MemoryStore): Promise<unknown> {
  return decodeJson((await store.get(META_KEY))?.value ?? new Uint8Array());
}

Deno.test("prepareData() raises the format of earlier data once, so that earlier versions refuse it", async () => {
  const store = new MemoryStore(new FakeClock());
  await writeMeta(store, { format: 1, minReader: 1, key: "k" });
  const before = await checkData(store, "k");
  assertEquals(await metaOf(store), { format: 1, minReader: 1, key: "k" });
  const raised = await prepareData(store, "k");
  assertNotEquals(raised, before);
  assertEquals(await metaOf(store), { format: 5, minReader: 5, key: "k" });
  assertEquals(await prepareData(store, "k"), raised);
});

Deno.test("prepareData() leaves data of a later format that this version reads", async () => {
  const store = new MemoryStore(new FakeClock());
  await writeMeta(store, { format: 9, minReader: 1, key: "k" });
  assertEquals(await prepareData(store, "k"), (await store.get(META_KEY))?.versionstamp);
});

Deno.test("prepareData() raises nothing with another key, and ends when another process raises the format first", async () => {
  const store = new FaultyStore(new MemoryStore(new FakeClock()));
  const memory = store.inner as MemoryStore;
  await writeMeta(memory, { format: 1, minReader: 1, key: "k" });
  await assertRejects(() => prepareData(store, "other"), DataMismatchError, "encrypted with another key");
  store.plan = () => {
    store.plan = () => "none";
    void writeMeta(memory, { format: 5, minReader: 5, key: "k" });
    return "conflict";
  };
  await prepareData(store, "k");
  assertEquals(await metaOf(memory), { format: 5, minReader: 5, key: "k" });
});
