import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import { Logger, silentLogger } from "../../../src/base/log.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { type EventProducer, eventStream, EventStreams } from "../../../src/http/streams/sse.ts";
import { Transfers } from "../../../src/machine/http_server/transfers.ts";
import type { DomainError } from "../../../src/model/errors.ts";
import { attachWatcher } from "../../../src/model/http/transfer_watch.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { basicHeader, bearerHeader, startApp } from "../app_under_test.ts";

/** Settles when the signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

function createStreams(clock = new FakeClock(), maxStreams?: number): EventStreams {
  return new EventStreams({ clock, logger: silentLogger(clock), maxStreams });
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

Deno.test("EventStreams.open() streams events and closes when the producer is done", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  const response = streams.open(async (writer) => {
    await writer.send({ id: "start", data: '{"id":"x"}' });
    await writer.send({ data: "plain" });
  });
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(await response.text(), 'id: start\ndata: {"id":"x"}\n\ndata: plain\n\n');
  assertEquals([streams.count, clock.timerCount], [0, 0]);
});

Deno.test("EventWriter.send() keeps an event in one line", async () => {
  const response = createStreams().open((writer) =>
    writer.send({ id: "a\nid: b", data: "x\r\n\ndata: y\r" })
  );
  assertEquals(await response.text(), "id: a id: b\ndata: x  data: y \n\n");
});

Deno.test("EventStreams.open() sends a comment each 15 s while nothing else is sent", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  const response = streams.open((_writer, signal) => untilAborted(signal));
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await clock.advance(45_000);
  assertEquals([await readChunk(reader), await readChunk(reader), await readChunk(reader)], [
    ":\n\n",
    ":\n\n",
    ":\n\n",
  ]);
  await reader.cancel();
  assertEquals([streams.count, clock.timerCount], [0, 0]);
});

Deno.test("EventStreams.open() aborts the producer when the client goes", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  const ended: string[] = [];
  const response = streams.open(async (writer, signal) => {
    await untilAborted(signal);
    await writer.send({ data: "to nobody" });
    ended.push("producer");
  });
  await settle();
  assertEquals(streams.count, 1);
  await response.body?.cancel();
  await settle();
  assertEquals([ended, streams.count, clock.timerCount], [["producer"], 0, 0]);
});

Deno.test("EventStreams.open() never runs the producer of a client that is gone at once", async () => {
  let hasRun = false;
  const response = createStreams().open(() => {
    hasRun = true;
    return Promise.resolve();
  });
  await response.body?.cancel();
  await settle();
  assertEquals(hasRun, false);
});

Deno.test("EventWriter.send() waits for a slow client, and ends when it leaves", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  let sent = 0;
  const produce: EventProducer = async (writer, signal) => {
    while (!signal.aborted) {
      await writer.send({ data: "x".repeat(10_000) });
      sent++;
    }
  };
  const response = streams.open(produce);
  await settle();
  assertEquals(sent, 6, "64 KiB are buffered");
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (let i = 0; i < 7; i++) await reader.read();
  await settle();
  assertEquals(sent > 6, true);
  await reader.cancel();
  await settle();
  assertEquals(streams.count, 0);
});

Deno.test("EventWriter.send() of a large event buffers no more than 64 KiB until the client reads", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  const shared = new TextEncoder().encode("x".repeat(1_000_000));
  const responses = [1, 2].map(() =>
    streams.open(async (writer) => {
      await writer.send({ id: "start", data: [shared] });
      await writer.send({ id: "end", data: "y".repeat(200_000) });
    })
  );
  const [first, second] = responses.map(({ body }) => (body as ReadableStream<Uint8Array>).getReader());
  await clock.advance(15_000); // no comment within an event
  let text = "";
  for (let chunk = await first?.read(); chunk?.value; chunk = await first?.read()) {
    assertEquals(chunk.value.length <= 65_536, true);
    assertEquals(chunk.value.buffer === shared.buffer, false);
    text += new TextDecoder().decode(chunk.value);
  }
  assertEquals(
    text === `id: start\ndata: ${"x".repeat(1_000_000)}\n\nid: end\ndata: ${"y".repeat(200_000)}\n\n`,
    true,
  );
  let buffered = 0;
  void streams[Symbol.asyncDispose]();
  for (let chunk = await second?.read(); chunk?.value; chunk = await second?.read()) {
    buffered += chunk.value.length;
  }
  assertEquals(buffered < 2 * 65_536, true, `${buffered} bytes were buffered`);
});

Deno.test("EventWriter.send() keeps the order of events that do not wait for each other", async () => {
  const events = Array.from({ length: 9 }, (_, index) => String(index).repeat(index % 2 ? 100_000 : 10));
  const response = createStreams().open(async (writer) => {
    await Promise.all(events.map((data) => writer.send({ data })));
  });
  assertEquals(await response.text() === events.map((data) => `data: ${data}\n\n`).join(""), true);
});

Deno.test("EventStreams.open() ends the streams that have not been read for the longest time if all hold too much", async () => {
  const clock = new FakeClock();
  const streams = new EventStreams({ clock, logger: silentLogger(clock), maxUnreadBytes: 1_000_000 });
  const open = (data: readonly Uint8Array[]) =>
    streams.open((writer) => writer.send({ data }), ownedBy("anna", "main")).body?.getReader();
  const shared = new Uint8Array(600_000);
  const readers = Array.from({ length: 5 }, () => open([shared]));
  await settle();
  assertEquals(streams.count, 5, "shared bytes count once");
  for (let count = 0; count < 3; count++) await readers[0]?.read();
  readers.push(open([new Uint8Array(600_000)]));
  await settle();
  assertEquals(streams.count, 1, "all that held the other bytes are over");
  assertEquals(await readers[1]?.read().then(() => "read", (error) => error.code), "request_timeout");
  await readers.at(-1)?.cancel();
  assertEquals([streams.count, clock.timerCount], [0, 0]);
});

Deno.test("EventStreams.open() refuses more than the cap", async () => {
  const clock = new FakeClock();
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => eventStream(c, (_writer, signal) => untilAborted(signal)));
  await using server = await startApp({ tenantRoutes: [{ path: "/logs", routes }], maxStreams: 2, clock });
  const first = await server.send("/api/v1/logs");
  const second = await server.send("/api/v1/logs");
  const third = await server.send("/api/v1/logs");
  assertEquals([third.status, third.headers.get("retry-after")], [503, "10"]);
  await first.body?.cancel();
  const fourth = await server.send("/api/v1/logs");
  assertEquals(fourth.status, 200);
  await second.body?.cancel();
  await fourth.body?.cancel();
});

/** The owner of a stream that no network carries. */
function ownedBy(user: string, tenant: string) {
  return { actor: { user, tenant }, request: new Request("http://localhost/") };
}

Deno.test("EventStreams.open() leaves room for other tenants and other callers", async () => {
  const clock = new FakeClock();
  const limits = { maxStreams: 10, maxStreamsPerTenant: 4, maxStreamsPerCaller: 3 };
  const streams = new EventStreams({ clock, logger: silentLogger(clock), ...limits });
  const open = (user: string, tenant: string): string => {
    try {
      streams.open((_writer, signal) => untilAborted(signal), ownedBy(user, tenant));
      return "open";
    } catch (error) {
      const { code, retryAfter } = error as DomainError;
      return `${code} ${retryAfter}`;
    }
  };
  const refused = "too_many_requests 10";
  const ofAnna = [1, 2, 3, 4].map(() => open("anna", "one"));
  assertEquals(ofAnna, ["open", "open", "open", refused]);
  assertEquals([open("ben", "one"), open("ben", "one")], ["open", refused], "of the tenant");
  assertEquals([open("anna", "two"), open("ben", "two")], [refused, "open"], "of the caller");
  for (let count = 0; count < 5; count++) assertEquals(open("anonymous", "one"), "open");
  assertEquals(open("carl", "three"), "unavailable 10", "of all");
  await streams[Symbol.asyncDispose]();
});

Deno.test("GET of an event stream is refused with 429 to a caller that has too many", async () => {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => eventStream(c, (_writer, signal) => untilAborted(signal)));
  const setup = { tenantRoutes: [{ path: "/logs", routes }], maxStreamsPerCaller: 1, isProtected: true };
  await using server = await startApp(setup);
  const first = await server.send("/api/v1/logs", { headers: basicHeader() });
  const second = await server.send("/api/v1/logs", { headers: basicHeader() });
  assertEquals([first.status, second.status, second.headers.get("retry-after")], [200, 429, "10"]);
  await first.body?.cancel();
});

Deno.test("EventStreams.open() ends the stream of a client that reads nothing for five minutes", async () => {
  const clock = new FakeClock();
  const transfers = new Transfers();
  const streams = createStreams(clock);
  const owner = ownedBy("anna", "main");
  attachWatcher(owner.request, transfers);
  const response = streams.open(async (writer, signal) => {
    while (!signal.aborted) await writer.send({ data: "x".repeat(10_000) });
  }, owner);
  await settle();
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) transfers.sweep();
  };
  pass(299);
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (let count = 0; count < 3; count++) await reader.read();
  await settle();
  pass(299);
  assertEquals([streams.count, transfers.count], [1, 1]);
  pass(1);
  await settle();
  assertEquals([streams.count, transfers.count, clock.timerCount], [0, 0, 0]);
  assertEquals(await reader.read().then(() => "read", (error) => error.code), "request_timeout");
});

Deno.test("HEAD of an event stream leaves none open", async () => {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => eventStream(c, (_writer, signal) => untilAborted(signal)));
  await using server = await startApp({ tenantRoutes: [{ path: "/logs", routes }] });
  const response = await server.send("/api/v1/logs", { method: "HEAD" });
  assertEquals([response.status, server.eventStreams.count], [200, 0]);
});

Deno.test("EventStreams ends all streams when the server stops", async () => {
  const clock = new FakeClock();
  const streams = createStreams(clock);
  const responses = [1, 2].map(() => streams.open((_writer, signal) => untilAborted(signal)));
  await settle();
  await streams[Symbol.asyncDispose]();
  assertEquals(await Promise.all(responses.map((response) => response.text())), ["", ""]);
  assertEquals([streams.count, clock.timerCount], [0, 0]);
});

Deno.test("EventStreams logs what a producer throws, and closes the stream", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = new Logger({ level: "error", format: "text", clock, write: (line) => lines.push(line) });
  const streams = new EventStreams({ clock, logger });
  const response = streams.open(() => Promise.reject(new Error("broken")));
  assertEquals(await response.text(), "");
  assertStringIncludes(lines.join(), "broken");
  assertEquals(streams.count, 0);
});

Deno.test("eventStream() ends when a real client closes its connection", async () => {
  let isAborted = false;
  const routes = new Hono<AppEnv>();
  const aborted = Promise.withResolvers<void>();
  routes.get("/", (c) =>
    eventStream(c, async (writer, signal) => {
      await writer.send({ id: "start", data: "1" });
      await untilAborted(signal);
      isAborted = true;
      aborted.resolve();
    }));
  await using server = await startApp({ tenantRoutes: [{ path: "/logs", routes }] });
  const listener = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, server.app.fetch);
  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${listener.addr.port}/api/v1/logs`, {
    signal: controller.signal,
    headers: { "accept-encoding": "gzip" },
  });
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  assertEquals(await readChunk(reader), "id: start\ndata: 1\n\n");
  controller.abort();
  await reader.closed.catch(() => undefined);
  await aborted.promise;
  assertEquals([isAborted, server.eventStreams.count], [true, 0]);
  await listener.shutdown();
});

Deno.test("eventStream() is refused if the token is revoked before the stream opens", async () => {
  const [reached, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const routes = new Hono<AppEnv>();
  routes.get("/", async (c) => {
    reached.resolve();
    await opening.promise;
    return eventStream(c, (_writer, signal) => untilAborted(signal));
  });
  await using server = await startApp({ isProtected: true, tenantRoutes: [{ path: "/logs", routes }] });
  const { token, secret } = await server.tokens.create("admin", { name: "t", extended: false });
  const response = server.send("/api/v1/logs", { headers: bearerHeader(secret) });
  await reached.promise;
  await server.tokens.revoke(token.id);
  opening.resolve();
  assertEquals([(await response).status, server.eventStreams.count], [401, 0]);
});

Deno.test("eventStream() ends when the token that opened it is revoked; those of other tokens stay", async () => {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => eventStream(c, (_writer, signal) => untilAborted(signal)));
  await using server = await startApp({ isProtected: true, tenantRoutes: [{ path: "/logs", routes }] });
  const open = async () => {
    const { token, secret } = await server.tokens.create("admin", { name: "t", extended: false });
    const { body } = await server.send("/api/v1/logs", { headers: bearerHeader(secret) });
    return { id: token.id, ended: new Response(body).text() };
  };
  const [first] = [await open(), await open()];
  await server.tokens.revoke(first.id);
  assertEquals([await first.ended, server.eventStreams.count], ["", 1]);
});
