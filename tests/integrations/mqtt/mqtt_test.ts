/** Types of MQTT, against Mosquitto. */
import { assertEquals, assertRejects } from "@std/assert";
import { type JsonObject, parseJson } from "../../../src/base/json.ts";
import {
  mqttRealtimeTrigger,
  mqttTrigger,
  publish,
  subscribe,
} from "../../../src/integrations/mqtt/types.ts";
import { hasMosquitto, startMosquitto } from "../../support/servers/brokers.ts";
import { pollDefinition, runDefinition, unconfirmedPoll } from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { SELF_SIGNED_CERT } from "../../support/processes/self_signed.ts";

/** Skipped where the program is missing. */
const ignore = !hasMosquitto();

for (const qos of [0, 2]) {
  Deno.test({ name: `messages of MQTT with the quality of service ${qos} arrive`, ignore }, async () => {
    await using broker = await startMosquitto();
    const server = { server: `tcp://localhost:${broker.port}`, qos };
    await using listening = new Listening(mqttRealtimeTrigger, { ...server, clientId: "watch", topic: "t" });
    await listening.connected;
    await runDefinition(publish, { ...server, topic: "t", from: [1, 2] });
    await until(() => Promise.resolve(listening.messages.length === 2));
    assertEquals(listening.messages.map(({ variables: { payload, qos } }) => [payload, qos]), [[1, qos], [
      2,
      qos,
    ]]);
  });
}

function rowsOf(files: ReadonlyMap<string, string>): JsonObject[] {
  const [text = ""] = files.values();
  return text.split("\n").filter(Boolean).map((line) => parseJson(line) as JsonObject);
}

for (const mqttVersion of ["V3", "V5"]) {
  Deno.test(
    { name: `mqtt.Publish and Subscribe send and take messages with ${mqttVersion}`, ignore },
    async () => {
      await using broker = await startMosquitto();
      const server = { server: `tcp://localhost:${broker.port}`, mqttVersion };
      const kept = await runDefinition(publish, {
        ...server,
        topic: "a/b",
        from: { n: 1 },
        retain: true,
        responseTopic: "r",
      });
      assertEquals([kept.outputs.messagesCount, kept.metrics.records], [1, 1]);
      const taken = await runDefinition(subscribe, { ...server, topic: ["a/+"], maxRecords: 1 });
      assertEquals(taken.outputs.messagesCount, 1);
      const [row = {}] = rowsOf(taken.files);
      assertEquals([row.topic, row.payload, row.qos, row.retain], ["a/b", { n: 1 }, 1, true]);
      assertEquals(row.responseTopic, mqttVersion === "V5" ? "r" : undefined);
    },
  );
}

Deno.test({
  name: "mqtt.Trigger receives what was sent since the last poll, for a client with a name",
  ignore,
}, async () => {
  await using broker = await startMosquitto();
  const server = { server: `tcp://localhost:${broker.port}`, serdeType: "STRING" };
  const properties = { ...server, clientId: "watch", topic: "t", maxDuration: "PT0.3S" };
  assertEquals((await pollDefinition(mqttTrigger, properties)).isFound, false);
  await runDefinition(publish, { ...server, topic: "t", from: ["one", "two"] });
  const polled = await pollDefinition(mqttTrigger, { ...properties, maxDuration: "PT1M", maxRecords: 2 });
  assertEquals(rowsOf(polled.files).map(({ payload }) => payload), ["one", "two"]);
});

for (const { qos, mqttVersion } of [{ qos: 1, mqttVersion: "V5" }, { qos: 2, mqttVersion: "V3" }]) {
  const name =
    `mqtt.Trigger acknowledges when its execution is durable, with quality ${qos} of ${mqttVersion}`;
  Deno.test({ name, ignore }, async () => {
    await using broker = await startMosquitto();
    const server = { server: `tcp://localhost:${broker.port}`, serdeType: "STRING", qos, mqttVersion };
    const properties = { ...server, clientId: "watch", topic: "t", maxDuration: "PT1M", maxRecords: 2 };
    const none = { ...properties, maxDuration: "PT0.2S" };
    assertEquals((await pollDefinition(mqttTrigger, none)).isFound, false);
    await runDefinition(publish, { ...server, topic: "t", from: ["one", "two"] });
    const failed = await unconfirmedPoll(mqttTrigger, properties);
    await failed.end();
    const polled = await pollDefinition(mqttTrigger, properties);
    assertEquals(rowsOf(polled.files).map(({ payload }) => payload), ["one", "two"]);
    assertEquals((await pollDefinition(mqttTrigger, none)).isFound, false);
  });
}

/** Polls that find 60 messages, and how many of them they take; their executions do not become durable. */
const BACKLOGS: readonly (readonly [mqttVersion: string, bounds: JsonObject, count: number])[] = [
  ["V5", { maxRecords: 50 }, 50],
  ["V5", { maxDuration: "PT8S" }, 60],
  // Mosquitto sends 20 without an acknowledgement.
  ["V3", { maxRecords: 50 }, 20],
  ["V3", { maxRecords: 15 }, 15],
  ["V3", { maxDuration: "PT8S" }, 20],
];

for (const [mqttVersion, bounds, count] of BACKLOGS) {
  const name = `mqtt.Trigger with ${mqttVersion} and ${Object.keys(bounds)} ${Object.values(bounds)} ` +
    `takes ${count} of 60 messages, and acknowledges none before its execution is durable`;
  Deno.test({ name, ignore }, async () => {
    await using broker = await startMosquitto();
    const server = { server: `tcp://localhost:${broker.port}`, serdeType: "STRING" };
    const properties = { ...server, clientId: "watch", topic: "t", mqttVersion };
    assertEquals(
      (await pollDefinition(mqttTrigger, { ...properties, maxDuration: "PT0.2S" })).isFound,
      false,
    );
    const sent = Array.from({ length: 60 }, (_, index) => String(index));
    await runDefinition(publish, { ...server, topic: "t", from: sent });
    const crashed = await unconfirmedPoll(mqttTrigger, { ...properties, ...bounds });
    await crashed.end();
    assertEquals(rowsOf(crashed.files).map(({ payload }) => payload), sent.slice(0, count));
    const polled: JsonObject[] = [];
    while (polled.length < sent.length) {
      // No more than the broker sends without an acknowledgement: a wait for more has no end that is certain.
      const maxRecords = Math.min(count, sent.length - polled.length);
      const poll = await pollDefinition(mqttTrigger, { ...properties, maxDuration: "PT1M", maxRecords });
      polled.push(...rowsOf(poll.files));
    }
    assertEquals(polled.map(({ payload }) => payload), sent);
    const none = await pollDefinition(mqttTrigger, { ...properties, maxDuration: "PT0.2S" });
    assertEquals(none.isFound, false);
  });
}

Deno.test({ name: "a payload of MQTT that is no JSON is given as text", ignore }, async () => {
  await using broker = await startMosquitto();
  const server = { server: `tcp://localhost:${broker.port}` };
  await using listening = new Listening(mqttRealtimeTrigger, { ...server, topic: "t" });
  await listening.connected;
  await runDefinition(publish, { ...server, topic: "t", serdeType: "STRING", from: ["{", "null"] });
  await until(() => Promise.resolve(listening.messages.length === 2));
  assertEquals(listening.messages.map(({ variables }) => variables.payload), ["{", null]);
});

Deno.test(
  { name: "mqtt.RealtimeTrigger acknowledges a message when its execution is durable", ignore },
  async () => {
    await using broker = await startMosquitto();
    const server = { server: `tcp://localhost:${broker.port}` };
    const properties = { ...server, clientId: "watch", topic: "t" };
    {
      await using refused = new Listening(mqttRealtimeTrigger, properties, () => {
        throw new Error("not durable");
      });
      await refused.connected;
      await runDefinition(publish, { ...server, topic: "t", from: [1] });
      await assertRejects(() => refused.ended, Error, "not durable");
    }
    await using listening = new Listening(mqttRealtimeTrigger, properties);
    await listening.connected;
    await runDefinition(publish, { ...server, topic: "t", from: [2] });
    await until(() => Promise.resolve(listening.messages.length === 2));
    assertEquals(listening.messages.map(({ variables }) => variables.payload), [1, 2]);
  },
);

Deno.test({ name: "brokers of MQTT are connected to by TLS; failures name the broker", ignore }, async () => {
  await using broker = await startMosquitto();
  const server = { server: `ssl://localhost:${broker.tlsPort}`, topic: "t", from: "x", serdeType: "STRING" };
  const sent = await runDefinition(publish, { ...server, crt: SELF_SIGNED_CERT });
  assertEquals(sent.outputs.messagesCount, 1);
  const name = `Cannot use the broker "localhost:${broker.tlsPort}"`;
  await assertRejects(() => runDefinition(publish, server), Error, name);
  // Without the check of the name the certificate itself is still verified.
  const anyName = { ...server, httpsHostnameVerificationEnabled: false };
  await assertRejects(() => runDefinition(publish, anyName), Error, name);
  assertEquals(
    (await runDefinition(publish, { ...anyName, crt: SELF_SIGNED_CERT })).outputs.messagesCount,
    1,
  );
  await assertRejects(
    () => runDefinition(publish, { ...server, server: "http://localhost" }),
    Error,
    "Invalid server",
  );
  const stop = new AbortController();
  const waiting = runDefinition(subscribe, {
    server: `tcp://localhost:${broker.port}`,
    topic: "t",
    maxRecords: 1,
  }, {
    signal: stop.signal,
  });
  stop.abort();
  await assertRejects(() => waiting, Error, "stopped");
});

Deno.test("an endless message ends the connection, not the memory of the server", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sending = listener.accept().then(async (connection) => {
    // CONNACK of MQTT 3.1.1, and the head of a PUBLISH of the largest length.
    await connection.write(Uint8Array.from([0x20, 2, 0, 0, 0x30, 0xff, 0xff, 0xff, 0x7f]));
    const piece = new Uint8Array(1024 * 1024);
    try {
      for (;;) await connection.write(piece);
    } catch {
      connection.close();
    }
  });
  const server = {
    server: `tcp://127.0.0.1:${listener.addr.port}`,
    mqttVersion: "V3",
    topic: "t",
    maxRecords: 1,
  };
  await assertRejects(
    () => runDefinition(subscribe, server),
    Error,
    "The broker sent a message of more than 67108864 bytes",
  );
  await sending;
});
