/** The client of KV Connect: what it repeats, what it does not, and what it makes of failures. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { encodeKey } from "../../../src/store/kv_connect/key_codec.ts";
import { KvConnectStore } from "../../../src/store/kv_connect/kv_connect_store.ts";
import { ProtoReader, ProtoWriter } from "../../../src/store/kv_connect/protobuf.ts";
import { type Atomic, UnsentError } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FakeServer, readResponse, written } from "./fake_server.ts";

const ATOMIC: Atomic = {
  checks: [],
  mutations: [{ type: "set", key: ["k"], value: new Uint8Array([1]) }],
  messages: [],
};

async function withServer(
  run: (server: FakeServer, store: KvConnectStore) => Promise<void>,
): Promise<void> {
  await using server = new FakeServer();
  const store = await KvConnectStore.open(server.options);
  try {
    await run(server, store);
  } finally {
    store.close();
  }
}

/** Settles when the request of the client has ended. */
function aborted(request: Request): Promise<Response> {
  return new Promise((resolve) => request.signal.addEventListener("abort", () => resolve(new Response())));
}

Deno.test("requests go to the endpoint of strong consistency with the token of the metadata", () =>
  withServer(async (server, store) => {
    const seen: (string | null)[] = [];
    server.behaviour.write = ({ headers }) => {
      seen.push(
        ...["authorization", "x-denokv-version", "x-denokv-database-id"].map((name) => headers.get(name)),
      );
      return written();
    };
    assertEquals(await store.commit(ATOMIC), "07".repeat(10));
    assertEquals(seen, ["Bearer data-1", "3", "d"]);
    assertEquals(server.paths, ["/connect", "/v2/atomic_write"]);
  }));

Deno.test("metadata that expires soon is renewed before the next request; if that fails, the old one is used", async () => {
  await using server = new FakeServer();
  const clock = new FakeClock();
  const tokens: (string | null)[] = [];
  server.behaviour.metadata = () => server.metadata(clock.now() + 3_600_000);
  server.behaviour.read = ({ headers }) => {
    tokens.push(headers.get("authorization"));
    return readResponse(() => {});
  };
  const store = await KvConnectStore.open({ ...server.options, clock });
  await store.get(["a"]);
  clock.jump(56 * 60_000);
  await store.get(["a"]);
  server.behaviour.metadata = () => new Response("later", { status: 503 });
  clock.jump(56 * 60_000);
  await store.get(["a"]);
  assertEquals(tokens, ["Bearer data-1", "Bearer data-2", "Bearer data-2"]);
  clock.jump(5 * 60_000);
  await assertRejects(() => store.commit(ATOMIC), UnsentError, "503: later");
  store.close();
});

Deno.test("a refused token is exchanged once, and the write is sent again", () =>
  withServer(async (server, store) => {
    server.behaviour.write = ({ headers }) =>
      headers.get("authorization") === "Bearer data-2" ? written() : new Response("old", { status: 401 });
    assert(await store.commit(ATOMIC));
    assertEquals(server.tokens, 2);
  }));

Deno.test("metadata of many requests is exchanged once", async () => {
  await using server = new FakeServer();
  server.behaviour.metadata = () => server.metadata(0);
  const store = await KvConnectStore.open(server.options);
  await Promise.all(Array.from({ length: 20 }, () => store.get(["a"])));
  assertEquals(server.count("/connect"), 2);
  store.close();
});

Deno.test("open() refuses a wrong token, a server that speaks no KV Connect, and one that is not there", async () => {
  await using server = new FakeServer();
  server.behaviour.metadata = () => new Response("Invalid access token.", { status: 401 });
  await assertRejects(() => KvConnectStore.open(server.options), Error, "401: Invalid access token.");
  server.behaviour.metadata = () => new Response("<html>");
  await assertRejects(() => KvConnectStore.open(server.options), Error, "does not speak KV Connect");
  const url = "http://127.0.0.1:21799/";
  await assertRejects(() => KvConnectStore.open({ ...server.options, url }), UnsentError);
});

for (const status of [500, 503, 400]) {
  Deno.test(`commit() sends a write once when the response is ${status}`, () =>
    withServer(async (server, store) => {
      server.behaviour.write = () => new Response("no", { status });
      const error = await assertRejects(() => store.commit(ATOMIC), Error, `${status}: no`);
      assert(!(error instanceof UnsentError));
      assertEquals(server.count("/v2/atomic_write"), 1);
    }));
}

for (
  const [name, options, atomic] of [
    ["the time limit", { timeoutMs: 50 }, ATOMIC],
    ["its own time limit", {}, { ...ATOMIC, timeoutMs: 50 }],
  ] as const
) {
  Deno.test(`commit() gives up after ${name}`, async () => {
    await using server = new FakeServer();
    const clock = new FakeClock();
    const sent = Promise.withResolvers<void>();
    server.behaviour.write = (request) => {
      sent.resolve();
      return aborted(request);
    };
    const store = await KvConnectStore.open({ ...server.options, ...options, clock });
    const failed = assertRejects(() => store.commit(atomic), DOMException, "within 50 ms");
    await sent.promise;
    await clock.advance(50);
    assertEquals((await failed).name, "TimeoutError");
    assertEquals(server.count("/v2/atomic_write"), 1);
    store.close();
  });
}

Deno.test("commit() gives null for a failed check and throws for any other status", () =>
  withServer(async (server, store) => {
    server.behaviour.write = () => written(2);
    assertEquals(await store.commit(ATOMIC), null);
    for (const status of [0, 5]) {
      server.behaviour.write = () => written(status);
      await assertRejects(() => store.commit(ATOMIC), Error, "does not write");
    }
  }));

Deno.test("commit() throws UnsentError when the server is not reached", async () => {
  const server = new FakeServer();
  const store = await KvConnectStore.open(server.options);
  await server[Symbol.asyncDispose]();
  // The connection that was open may have taken the first one.
  await assertRejects(() => store.commit(ATOMIC), Error);
  await assertRejects(() => store.commit(ATOMIC), UnsentError, "Connection refused");
  store.close();
});

Deno.test("commit() refuses more than 10 checks and messages before it sends anything", () =>
  withServer(async (server, store) => {
    const checks = Array.from({ length: 11 }, (_, n) => ({ key: ["c", n], versionstamp: null }));
    await assertRejects(() => store.commit({ ...ATOMIC, checks }), Error, "allows 10 checks");
    const messages = [{ payload: "p", delayMs: 0 }];
    await assertRejects(() => store.commit({ ...ATOMIC, messages }), Error, "has no queue");
    assertEquals(server.count("/v2/atomic_write"), 0);
  }));

Deno.test("get() repeats a read that fails, and then refuses it as unavailable", () =>
  withServer(async (server, store) => {
    let failures = 2;
    server.behaviour.read = () =>
      failures-- > 0 ? new Response("no", { status: 500 }) : readResponse(() => {});
    assertEquals(await store.get(["a"]), null);
    failures = 3;
    const error = await assertRejects(() => store.get(["a"]), DomainError);
    assertEquals(error.code, "unavailable");
    assertMatch((error.cause as Error).message, /500: no/);
  }));

Deno.test("get() sends a read again that has no response after 250 ms, and ends the one that is not needed", async () => {
  await using server = new FakeServer();
  const clock = new FakeClock();
  const sent = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Response>();
  server.behaviour.read = (request) => {
    server.behaviour.read = undefined;
    sent.resolve();
    ended.resolve(aborted(request));
    return ended.promise;
  };
  const store = await KvConnectStore.open({ ...server.options, clock });
  const read = store.get(["a"]);
  await sent.promise;
  await clock.advance(249);
  assertEquals(server.count("/v2/snapshot_read"), 1);
  await clock.advance(1);
  assertEquals(await read, null);
  await ended.promise;
  assertEquals([server.count("/v2/snapshot_read"), clock.timerCount], [2, 0]);
  store.close();
});

Deno.test("get() sends a read again after a second while the database is busy", async () => {
  await using server = new FakeServer();
  const clock = new FakeClock();
  const store = await KvConnectStore.open({ ...server.options, clock });
  let received = Promise.withResolvers<(response: Response) => void>();
  server.behaviour.read = (request) =>
    Promise.race([new Promise<Response>((respond) => received.resolve(respond)), aborted(request)]);
  const next = async () => {
    const respond = await received.promise;
    received = Promise.withResolvers();
    return respond;
  };
  // The first response comes after the read was sent again.
  const slow = store.get(["a"]);
  const respond = await next();
  await clock.advance(251);
  await next();
  respond(readResponse(() => {}));
  assertEquals(await slow, null);
  const busy = store.get(["a"]);
  await next();
  await clock.advance(999);
  assertEquals(server.count("/v2/snapshot_read"), 3);
  await clock.advance(1);
  (await next())(readResponse(() => {}));
  assertEquals([await busy, server.count("/v2/snapshot_read")], [null, 4]);
  store.close();
});

/** The keys of a read; each is found, with its first part as value. */
async function answerRead(
  request: Request,
): Promise<{ readonly keys: Uint8Array[]; readonly response: Response }> {
  const keys: Uint8Array[] = [];
  const reader = new ProtoReader(await request.bytes());
  for (let field = reader.next(); field > 0; field = reader.next()) {
    const range = new ProtoReader(reader.byteString());
    range.next();
    keys.push(range.byteString());
  }
  const writer = new ProtoWriter();
  for (const key of keys) {
    writer.message(1, () =>
      writer.message(1, () => {
        writer.byteString(1, key);
        writer.byteString(2, key);
        writer.number(3, 3);
        writer.byteString(4, new Uint8Array(10));
      }));
  }
  writer.number(4, 1);
  writer.number(8, 1);
  return { keys, response: new Response(writer.bytes) };
}

Deno.test("reads of one turn share requests of ten keys; what one call reads is read at once", () =>
  withServer(async (server, store) => {
    const sizes: number[] = [];
    server.behaviour.read = async (request) => {
      const { keys, response } = await answerRead(request);
      sizes.push(keys.length);
      return response;
    };
    const keys = (from: number, count: number) => Array.from({ length: count }, (_, n) => [from + n]);
    const calls = [keys(0, 1), keys(1, 3), keys(4, 7), keys(11, 12)];
    const found = await Promise.all(calls.map((each) => store.getMany(each)));
    assertEquals(
      found.map((entries) => entries.map((entry) => entry?.value)),
      calls.map((each) => each.map((key) => encodeKey(key))),
    );
    assertEquals(sizes.toSorted((a, b) => a - b), [4, 7, 2, 10].toSorted((a, b) => a - b));
    await Promise.all(keys(0, 20).map((key) => store.get(key)));
    assertEquals(sizes.slice(4), [10, 10]);
  }));

Deno.test("a read that fails is refused for all that share it", () =>
  withServer(async (server, store) => {
    server.behaviour.read = () => new Response("no", { status: 500 });
    const codes = await Promise.all(
      ["a", "b"].map((key) => assertRejects(() => store.get([key]), DomainError)),
    );
    assertEquals(codes.map(({ code }) => code), ["unavailable", "unavailable"]);
    assertEquals(server.count("/v2/snapshot_read"), 3);
  }));

Deno.test("get() refuses data that may be old, and values of other programs", () =>
  withServer(async (server, store) => {
    server.behaviour.read = () => readResponse(() => {}, { isStrong: 0 });
    const old = await assertRejects(() => store.get(["a"]), DomainError);
    assertMatch((old.cause as Error).message, /may be old/);
    server.behaviour.read = () =>
      readResponse((writer) =>
        writer.message(1, () => {
          writer.byteString(1, encodeKey(["a"]));
          writer.number(3, 1);
        })
      );
    const foreign = await assertRejects(() => store.get(["a"]), DomainError);
    assertMatch((foreign.cause as Error).message, /not of this program/);
  }));

Deno.test("close() ends what runs, and later calls fail", () =>
  withServer(async (server, store) => {
    const arrived = Promise.withResolvers<void>();
    server.behaviour.write = (request) => {
      arrived.resolve();
      return aborted(request);
    };
    const running = store.commit(ATOMIC);
    const failed = assertRejects(() => running, Error, "closed");
    await arrived.promise;
    store.close();
    await failed;
    await assertRejects(() => store.get(["a"]), DomainError);
    await assertRejects(() => store.commit(ATOMIC), Error, "closed");
  }));
