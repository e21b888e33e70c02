/** Types of Kafka, against a broker that keeps one partition or more. */
import process from "node:process";
import { assertEquals, assertRejects } from "@std/assert";
import { type JsonObject, parseJson } from "../../../src/base/json.ts";
import { consume, kafkaTrigger } from "../../../src/integrations/kafka/consume.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import { Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { executionsOf } from "../../support/flows/triggers.ts";
import { KafkaBroker } from "../../support/servers/kafka_broker.ts";

/** A wait for messages that are there: the number of messages ends it. */
const LONG = "PT1M";
/** A wait for messages that do not come. */
const SHORT = "PT0.2S";

function connection(broker: KafkaBroker, further: JsonObject = {}): JsonObject {
  return { properties: { "bootstrap.servers": broker.servers, "auto.offset.reset": "earliest", ...further } };
}

function rowsOf(files: ReadonlyMap<string, string>): JsonObject[] {
  const [text = ""] = files.values();
  return text.split("\n").filter(Boolean).map((line) => parseJson(line) as JsonObject);
}

/** First in its file: the runtime warns once a process. */
Deno.test("a connection sets no timers with a negative time", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  try {
    await using broker = new KafkaBroker();
    await runDefinition(produce, { ...connection(broker), topic: "t", from: { value: "a" } });
  } finally {
    process.off("warning", note);
  }
  assertEquals(warnings, []);
});

Deno.test("kafka.Produce and Consume send and take messages with keys, headers and forms", async () => {
  await using broker = new KafkaBroker();
  const sent = await runDefinition(produce, {
    ...connection(broker, { "compression.type": "gzip" }),
    topic: "orders",
    from: [
      { key: "a", value: { n: 1 }, headers: { kind: "x" }, timestamp: "2026-01-01T00:00:00Z" },
      { key: "b", value: { n: 2 } },
      { key: null, value: null, topic: "orders" },
    ],
    valueSerializer: "JSON",
  });
  assertEquals([sent.outputs.messagesCount, sent.metrics.records], [3, 3]);
  const taken = await runDefinition(consume, {
    ...connection(broker),
    topic: "orders",
    groupId: "g",
    valueDeserializer: "JSON",
    maxRecords: 3,
    pollDuration: LONG,
  });
  assertEquals(taken.outputs.messagesCount, 3);
  const rows = rowsOf(taken.files);
  assertEquals(rows.map(({ key, value, offset }) => [key, value, offset]), [
    ["a", { n: 1 }, 0],
    ["b", { n: 2 }, 1],
    [null, null, 2],
  ]);
  assertEquals([rows[0]?.headers, rows[0]?.timestamp], [{ kind: "x" }, "2026-01-01T00:00:00.000Z"]);
  assertEquals(broker.committed.get("g orders/0"), 3n);
  const rest = await runDefinition(consume, {
    ...connection(broker),
    topic: ["orders"],
    groupId: "g",
    pollDuration: SHORT,
  });
  assertEquals([rest.outputs.messagesCount, rowsOf(rest.files)], [0, []]);
});

/** Compressed messages of so many MiB, each in a batch of its own. */
async function sendLarge(
  broker: KafkaBroker,
  sizes: readonly number[],
  headers: JsonObject = {},
): Promise<void> {
  for (const size of sizes) {
    await runDefinition(produce, {
      ...connection(broker, { "compression.type": "gzip" }),
      topic: "t",
      from: { value: "a".repeat(size * 1024 * 1024), headers },
    });
  }
}

Deno.test("a batch with more than 64 MiB without compression is refused with its place, after the messages before it", async () => {
  await using broker = new KafkaBroker();
  await sendLarge(broker, [0, 64, 0]);
  const properties = { ...connection(broker), topic: "t", groupId: "g", pollDuration: LONG };
  const taken = await runDefinition(consume, { ...properties, maxRecords: 1 });
  assertEquals([taken.outputs.messagesCount, broker.committed.get("g t/0")], [1, 1n]);
  await assertRejects(
    () => runDefinition(consume, { ...properties, maxRecords: 1 }),
    Error,
    "Cannot read a batch of messages: it has more than 67108864 bytes without compression; " +
      'the batch begins at offset 1 of partition 0 of the topic "t": to continue, move the position of the group behind it',
  );
  broker.committed.set("g t/0", 2n);
  assertEquals((await runDefinition(consume, { ...properties, maxRecords: 1 })).outputs.messagesCount, 1);
});

Deno.test("kafka.Consume takes batches that have more than 256 MiB together from several responses", async () => {
  await using broker = new KafkaBroker();
  await sendLarge(broker, Array(5).fill(52));
  await sendLarge(broker, [0], { last: "yes" });
  const properties = { ...connection(broker), topic: "t", headerFilters: { last: "yes" }, maxRecords: 1 };
  const { files } = await runDefinition(consume, { ...properties, pollDuration: LONG });
  assertEquals(rowsOf(files).map(({ offset }) => offset), [5]);
});

Deno.test("kafka.Consume writes no more than a stored file may have", async () => {
  await using broker = new KafkaBroker();
  await runDefinition(produce, {
    ...connection(broker),
    topic: "t",
    from: [{ value: "one" }, { value: "two" }],
  });
  const properties = { ...connection(broker), topic: "t", maxRecords: 2, pollDuration: LONG };
  await assertRejects(
    () => runDefinition(consume, properties, { maxFileBytes: 100 }),
    Error,
    "it is larger than 100 bytes",
  );
});

Deno.test("Kafka is connected to by TLS, with the certificate of its authority", async () => {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: SELF_SIGNED_CERT,
    key: SELF_SIGNED_KEY,
  });
  await using broker = new KafkaBroker({ partitions: 2, listener });
  const secured = { "security.protocol": "SSL", "ssl.truststore.certificates": SELF_SIGNED_CERT };
  const message = { topic: "t", from: [{ key: "a", value: 1 }, { key: "b", value: 2 }] };
  const sent = await runDefinition(produce, { ...connection(broker, secured), ...message });
  assertEquals(sent.outputs.messagesCount, 2);
  await assertRejects(
    () => runDefinition(produce, { ...connection(broker, { "security.protocol": "SSL" }), ...message }),
    Error,
    "Cannot send messages",
  );
});

Deno.test("kafka.Consume skips messages without the headers, and malformed ones if configured", async () => {
  await using broker = new KafkaBroker();
  const from = [
    { value: "{", headers: { a: "1" } },
    { value: "{}", headers: { a: "2" } },
    { value: "{}", headers: { a: "1" } },
  ];
  await runDefinition(produce, { ...connection(broker), topic: "t", from });
  const properties = {
    ...connection(broker),
    topicPattern: "t.*",
    pollDuration: LONG,
    maxRecords: 1,
    valueDeserializer: "JSON",
  };
  const taken = await runDefinition(consume, {
    ...properties,
    headerFilters: { a: "1" },
    onSerdeError: { type: "SKIPPED" },
  });
  assertEquals(rowsOf(taken.files).map(({ offset }) => offset), [2]);
  await assertRejects(
    () => runDefinition(consume, properties),
    Error,
    'the message is at offset 0 of partition 0 of the topic "t": `onSerdeError: {type: SKIPPED}` leaves it out',
  );
});

Deno.test("kafka.Trigger takes each message once, and commits what is durable at the next poll", async () => {
  await using broker = new KafkaBroker();
  const properties = { ...connection(broker), topic: "t", groupId: "g", maxRecords: 1, pollDuration: LONG };
  await runDefinition(produce, { ...connection(broker), topic: "t", from: [{ value: "1" }, { value: "2" }] });
  const first = await pollDefinition(kafkaTrigger, properties);
  assertEquals([first.isFound, rowsOf(first.files).map(({ value }) => value)], [true, ["1"]]);
  assertEquals(broker.committed.size, 0);
  const second = await pollDefinition(kafkaTrigger, properties, first.state);
  assertEquals(rowsOf(second.files).map(({ value }) => value), ["2"]);
  assertEquals(broker.committed.get("g t/0"), 1n);
  const third = await pollDefinition(kafkaTrigger, { ...properties, pollDuration: SHORT }, second.state);
  assertEquals([third.isFound, broker.committed.get("g t/0")], [false, 2n]);
});

Deno.test("kafka.Produce names servers that do not respond", async () => {
  await assertRejects(
    () =>
      runDefinition(produce, {
        properties: { "bootstrap.servers": "localhost:1" },
        topic: "t",
        from: { value: 1 },
      }),
    Error,
    'Cannot send messages at "localhost:1": ',
  );
});

Deno.test("kafka.Produce fails, and the process does not, if a broker names a port that does not exist", async () => {
  await using broker = new KafkaBroker({ namedPort: 70_000 });
  await assertRejects(
    () => runDefinition(produce, { ...connection(broker), topic: "t", from: { value: 1 } }),
    Error,
    "Port should be >= 0 and < 65536. Received 70000",
  );
});

Deno.test("kafka.Consume matches a pattern with names of topics in linear time", async () => {
  await using broker = new KafkaBroker();
  for (const topic of ["a".repeat(40), "t"]) {
    await runDefinition(produce, { ...connection(broker), topic, from: { value: topic } });
  }
  const taken = await runDefinition(consume, {
    ...connection(broker),
    topicPattern: "(a+)+!|t",
    maxRecords: 1,
    pollDuration: LONG,
  });
  assertEquals(rowsOf(taken.files).map(({ value }) => value), ["t"]);
});

Deno.test("kafka.Trigger does not move the position of the group back", async () => {
  await using broker = new KafkaBroker();
  const properties = { ...connection(broker), topic: "t", groupId: "g", maxRecords: 1, pollDuration: LONG };
  for (const value of ["0", "1", "2"]) {
    await runDefinition(produce, { ...connection(broker), topic: "t", from: { value } });
  }
  const first = await pollDefinition(kafkaTrigger, properties);
  broker.committed.set("g t/0", 2n); // Someone leaves out a message.
  const second = await pollDefinition(kafkaTrigger, properties, first.state);
  assertEquals([first, second].map(({ files }) => rowsOf(files).map(({ value }) => value)), [["0"], ["2"]]);
  assertEquals(broker.committed.get("g t/0"), 2n);
});

Deno.test("kafka.Trigger begins anew with another group", async () => {
  await using broker = new KafkaBroker();
  const properties = { ...connection(broker), topic: "t", maxRecords: 1, pollDuration: LONG };
  await runDefinition(produce, { ...connection(broker), topic: "t", from: { value: "1" } });
  const first = await pollDefinition(kafkaTrigger, { ...properties, groupId: "g" });
  const second = await pollDefinition(kafkaTrigger, { ...properties, groupId: "h" }, first.state);
  assertEquals([first.isFound, second.isFound], [true, true]);
});

Deno.test("kafka.RealtimeTrigger starts an execution for each message, and commits what is durable", async () => {
  await using broker = new KafkaBroker();
  await using app = await Harness.start();
  await app.save(`id: p
namespace: demo
triggers:
- id: t
  type: io.kestra.plugin.kafka.RealtimeTrigger
  topic: t
  groupId: g
  valueDeserializer: JSON
  properties: {bootstrap.servers: "${broker.servers}", auto.offset.reset: earliest}
tasks:
- {id: l, type: io.kestra.plugin.core.log.Log, message: "{{ trigger.value.n }}"}
`);
  await app.advance(1);
  const send = (n: number) =>
    runDefinition(produce, {
      ...connection(broker),
      topic: "t",
      from: { key: "k", value: { n } },
      valueSerializer: "JSON",
    });
  await send(1);
  await until(() => Promise.resolve(broker.committed.get("g t/0") === 1n));
  await send(2);
  await until(() => Promise.resolve(broker.committed.get("g t/0") === 2n));
  const executions = await executionsOf(app, "p");
  assertEquals(executions.map(({ trigger: { key, value, offset } }) => [key, value, offset]), [
    ["k", { n: 1 }, 0],
    ["k", { n: 2 }, 1],
  ]);
});
