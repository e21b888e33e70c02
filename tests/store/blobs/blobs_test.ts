import { randomFillSync } from "node:crypto";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { BLOB_CHUNK_BYTES } from "../../../src/model/limits.ts";
import { bytesOfChunk, packChunk } from "../../../src/store/blobs/blob_chunks.ts";
import { blobChunkKey } from "../../../src/store/keys.ts";
import {
  collect,
  patternBytes,
  sourceOf,
  startNamespaceServices,
} from "../../support/flows/namespace_services.ts";

const OWNER = { tenant: "main", owner: "team" };

const SIZES = [
  0,
  1,
  BLOB_CHUNK_BYTES - 1,
  BLOB_CHUNK_BYTES,
  BLOB_CHUNK_BYTES + 1,
  10 * BLOB_CHUNK_BYTES,
  5_000_000,
];

for (const size of SIZES) {
  Deno.test(`write() and read() round-trip ${size} bytes, and remove() deletes all keys`, async () => {
    const { blobs, committer, inner } = await startNamespaceServices();
    const bytes = patternBytes(size);
    const blob = await blobs.write(OWNER, sourceOf(bytes.subarray(0, 100), bytes.subarray(100)), size);
    await committer.commit({ mutations: blob.mutations });
    assertEquals(blob.size, size);
    assertEquals(inner.count(["bi"]), 0);
    assertEquals(await collect(blobs.read(OWNER, blob)), bytes);
    await committer.commit({ mutations: blobs.retire(OWNER, blob) });
    await blobs.remove(OWNER, blob);
    assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [0, 0]);
  });
}

Deno.test("read() reads the next chunks while the first are used, and no more before they are asked for", async () => {
  const { blobs, committer, inner } = await startNamespaceServices();
  const blob = await blobs.write(OWNER, sourceOf(patternBytes(20 * BLOB_CHUNK_BYTES)), Infinity);
  await committer.commit({ mutations: blob.mutations });
  const pages: (number | undefined)[] = [];
  const list = inner.list.bind(inner);
  inner.list = (selector, options) => {
    pages.push(options?.limit);
    return list(selector, options);
  };
  const reader = blobs.read(OWNER, blob).getReader();
  assertEquals(pages, []);
  await reader.read();
  assertEquals(pages, [8, 8]);
  await reader.read();
  assertEquals(pages, [8, 8, 4]);
  await reader.cancel();
});

Deno.test("read() gives any part of a value, and reads no chunks beside it", async () => {
  const { blobs, committer, inner } = await startNamespaceServices();
  const bytes = patternBytes(20 * BLOB_CHUNK_BYTES + 5);
  const blob = await blobs.write(OWNER, sourceOf(bytes), Infinity);
  await committer.commit({ mutations: blob.mutations });
  let chunks = 0;
  const list = inner.list.bind(inner);
  inner.list = (selector, options) => {
    chunks += options?.limit ?? Infinity;
    return list(selector, options);
  };
  const chunk = BLOB_CHUNK_BYTES, end = bytes.length;
  const parts = [[0, 0, 0], [0, 1, 1], [chunk - 1, 2, 2], [chunk, chunk, 1], [5, 12 * chunk, 13]] as const;
  for (const [offset, length, count] of [...parts, [end - 7, 100, 2], [end, 10, 0]] as const) {
    chunks = 0;
    const read = await collect(blobs.read(OWNER, blob, { offset, length }));
    assertEquals(read, bytes.slice(offset, offset + length));
    assertEquals(chunks, count);
  }
});

Deno.test("read() names the chunk that is missing", async () => {
  const { blobs, committer } = await startNamespaceServices();
  const blob = await blobs.write(OWNER, sourceOf(patternBytes(3 * BLOB_CHUNK_BYTES)), Infinity);
  await committer.commit({ mutations: blob.mutations });
  const key = blobChunkKey(OWNER.tenant, OWNER.owner, blob.blobId, 1);
  await committer.commit({ mutations: [{ type: "delete", key }] });
  await assertRejects(() => collect(blobs.read(OWNER, blob)), Error, "chunk 1 of");
});

Deno.test("readRange() returns any part of a value", async () => {
  const { blobs, committer } = await startNamespaceServices();
  const bytes = patternBytes(3 * BLOB_CHUNK_BYTES + 500);
  const blob = await blobs.write(OWNER, sourceOf(bytes), bytes.length);
  await committer.commit({ mutations: blob.mutations });
  const ranges = [
    [0, 10],
    [0, bytes.length],
    [BLOB_CHUNK_BYTES - 1, 2],
    [BLOB_CHUNK_BYTES, BLOB_CHUNK_BYTES],
    [
      bytes.length - 3,
      100,
    ],
    [bytes.length, 10],
    [5, 0],
  ] as const;
  for (const [offset, length] of ranges) {
    assertEquals(await blobs.readRange(OWNER, blob, offset, length), bytes.slice(offset, offset + length));
  }
});

Deno.test("write() above the size limit leaves no keys", async () => {
  const { blobs, inner } = await startNamespaceServices();
  const error = await assertRejects(
    () => blobs.write(OWNER, sourceOf(patternBytes(2_000_000), patternBytes(2_000_000)), 3_000_000),
    DomainError,
  );
  assertEquals(error.code, "too_large");
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [0, 0]);
});

Deno.test("write() of a source that fails leaves no keys", async () => {
  const { blobs, inner } = await startNamespaceServices();
  async function* broken() {
    yield patternBytes(2_000_000);
    await Promise.resolve();
    throw new Error("broke off");
  }
  await assertRejects(() => blobs.write(OWNER, broken(), 9_000_000), Error, "broke off");
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [0, 0]);
});

Deno.test("write() reads its source no faster than chunks become durable", async () => {
  const { blobs, store } = await startNamespaceServices();
  let given = 0;
  let ahead = 0;
  let stored = 0;
  store.plan = (_, atomic) => {
    for (const { key } of atomic.mutations) if (key[1] === "b") stored++;
    return "none";
  };
  function* source() {
    for (; given < 100; given++) {
      ahead = Math.max(ahead, given - stored);
      yield randomBytes(BLOB_CHUNK_BYTES);
    }
  }
  await blobs.write(OWNER, ReadableStream.from(source()), Infinity);
  // One page is committed while the next one is read.
  assert(ahead <= 20, `${ahead} chunks were waiting`);
});

Deno.test("write() frees the chunks that are durable", async () => {
  const { blobs, committer, store } = await startNamespaceServices();
  const values: Uint8Array[] = [];
  store.plan = (_, atomic) => {
    for (const each of atomic.mutations) {
      if (each.type === "set" && each.key[1] === "b") values.push(each.value);
    }
    return "none";
  };
  const [text, noise] = [patternBytes(20 * BLOB_CHUNK_BYTES), randomBytes(20 * BLOB_CHUNK_BYTES)];
  for (const bytes of [text, noise]) {
    const blob = await blobs.write(OWNER, sourceOf(bytes), bytes.length);
    await committer.commit({ mutations: blob.mutations });
    assertEquals(await collect(blobs.read(OWNER, blob)), bytes);
  }
  assertEquals(values.map(({ length }) => length), Array(40).fill(0));
});

/** Bytes that no compression makes shorter. */
function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  return randomFillSync(new Uint8Array(size));
}

Deno.test("write() compresses the chunks of what becomes shorter; each part can be read", async () => {
  const { blobs, committer, inner } = await startNamespaceServices();
  const [text, noise] = [patternBytes(40 * BLOB_CHUNK_BYTES), randomBytes(40 * BLOB_CHUNK_BYTES)];
  const stored: number[] = [];
  for (const bytes of [text, noise]) {
    const blob = await blobs.write(OWNER, sourceOf(bytes), bytes.length);
    await committer.commit({ mutations: blob.mutations });
    assertEquals([await collect(blobs.read(OWNER, blob)), blob.size], [bytes, bytes.length]);
    assertEquals(await blobs.readRange(OWNER, blob, 2_000_000, 5), bytes.slice(2_000_000, 2_000_005));
    let size = 0;
    for await (const { key, value } of inner.list({ prefix: ["main", "b"] })) {
      if (key[3] === blob.blobId) size += value.length;
    }
    stored.push(size / bytes.length);
  }
  assertEquals([Number(stored[0]) < 0.1, Number(stored[1]) < 1.001], [true, true], String(stored));
});

Deno.test("bytesOfChunk() gives nothing for unknown formats and broken content", () => {
  const chunks = [[2, 7, 8], [3, 0xff, 0xff, 0xff], [3], [9, 1], []];
  assertEquals(chunks.map((bytes) => bytesOfChunk(new Uint8Array(bytes))), [
    new Uint8Array([7, 8]),
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("packChunk() gives chunks from which no more than a chunk can come", () => {
  const chunk = new Uint8Array(BLOB_CHUNK_BYTES + 1).fill(7);
  const packed = packChunk(chunk);
  assertEquals([packed.length < 1_000, bytesOfChunk(packed)], [true, chunk.slice(1)]);
  const larger = packChunk(new Uint8Array(2 * BLOB_CHUNK_BYTES));
  assertEquals(bytesOfChunk(larger), undefined);
});

Deno.test("remove() of a value with readers waits for the last reader", async () => {
  const { blobs, committer, inner } = await startNamespaceServices();
  const bytes = patternBytes(20 * BLOB_CHUNK_BYTES);
  const blob = await blobs.write(OWNER, sourceOf(bytes), bytes.length);
  await committer.commit({ mutations: blob.mutations });
  const [first, second] = [blobs.read(OWNER, blob), blobs.read(OWNER, blob)];
  await committer.commit({ mutations: blobs.retire(OWNER, blob) });
  await blobs.remove(OWNER, blob);
  assertEquals(await collect(first), bytes);
  assertEquals(inner.count(["main", "b"]), 20);
  await second.cancel();
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [0, 0]);
});

Deno.test("collectOrphans() removes only values without a committed record", async () => {
  const setup = await startNamespaceServices();
  const { blobs, committer, clock } = setup;
  const kept = await blobs.write(OWNER, sourceOf(patternBytes(200_000)), Infinity);
  await committer.commit({ mutations: kept.mutations });
  await blobs.write(OWNER, sourceOf(patternBytes(17 * BLOB_CHUNK_BYTES)), Infinity);
  const retired = await blobs.write(OWNER, sourceOf(patternBytes(300_000)), Infinity);
  await committer.commit({ mutations: retired.mutations });
  await committer.commit({ mutations: blobs.retire(OWNER, retired) });
  const inner = setup.inner.reopen();
  clock.jump(1_000);
  const next = await startNamespaceServices({ inner, clock });
  assertEquals(await next.blobs.collectOrphans(clock.now()), 2);
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [4, 0]);
  assertEquals((await collect(next.blobs.read(OWNER, kept))).length, 200_000);
  assertEquals(await next.blobs.collectOrphans(clock.now()), 0);
});

Deno.test("collectOrphans() completes a removal that a crash interrupted at any commit", async () => {
  for (let crash = 1; crash <= 6; crash++) {
    const { blobs, committer, store, inner, clock } = await startNamespaceServices();
    const blob = await blobs.write(OWNER, sourceOf(patternBytes(450 * BLOB_CHUNK_BYTES)), Infinity);
    await committer.commit({ mutations: blob.mutations });
    await committer.commit({ mutations: blobs.retire(OWNER, blob) });
    const last = store.commits + crash;
    store.plan = (commit) => commit >= last ? "fail_before" : "none";
    await blobs.remove(OWNER, blob);
    clock.jump(1_000);
    const reopened = inner.reopen();
    const next = await startNamespaceServices({ inner: reopened, clock });
    await next.blobs.collectOrphans(clock.now());
    assertEquals([reopened.count(["main", "b"]), reopened.count(["bi"])], [0, 0], `crash ${crash}`);
    await committer[Symbol.asyncDispose]();
  }
});
