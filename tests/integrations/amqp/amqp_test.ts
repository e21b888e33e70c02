/** Types of AMQP, against a broker in this process, and against RabbitMQ where it is installed. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type JsonObject, parseJson } from "../../../src/base/json.ts";
import { amqpRealtimeTrigger, amqpTrigger } from "../../../src/integrations/amqp/consume.ts";
import { AMQP_TASKS } from "../../../src/integrations/amqp/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import {
  type DefinitionRun,
  type DefinitionRunOptions,
  pollDefinition,
  runDefinition,
  unconfirmedPoll,
} from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { until } from "../../support/processes/machine_processes.ts";
import {
  AMQP_PASSWORD,
  AMQP_USER,
  AmqpBroker,
  frame,
  methodFrame,
  shortText,
  u16,
  u64,
} from "../../support/servers/amqp_broker.ts";
import { Buffer } from "node:buffer";
import { hasRabbitMq, startRabbitMq } from "../../support/servers/brokers.ts";

/** A broker, and how a flow connects to it. */
interface TestBroker extends AsyncDisposable {
  readonly connection: JsonObject;
}

function connectionOf({ port }: AmqpBroker): JsonObject {
  return { host: "127.0.0.1", port, username: AMQP_USER, password: AMQP_PASSWORD };
}

function startStub(): Promise<TestBroker> {
  const broker = new AmqpBroker();
  return Promise.resolve({
    connection: connectionOf(broker),
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  });
}

async function startRabbit(): Promise<TestBroker> {
  const broker = await startRabbitMq();
  const connection = { host: "127.0.0.1", port: broker.port };
  return { connection, [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose]() };
}

function run(name: string, properties: JsonObject, options?: DefinitionRunOptions): Promise<DefinitionRun> {
  const task = AMQP_TASKS.find(({ type }) => type === `amqp.${name}`) as TaskDefinition;
  return runDefinition(task, properties, options);
}

function rowsOf(files: ReadonlyMap<string, string>): JsonObject[] {
  const [text = ""] = files.values();
  return text.split("\n").filter(Boolean).map((line) => parseJson(line) as JsonObject);
}

/** Declares a queue that gets the messages of an exchange. */
async function declare(connection: JsonObject, name: string): Promise<void> {
  const declared = { ...connection, name };
  assertEquals((await run("DeclareExchange", declared)).outputs, { exchange: name });
  assertEquals((await run("CreateQueue", declared)).outputs, { queue: name });
  const bound = await run("QueueBind", { ...connection, exchange: name, queue: name, routingKey: "k" });
  assertEquals(bound.outputs, { queue: name, exchange: name });
}

const PROPERTIES = {
  headers: { source: "shop", count: 3, large: 3_000_000_000, share: 0.1, nested: { list: [1, true, null] } },
  contentType: "text/plain",
  deliveryMode: 2,
  priority: 5,
  messageId: "m1",
  correlationId: "c1",
  replyTo: "answers",
  expiration: "PT1H",
  timestamp: "2026-01-02T03:04:05Z",
  type: "order",
  appId: "shop",
};

async function publishesAndConsumes(connection: JsonObject): Promise<void> {
  await declare(connection, "all");
  const sent = await run("Publish", {
    ...connection,
    exchange: "all",
    routingKey: "k",
    from: [{ data: "one", ...PROPERTIES }, { data: "two ✓" }, "three"],
  });
  assertEquals([sent.outputs, sent.metrics], [{ messagesCount: 3 }, { "published.records": 3 }]);
  const taken = await run("Consume", { ...connection, queue: "all", maxRecords: 2 });
  assertEquals([taken.outputs.count, taken.metrics], [2, { "consumed.records": 2 }]);
  const [first = {}, second = {}] = rowsOf(taken.files);
  const headers = {
    source: "shop",
    count: "3",
    large: "3000000000",
    share: "0.1",
    nested: '{"list":[1,true,null]}',
  };
  const timestamp = "2026-01-02T03:04:05.000Z";
  assertEquals(first, { ...PROPERTIES, data: "one", headers, timestamp });
  assertEquals(second.data, "two ✓");
  // Without a time the reading ends when the queue is empty; what was read before is gone.
  assertEquals(rowsOf((await run("Consume", { ...connection, queue: "all", maxRecords: 9 })).files), [
    { data: "three" },
  ]);
}

async function keepsMessagesOfFailures(connection: JsonObject): Promise<void> {
  await declare(connection, "json");
  const queue = { ...connection, queue: "json", serdeType: "JSON", maxRecords: 10 };
  const target = { ...connection, routingKey: "json" };
  await run("Publish", { ...target, from: { data: { n: 1.0 } }, serdeType: "JSON" });
  await run("Publish", { ...target, from: { data: "{" } });
  await run("Publish", { ...target, from: { data: "null" } });
  const consume = AMQP_TASKS.find(({ type }) => type === "amqp.Consume") as TaskDefinition;
  const failing: TaskDefinition = {
    ...consume,
    run: (context) =>
      consume.run({ ...context, storeFile: () => Promise.reject(new Error("the disk is full")) }),
  };
  await assertRejects(() => runDefinition(failing, queue), Error, "the disk is full");
  const json = await run("Consume", queue);
  assertEquals(rowsOf(json.files).map(({ data }) => data), [{ n: 1 }, "{", null]);
  const unrouted = await run("Publish", { ...target, routingKey: "nowhere", from: "lost" });
  assertEquals(unrouted.logs, ["WARN No queue got 1 of 1 messages"]);
}

async function confirmsWhenDurable(connection: JsonObject): Promise<void> {
  await declare(connection, "polled");
  const properties = { ...connection, queue: "polled", maxRecords: 10 };
  assertEquals((await pollDefinition(amqpTrigger, properties)).isFound, false);
  await run("Publish", { ...connection, exchange: "polled", routingKey: "k", from: ["one", "two"] });
  const lost = await unconfirmedPoll(amqpTrigger, properties);
  assertEquals(lost.outputs.count, 2);
  await lost.end();
  const found = await pollDefinition(amqpTrigger, properties);
  assertEquals(rowsOf(found.files).map(({ data }) => data), ["one", "two"]);
  assertEquals((await pollDefinition(amqpTrigger, properties)).isFound, false);
}

async function startsForEachMessage(connection: JsonObject): Promise<void> {
  await declare(connection, "live");
  const properties = { ...connection, queue: "live", consumerTag: "sluice" };
  const target = { ...connection, exchange: "live", routingKey: "k" };
  await run("Publish", { ...target, from: ["one"] });
  {
    await using refused = new Listening(amqpRealtimeTrigger, properties, () => {
      throw new Error("not durable");
    });
    await assertRejects(() => refused.ended, Error, "not durable");
  }
  {
    await using listening = new Listening(amqpRealtimeTrigger, properties);
    await listening.connected;
    await run("Publish", { ...target, from: [{ data: "two", messageId: "m2" }] });
    await until(() => Promise.resolve(listening.messages.length === 2));
    assertEquals(listening.messages.map(({ variables }) => variables.data), ["one", "two"]);
    assertEquals(listening.messages[1]?.variables.messageId, "m2");
  }
  const rest = await run("Consume", { ...connection, queue: "live", maxRecords: 1 });
  assertEquals(rest.outputs.count, 0);
}

async function namesTheBroker(connection: JsonObject): Promise<void> {
  const broker = `Cannot use the broker "127.0.0.1:${connection.port}": `;
  const queue = { ...connection, queue: "none", maxRecords: 1 };
  await assertRejects(() => run("Consume", queue), Error, `${broker}NOT_FOUND - no queue 'none'`);
  const target = { ...connection, exchange: "none", from: "x" };
  await assertRejects(() => run("Publish", target), Error, `${broker}NOT_FOUND - no exchange 'none'`);
  await using listening = new Listening(amqpRealtimeTrigger, { ...connection, queue: "none" });
  await assertRejects(() => listening.ended, Error, `${broker}NOT_FOUND`);
  const wrong = { ...queue, username: "flows", password: "other-word" };
  const refused = await assertRejects(() => run("Consume", wrong), Error, `${broker}ACCESS_REFUSED`);
  assertEquals(refused.message.includes("other-word"), false);
}

async function stopsAtOnce(connection: JsonObject): Promise<void> {
  await declare(connection, "killed");
  const stop = new AbortController();
  const properties = { ...connection, queue: "killed", maxDuration: "PT1H" };
  const waiting = run("Consume", properties, { signal: stop.signal });
  stop.abort();
  await assertRejects(() => waiting, Error, "stopped");
  await using _listening = new Listening(amqpRealtimeTrigger, { ...connection, queue: "killed" });
}

const TESTS: readonly (readonly [name: string, work: (connection: JsonObject) => Promise<void>])[] = [
  ["amqp.Publish sends messages with their properties, amqp.Consume takes them", publishesAndConsumes],
  [
    "amqp.Consume returns messages to the queue if it fails, and gives what is no JSON as text",
    keepsMessagesOfFailures,
  ],
  ["amqp.Trigger acknowledges messages when their execution is durable", confirmsWhenDurable],
  ["amqp.RealtimeTrigger acknowledges a message when its execution is durable", startsForEachMessage],
  ["failures of AMQP name the broker and its words, never the password", namesTheBroker],
  ["a stop ends the types of AMQP", stopsAtOnce],
];

for (const [name, work] of TESTS) {
  Deno.test(name, async () => {
    await using broker = await startStub();
    await work(broker.connection);
  });
}

Deno.test({
  name: "RabbitMQ serves the types of AMQP as the broker of these tests does",
  ignore: !hasRabbitMq(),
}, async (test) => {
  await using broker = await startRabbit();
  for (const [name, work] of TESTS) await test.step(name, () => work(broker.connection));
  await test.step("amqp.CreateQueue fails for a queue with other properties", async () => {
    const queue = { ...broker.connection, name: "limited", args: { "x-max-length": 3_000_000_000 } };
    await run("CreateQueue", queue);
    await assertRejects(() => run("CreateQueue", { ...queue, args: {} }), Error, "PRECONDITION_FAILED");
  });
  await test.step("a message of several frames arrives", async () => {
    await run("CreateQueue", { ...broker.connection, name: "large" });
    const data = "0123456789abcdef".repeat(64 * 1024);
    await run("Publish", { ...broker.connection, routingKey: "large", from: { data } });
    const taken = await run("Consume", { ...broker.connection, queue: "large", maxRecords: 1 });
    assertEquals(rowsOf(taken.files)[0]?.data === data, true);
  });
  await test.step("an unknown virtual host is refused", async () => {
    const queue = { ...broker.connection, queue: "q", maxRecords: 1, virtualHost: "/none" };
    const refused = await assertRejects(() => run("Consume", queue), Error);
    assertStringIncludes(refused.message, "vhost /none not found");
  });
});

const OPENED = methodFrame(0, 10, 41, shortText("")), CHANNEL = methodFrame(1, 20, 11, Buffer.alloc(4));
const GET_OK = methodFrame(1, 60, 71, u64(1), Buffer.of(0), shortText(""), shortText(""), Buffer.alloc(4));

function messageHead(size: number): Buffer {
  return frame(2, 1, Buffer.concat([u16(60), u16(0), u64(size), u16(0)]));
}

/** What a broker sends after the log-in, and the words of the error. */
const HOSTILE: readonly (readonly [what: string, bytes: Buffer, words: string])[] = [
  ["text", Buffer.concat([OPENED, Buffer.from("HTTP/1.1 400 Bad Request")]), "does not use AMQP 0-9-1"],
  [
    "an endless frame",
    Buffer.concat([OPENED, Buffer.from("\x01\0\x01\x7f\xff\xff\xff", "latin1")]),
    "too large",
  ],
  [
    "an endless message",
    Buffer.concat([OPENED, CHANNEL, GET_OK, messageHead(2 ** 40)]),
    "a message of more than 67108864 bytes",
  ],
  [
    "more than the message",
    Buffer.concat([OPENED, CHANNEL, GET_OK, messageHead(2), frame(3, 1, Buffer.alloc(9))]),
    "Cannot use the broker",
  ],
  ["half a frame end", Buffer.concat([OPENED, CHANNEL.fill(0, CHANNEL.length - 1)]), "Invalid frame end"],
  [
    "an end of the connection",
    Buffer.concat([
      OPENED,
      methodFrame(0, 10, 50, u16(320), shortText("CONNECTION_FORCED"), Buffer.alloc(4)),
    ]),
    "CONNECTION_FORCED (320)",
  ],
  [
    "an end of channel 0",
    Buffer.concat([OPENED, methodFrame(0, 20, 40, u16(404), shortText("NOT_FOUND"), Buffer.alloc(4))]),
    "NOT_FOUND (404)",
  ],
  [
    "a message for a channel that is not open",
    Buffer.concat([
      OPENED,
      methodFrame(7, 60, 60, shortText("t"), u64(1), Buffer.of(0), shortText(""), shortText("")),
      methodFrame(0, 10, 50, u16(501), shortText("FRAME_ERROR"), Buffer.alloc(4)),
    ]),
    "FRAME_ERROR (501)",
  ],
];

for (const [what, bytes, words] of HOSTILE) {
  Deno.test(`a broker of AMQP that sends ${what} ends the task, not the server`, async () => {
    await using broker = new AmqpBroker();
    broker.greeting = bytes;
    const queue = { ...connectionOf(broker), queue: "q", maxRecords: 1 };
    await assertRejects(() => run("Consume", queue), Error, words);
  });
}

const INVALID: readonly (readonly [name: string, properties: JsonObject, message: string])[] = [
  ["CreateQueue", { name: "q" }, "Missing host"],
  ["CreateQueue", { name: "q", host: "h", url: "amqp://h" }, "give either host or url"],
  ["CreateQueue", { name: "q", url: "http://h" }, "Invalid url"],
  ["CreateQueue", { host: "127.0.0.1" }, "Missing name"],
  ["CreateQueue", { name: "q", host: "169.254.169.254" }, "may not be reached"],
  ["CreateQueue", { name: "q", url: "amqps://flows:word@127.0.0.1:1" }, "Cannot"],
];

Deno.test("the types of AMQP refuse invalid properties and addresses that may not be reached", async () => {
  for (const [name, properties, message] of INVALID) {
    const refused = await assertRejects(() => run(name, properties), Error, message);
    assertEquals(refused.message.includes("word"), false);
  }
  await using broker = await startStub();
  const target = { ...broker.connection, routingKey: "q" };
  const invalid: readonly (readonly [JsonObject, string])[] = [
    [{ headers: {} }, "a message has no data"],
    [{ data: "x", priority: 300 }, "Invalid priority"],
    [{ data: "x", expiration: "soon" }, "Invalid expiration"],
    [{ data: "x", timestamp: "yesterday" }, "Invalid timestamp"],
  ];
  for (const [from, message] of invalid) {
    await assertRejects(() => run("Publish", { ...target, from }), Error, message);
  }
  const unbound = { ...broker.connection, queue: "q" };
  await assertRejects(() => run("Consume", unbound), Error, "Missing maxRecords or maxDuration");
});

Deno.test("an address of AMQP has user, password and virtual host", async () => {
  await using broker = await startStub();
  const url = `amqp://${AMQP_USER}:${AMQP_PASSWORD}@127.0.0.1:${broker.connection.port}/orders`;
  assertEquals((await run("CreateQueue", { url, name: "q" })).outputs, { queue: "q" });
});
