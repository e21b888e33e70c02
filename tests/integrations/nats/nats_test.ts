/** Types of NATS, against a real server, and against sockets that send what no server would. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { NatsClient } from "../../../src/integrations/nats/client.ts";
import { credentialsOf } from "../../../src/integrations/nats/credentials.ts";
import { natsRealtimeTrigger, natsTrigger } from "../../../src/integrations/nats/messages.ts";
import { NATS_TASKS } from "../../../src/integrations/nats/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import {
  type DefinitionRun,
  type DefinitionRunOptions,
  pollDefinition,
  runDefinition,
  unconfirmedPoll,
} from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { SELF_SIGNED_CERT } from "../../support/processes/self_signed.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { hasNats, NATS_PASSWORD, NATS_USER, startNats } from "../../support/servers/brokers.ts";

/** Skipped where the program is missing. */
const ignore = !hasNats();

function run(name: string, properties: JsonObject, options?: DefinitionRunOptions): Promise<DefinitionRun> {
  const task = NATS_TASKS.find(({ type }) => type === `nats.${name}`) as TaskDefinition;
  return runDefinition(task, properties, options);
}

function connectionTo(port: number): JsonObject {
  return { url: `nats://127.0.0.1:${port}`, username: NATS_USER, password: NATS_PASSWORD };
}

/** A client of the test itself. */
async function withClient<T>(port: number, work: (client: NatsClient) => Promise<T>): Promise<T> {
  const client = new NatsClient(connect({ host: "127.0.0.1", port }));
  try {
    await client.info();
    await client.logIn({ verbose: false, headers: true, user: NATS_USER, pass: NATS_PASSWORD });
    return await work(client);
  } finally {
    await client.end(1_000);
  }
}

async function createStream(port: number, name: string): Promise<void> {
  await withClient(port, async (client) => {
    const created = Promise.withResolvers<void>();
    client.subscribe("test.reply", () => created.resolve());
    const data = new TextEncoder().encode(stringifyJson({ name, subjects: [`${name}.>`] }));
    await client.publish({ subject: `$JS.API.STREAM.CREATE.${name}`, reply: "test.reply", data });
    await created.promise;
  });
}

/** A wait for messages that are there: the number of messages ends it. */
const LONG = "PT1M";
/** A wait for messages that do not come. */
const SHORT = "PT0.1S";

function rowsOf(files: ReadonlyMap<string, string>): JsonObject[] {
  const [text = ""] = files.values();
  return text.split("\n").filter(Boolean).map((line) => parseJson(line) as JsonObject);
}

Deno.test({ name: "nats.core.Produce and Consume send and take messages of a stream", ignore }, async () => {
  await using server = await startNats();
  const connection = connectionTo(server.port);
  await createStream(server.port, "orders");
  const large = "0123456789".repeat(50_000);
  const from: JsonValue = [{ data: "one ✓", headers: { source: "shop", many: ["a", "b"] } }, {
    data: { n: 2 },
  }, large];
  const sent = await run("core.Produce", { ...connection, subject: "orders.new", from });
  assertEquals(sent.outputs, { messagesCount: 3 });
  const subscription = { ...connection, subject: "orders.>", durableId: "flows", pollDuration: LONG };
  const some = await run("core.Consume", { ...subscription, maxRecords: 2 });
  assertEquals(some.outputs.messagesCount, 2);
  const [first = {}, second = {}] = rowsOf(some.files);
  assertEquals([first.subject, first.data, first.headers], [
    "orders.new",
    "one ✓",
    { source: ["shop"], many: ["a", "b"] },
  ]);
  assertEquals(Math.abs(Date.parse(String(first.timestamp)) - Date.now()) < 600_000, true);
  assertEquals([second.data, second.headers], ['{"n":2}', {}]);
  const rest = await run("core.Consume", { ...subscription, maxRecords: 1 });
  assertEquals(rowsOf(rest.files).map(({ data }) => data === large), [true]);
  const tooLarge = { ...connection, subject: "orders.new", pollDuration: LONG, maxRecords: 3 };
  await assertRejects(
    () => run("core.Consume", tooLarge, { maxFileBytes: 100_000 }),
    Error,
    "it is larger than 100000 bytes",
  );
  const none = await run("core.Consume", { ...subscription, pollDuration: SHORT, maxDuration: LONG });
  assertEquals(none.outputs.messagesCount, 0);
  // A consumer without a name begins with the first message.
  const all = { ...connection, subject: "orders.new", pollDuration: LONG, maxRecords: 3 };
  assertEquals((await run("core.Consume", all)).outputs.messagesCount, 3);
  const last = await run("core.Consume", { ...all, deliverPolicy: "Last", maxRecords: 1 });
  assertEquals(rowsOf(last.files).map(({ data }) => data === large), [true]);
  assertEquals(
    (await run("core.Consume", { ...all, since: "2020-01-01T00:00:00Z" })).outputs.messagesCount,
    3,
  );
});

Deno.test(
  { name: "nats.core.Trigger acknowledges messages when their execution is durable", ignore },
  async () => {
    await using server = await startNats();
    const connection = connectionTo(server.port);
    await createStream(server.port, "polled");
    const properties = { ...connection, subject: "polled.>", durableId: "flows", maxRecords: 2 };
    const before = await pollDefinition(natsTrigger, { ...properties, pollDuration: SHORT });
    assertEquals(before.isFound, false);
    await run("core.Produce", { ...connection, subject: "polled.a", from: ["one", "two"] });
    const found = await unconfirmedPoll(natsTrigger, { ...properties, pollDuration: LONG });
    assertEquals(rowsOf(found.files).map(({ data }) => data), ["one", "two"]);
    const pending = () => pendingOf(server.port, "polled", "flows");
    assertEquals(await pending(), 2);
    await found.confirm();
    // The server takes the acknowledgement aside.
    await until(async () => await pending() === 0);
    await found.end();
  },
);

Deno.test(
  { name: "nats.core.Trigger takes a message once that is delivered again while it reads", ignore },
  async () => {
    await using server = await startNats();
    const connection = connectionTo(server.port);
    await createStream(server.port, "slow");
    await run("core.Produce", { ...connection, subject: "slow.a", from: ["one", "two"] });
    await withClient(server.port, async (client) => {
      const created = Promise.withResolvers<void>();
      client.subscribe("test.reply", () => created.resolve());
      const config = { durable_name: "flows", ack_policy: "explicit", ack_wait: 100_000_000 };
      const data = new TextEncoder().encode(stringifyJson({ stream_name: "slow", config }));
      const subject = "$JS.API.CONSUMER.DURABLE.CREATE.slow.flows";
      await client.publish({ subject, reply: "test.reply", data });
      await created.promise;
    });
    const properties = { ...connection, subject: "slow.>", durableId: "flows", batchSize: 4 };
    const polled = await pollDefinition(natsTrigger, { ...properties, pollDuration: LONG });
    assertEquals(rowsOf(polled.files).map(({ data }) => data), ["one", "two"]);
    await until(async () => await pendingOf(server.port, "slow", "flows") === 0);
  },
);

/** Messages of a consumer that are not acknowledged. */
async function pendingOf(port: number, stream: string, consumer: string): Promise<unknown> {
  return await withClient(port, async (client) => {
    const found = Promise.withResolvers<string>();
    client.subscribe("test.reply", ({ data }) => found.resolve(data.toString()));
    await client.publish({ subject: `$JS.API.CONSUMER.INFO.${stream}.${consumer}`, reply: "test.reply" });
    return JSON.parse(await found.promise).num_ack_pending;
  });
}

Deno.test(
  { name: "nats.core.RealtimeTrigger acknowledges a message when its execution is durable", ignore },
  async () => {
    await using server = await startNats();
    const connection = connectionTo(server.port);
    await createStream(server.port, "live");
    const properties = { ...connection, subject: "live.>", durableId: "flows" };
    await run("core.Produce", { ...connection, subject: "live.a", from: ["zero"] });
    {
      await using refused = new Listening(natsRealtimeTrigger, properties, () => {
        throw new Error("not durable");
      });
      await assertRejects(() => refused.ended, Error, "not durable");
    }
    assertEquals(await pendingOf(server.port, "live", "flows"), 1);
    await using listening = new Listening(natsRealtimeTrigger, properties);
    await listening.connected;
    await run("core.Produce", { ...connection, subject: "live.a", from: ["one", "two", "three"] });
    await until(() => Promise.resolve(listening.messages.length === 3));
    assertEquals(listening.messages.map(({ variables }) => variables.data), ["one", "two", "three"]);
    assertEquals(new Set(listening.messages.map(({ identity }) => identity)).size, 3);
    await until(async () => await pendingOf(server.port, "live", "flows") === 1);
  },
);

Deno.test({ name: "nats.core.Request gives the first reply, and null without one", ignore }, async () => {
  await using server = await startNats();
  const connection = connectionTo(server.port);
  await withClient(server.port, async (client) => {
    client.subscribe("greet.*", ({ reply = "", data }) => {
      client.publish({ subject: reply, data: new TextEncoder().encode(`Hello ${data}`) });
    });
    client.subscribe("silent", () => {});
    await client.flush();
    const ask = async (subject: string, further: JsonObject = {}) =>
      (await run("core.Request", { ...connection, subject, from: { data: "Ann" }, ...further })).outputs
        .response;
    assertEquals(await ask("greet.bob", { requestTimeout: LONG }), "Hello Ann");
    assertEquals(await ask("silent", { requestTimeout: "PT0.05S" }), null);
  });
});

Deno.test({ name: "the types of nats.kv write, read and delete values", ignore }, async () => {
  await using server = await startNats();
  const connection = connectionTo(server.port), bucket = { ...connection, bucketName: "prices" };
  const created = await run("kv.CreateBucket", { ...connection, name: "prices", historyPerKey: 3 });
  assertEquals(created.outputs, {
    bucket: "prices",
    history: 3,
    entryCount: 0,
    bucketSize: -1,
    valueSize: -1,
  });
  const written = await run("kv.Put", { ...bucket, values: { apple: 3, pear: { price: 4.5 } } });
  assertEquals(written.outputs, { revisions: { apple: 1, pear: 2 } });
  await run("kv.Put", { ...bucket, values: { apple: "five" } });
  const read = async (wanted: JsonObject) =>
    stringifyJson((await run("kv.Get", { ...bucket, ...wanted })).outputs);
  assertEquals(
    await read({ keys: ["apple", "pear", "none"] }),
    '{"output":{"apple":"five","pear":{"price":4.5}}}',
  );
  assertEquals(await read({ keyRevisions: { apple: 1, pear: 1 } }), '{"output":{"apple":3}}');
  assertEquals((await run("kv.Delete", { ...bucket, keys: ["apple"] })).outputs, { deletedCount: 1 });
  assertEquals(await read({ keys: ["apple", "pear"] }), '{"output":{"pear":{"price":4.5}}}');
  const failures: readonly (readonly [string, JsonObject, string])[] = [
    ["kv.Put", { ...bucket, bucketName: "none", values: { a: 1 } }, 'the bucket "none": it does not exist'],
    ["kv.Put", { ...bucket, values: { "a b": 1 } }, 'Invalid key: "a b"'],
    ["kv.Get", { ...bucket, bucketName: "a.b", keys: ["a"] }, "Invalid bucket name"],
    ["kv.Get", bucket, "Missing keys"],
    ["kv.CreateBucket", { ...connection, name: "prices", historyPerKey: 4 }, "already in use"],
  ];
  for (const [name, properties, message] of failures) {
    await assertRejects(() => run(name, properties), Error, message);
  }
});

Deno.test(
  { name: "failures of NATS name the server and its words, never the password", ignore },
  async () => {
    await using server = await startNats();
    const connection = connectionTo(server.port), name = `Cannot use the server "127.0.0.1:${server.port}": `;
    const wrong = { ...connection, password: "other-word", subject: "a", from: "x" };
    const refused = await assertRejects(
      () => run("core.Produce", wrong),
      Error,
      `${name}Authorization Violation`,
    );
    assertEquals(refused.message.includes("other-word"), false);
    const failures: readonly (readonly [string, JsonObject, string])[] = [
      ["core.Consume", { subject: "none" }, 'Cannot receive "none": no stream has it'],
      ["core.Consume", { subject: "none", durableId: "a.b" }, "Invalid durableId"],
      ["core.Consume", { subject: "none", deliverPolicy: "ByStartTime" }, "Missing since"],
      ["core.Produce", { subject: "a b", from: "x" }, "Invalid subject"],
      ["core.Produce", { subject: "a", from: { headers: {} } }, "a message has no data"],
      ["core.Produce", { subject: "a", from: { data: "x", headers: { a: "b\r\nc" } } }, "Invalid headers"],
      ["core.Produce", { subject: "a", from: "x", url: "http://h" }, "Invalid url"],
      ["core.Produce", { subject: "a", from: "x", url: "nats://169.254.169.254" }, "may not be reached"],
      ["core.Produce", { subject: "a", from: "x", creds: "no" }, "Cannot use the server"],
    ];
    for (const [type, properties, message] of failures) {
      await assertRejects(() => run(type, { ...connection, ...properties }), Error, message);
    }
    const token = {
      url: `nats://${NATS_USER}:${NATS_PASSWORD}@127.0.0.1:${server.port}`,
      subject: "a",
      from: "x",
    };
    assertEquals((await run("core.Produce", token)).outputs, { messagesCount: 1 });
  },
);

Deno.test({ name: "a stop ends the types of NATS; TLS verifies the certificate", ignore }, async () => {
  await using server = await startNats();
  await createStream(server.port, "killed");
  const stop = new AbortController();
  const properties = { ...connectionTo(server.port), subject: "killed.>", pollDuration: "PT1H" };
  const waiting = run("core.Consume", properties, { signal: stop.signal });
  stop.abort();
  await assertRejects(() => waiting, Error, "stopped");
  {
    await using listening = new Listening(natsRealtimeTrigger, properties);
    await listening.connected;
  }
  await using secure = await startNats({ isSecure: true });
  const send = { ...connectionTo(secure.port), subject: "a", from: "x" };
  await assertRejects(() => run("core.Produce", send), Error, "certificate");
  const client = new NatsClient(connect({ host: "127.0.0.1", port: secure.port }));
  await client.info();
  client.upgrade((socket) => connectTls({ socket, servername: "localhost", ca: SELF_SIGNED_CERT }));
  await client.logIn({ verbose: false, user: NATS_USER, pass: NATS_PASSWORD });
  await client.end(1_000);
});

/** What a server sends, and the words of the error. */
const HOSTILE: readonly (readonly [what: string, text: string, words: string])[] = [
  ["text", "HTTP/1.1 400 Bad Request\r\n\r\n", "does not use NATS"],
  ["an endless line", "INFO " + "x".repeat(300_000), "a line that is too long"],
  ["no object", "INFO []\r\n", "does not use NATS"],
  ["an endless message", "INFO {}\r\nMSG a 1 99999999999\r\n", "a message of more than"],
  ["endless headers", "INFO {}\r\nHMSG a 1 5000000 5000001\r\n", "headers of more than"],
  ["a negative size", "INFO {}\r\nHMSG a 1 5 -1\r\n", "does not use NATS"],
  ["bytes before TLS", 'INFO {"tls_required":true}\r\nMSG a', "more than its greeting before TLS"],
  ["an error", "INFO {}\r\n-ERR 'Maximum Connections Exceeded'\r\n", "Maximum Connections Exceeded"],
];

for (const [what, text, words] of HOSTILE) {
  Deno.test(`a server of NATS that sends ${what} ends the task, not the process`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = listener.accept().then(async (connection) => {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      await new Response(connection.readable).bytes();
    }).catch(() => {});
    const properties = { url: `nats://127.0.0.1:${listener.addr.port}`, subject: "a", from: "x" };
    await assertRejects(() => run("core.Produce", properties), Error, words);
    await serving;
  });
}

Deno.test("credentials of NATS are a JWT and the signature of the nonce", () => {
  // The seed of 32 zeros with the prefix of a user.
  const seed = "SUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const content =
    `-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
  const { jwt, sig } = credentialsOf(content, "nonce");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  assertEquals([jwt, sig], ["a.b.c", sign(null, Buffer.from("nonce"), key).toString("base64url")]);
  assertThrows(() => credentialsOf("text", "nonce"), Error, "Invalid creds");
});
