/** Limits of the topics of a consumer of Kafka. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { consume } from "../../../src/integrations/kafka/consume.ts";
import { loadKafka } from "../../../src/integrations/kafka/kafka_package.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { KafkaBroker } from "../../support/servers/kafka_broker.ts";

function topics(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `topic-${index}`);
}

function connection({ servers }: KafkaBroker) {
  return { properties: { "bootstrap.servers": servers, "auto.offset.reset": "earliest" } };
}

Deno.test("a consumer of Kafka has at most 500 topics", async () => {
  await using broker = new KafkaBroker({ listed: topics(501) });
  const message = `Cannot receive messages at "${broker.servers}": a consumer has at most 500 topics, and `;
  const refused = [
    [{ topicPattern: "topic-.*" }, 'more match "topic-.*"; share them among several tasks or triggers'],
    [{ topic: topics(501) }, "501 are given; share them among several tasks or triggers"],
  ] as const;
  for (const [properties, reason] of refused) {
    await assertRejects(
      () => runDefinition(consume, { ...connection(broker), ...properties, maxRecords: 1 }),
      Error,
      message + reason,
    );
  }
});

Deno.test("a consumer of Kafka takes messages of 500 topics", async () => {
  await using broker = new KafkaBroker({ listed: topics(500) });
  await runDefinition(produce, { ...connection(broker), topic: "topic-7", from: { value: "1" } });
  const properties = { ...connection(broker), topicPattern: ".*", maxRecords: 1, pollDuration: "PT30S" };
  assertEquals((await runDefinition(consume, properties)).outputs.messagesCount, 1);
});

Deno.test("a broker of Kafka that names other topics than it was asked for is refused", async () => {
  await using broker = new KafkaBroker({ unasked: topics(1) });
  await assertRejects(
    () => runDefinition(produce, { ...connection(broker), topic: "t", from: { value: "1" } }),
    Error,
    "it names more topics than were asked for",
  );
});

Deno.test("a topic of Kafka has at most 10,000 partitions", async () => {
  await using broker = new KafkaBroker({ partitions: 10_001 });
  await assertRejects(
    () => runDefinition(produce, { ...connection(broker), topic: "t", from: { value: "1" } }),
    Error,
    'it has more than 10000 partitions of the topic "t"',
  );
});

/** What the leader of a group may assign, and the reason why it is refused. */
const ASSIGNED: readonly (readonly [topics: number, partitions: number, reason: string])[] = [
  [501, 1, "more than 500 assigned topics"],
  [10, 5_001, "more than 50000 assigned partitions"],
];

for (const [count, partitions, reason] of ASSIGNED) {
  Deno.test(`a group of Kafka may not assign a consumer ${reason}`, async () => {
    await loadKafka();
    const { default: { MemberAssignment } } = await import("kafkajs/src/consumer/assignerProtocol.js");
    const assignment = Object.fromEntries(
      topics(count).map((topic) => [topic, Array.from({ length: partitions }, (_, index) => index)]),
    );
    const bytes = MemberAssignment.encode({ version: 0, assignment });
    assertThrows(() => MemberAssignment.decode(bytes), Error, reason);
  });
}
