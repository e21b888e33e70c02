/** Messages in Avro. Requests: https://docs.confluent.io/platform/current/schema-registry/develop/api.html */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { parseJson } from "../../../src/base/json.ts";
import { consume } from "../../../src/integrations/kafka/consume.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { KafkaBroker } from "../../support/servers/kafka_broker.ts";

const SCHEMA = JSON.stringify({
  type: "record",
  name: "Order",
  fields: [{ name: "n", type: "long" }, { name: "s", type: ["null", "string"], default: null }],
});
/** Zero, the id 5, and the value as the specification of Avro encodes it: 3 as zigzag, the branch 1, one byte of text. */
const BYTES = "0000000005" + "06" + "02" + "0261";
const AUTHORIZATION = `Basic ${btoa("ann:s3cret")}`;

function registry(reply: (request: ApiRequest) => ApiReply | undefined = () => undefined): ApiStub {
  return new ApiStub((request) => {
    const { method, path, headers, text } = request;
    if (headers.authorization !== AUTHORIZATION) return new Response("Unauthorized", { status: 401 });
    const own = reply(request);
    if (own !== undefined) return own;
    const isGiven = method === "POST" &&
      headers["content-type"] === "application/vnd.schemaregistry.v1+json" &&
      JSON.parse(text).schema === SCHEMA;
    if (isGiven && (path === "/subjects/orders-value/versions" || path === "/subjects/orders-value")) {
      return { id: 5 };
    }
    if (method === "GET" && path === "/subjects/orders-value/versions/latest") {
      return { subject: "orders-value", version: 1, id: 5, schema: SCHEMA };
    }
    if (method === "GET" && path === "/schemas/ids/5") return { schema: SCHEMA };
    return Response.json({ error_code: 40403, message: "Schema not found" }, { status: 404 });
  });
}

interface Place {
  readonly broker: KafkaBroker;
  readonly stub: ApiStub;
}

function common({ broker, stub }: Place, serdes: JsonObject = {}): JsonObject {
  return {
    properties: { "bootstrap.servers": broker.servers, "auto.offset.reset": "earliest" },
    serdeProperties: { "schema.registry.url": stub.url, "basic.auth.user.info": "ann:s3cret", ...serdes },
    topic: "orders",
  };
}

async function send(place: Place, value: JsonValue, further: JsonObject = {}, serdes: JsonObject = {}) {
  return await runDefinition(produce, {
    ...common(place, serdes),
    from: [{ value }],
    valueSerializer: "AVRO",
    ...further,
  });
}

/** What the values of the first messages are. */
async function take(place: Place, count: number, further: JsonObject = {}): Promise<unknown[]> {
  const { files } = await runDefinition(consume, {
    ...common(place),
    valueDeserializer: "AVRO",
    maxRecords: count,
    pollDuration: "PT1M",
    ...further,
  });
  const [text = ""] = files.values();
  return text.split("\n").filter(Boolean).map((line) => (parseJson(line) as JsonObject).value);
}

/** Ways to a schema: properties, those of the registry, and the requests. */
const WAYS: readonly (readonly [further: JsonObject, serdes: JsonObject, calls: readonly string[]])[] = [
  [{ valueAvroSchema: SCHEMA }, {}, ["POST /subjects/orders-value/versions"]],
  [{ valueAvroSchema: SCHEMA }, { "auto.register.schemas": "false" }, ["POST /subjects/orders-value"]],
  [{}, {}, ["GET /subjects/orders-value/versions/latest"]],
];

for (const [further, serdes, calls] of WAYS) {
  Deno.test(`a value is written as AVRO by ${calls}, and read by the id of its schema`, async () => {
    await using broker = new KafkaBroker();
    await using stub = registry();
    const place = { broker, stub };
    await send(place, { n: 3, s: "a" }, further, serdes);
    assertEquals(stub.calls, calls);
    const [raw] = await take(place, 1, { valueDeserializer: "BYTES" });
    assertEquals(Uint8Array.fromBase64(String(raw)).toHex(), BYTES);
    assertEquals(await take(place, 1), [{ n: 3, s: "a" }]);
    assertEquals(stub.calls.at(-1), "GET /schemas/ids/5");
  });
}

Deno.test("a schema is read once a connection", async () => {
  await using broker = new KafkaBroker();
  await using stub = registry();
  const place = { broker, stub };
  await send(place, null, { from: [{ value: { n: 1 } }, { value: { n: 2 } }, { value: null }] });
  assertEquals(await take(place, 3), [{ n: 1, s: null }, { n: 2, s: null }, null]);
  assertEquals(stub.calls, ["GET /subjects/orders-value/versions/latest", "GET /schemas/ids/5"]);
});

Deno.test("a registry that is a part of the task serves Produce and Consume", async () => {
  await using broker = new KafkaBroker();
  await using stub = registry();
  const place = { broker, stub };
  const schemaRegistryVendor = {
    type: "io.kestra.plugin.kafka.registry.ConfluentSchemaRegistry",
    schemaRegistryUrl: `${stub.url}/`,
  };
  const serdeProperties = { "basic.auth.user.info": "ann:s3cret" };
  await send(place, { n: 3, s: "a" }, { schemaRegistryVendor, serdeProperties });
  assertEquals(await take(place, 1, { schemaRegistryVendor, serdeProperties }), [{ n: 3, s: "a" }]);
  assertEquals(stub.calls.length, 2);
});

/** What fails while a value is written, and the error. */
const REFUSED:
  readonly (readonly [name: string, further: JsonObject, serdes: JsonObject, message: string])[] = [
    ["no registry", {}, { "schema.registry.url": "" }, "schema.registry.url must name the registry"],
    ["wrong credentials", {}, { "basic.auth.user.info": "ann:other" }, "the response was 401: Unauthorized"],
    ["an unknown subject", { topic: "others" }, {}, "the response was 404: Schema not found"],
    [
      "a value without the schema",
      { from: [{ value: { n: "x" } }] },
      {},
      'Cannot write the value as AVRO: Cannot write the value of "n"',
    ],
  ];

for (const [name, further, serdes, message] of REFUSED) {
  Deno.test(`kafka.Produce with AVRO and ${name} is refused`, async () => {
    await using broker = new KafkaBroker();
    await using stub = registry();
    const error = await assertRejects(
      () => send({ broker, stub }, { n: 1 }, further, serdes),
      Error,
      message,
    );
    assertEquals(/s3cret|other"/.test(error.message), false);
  });
}

Deno.test("a schema of another kind is refused", async () => {
  await using broker = new KafkaBroker();
  await using stub = registry(({ path }) =>
    path.endsWith("/latest") ? { id: 5, schema: 'syntax = "proto3";', schemaType: "PROTOBUF" } : undefined
  );
  const sent = send({ broker, stub }, { n: 1 });
  await assertRejects(() => sent, Error, "Cannot use the schema 5 of the registry: it is one of PROTOBUF");
});

Deno.test("a schema with more than 4 MiB is refused", async () => {
  await using broker = new KafkaBroker();
  const schema = JSON.stringify({ type: "string", doc: "x".repeat(4 * 1024 * 1024) });
  await using stub = registry(({ path }) => path.endsWith("/latest") ? { id: 5, schema } : undefined);
  await assertRejects(
    () => send({ broker, stub }, { n: 1 }),
    Error,
    "Cannot use the schema 5 of the registry: it has more than 4194304 characters",
  );
});

Deno.test("SKIPPED leaves out messages that are not AVRO, but not those whose schema cannot be read", async () => {
  await using broker = new KafkaBroker();
  let isGone = false;
  await using stub = registry(({ path }) =>
    isGone && path.startsWith("/schemas")
      ? Response.json({ error_code: 40403, message: "Schema 5 not found" }, { status: 404 })
      : undefined
  );
  const place = { broker, stub };
  await send(place, "plain", { valueSerializer: "STRING" });
  await send(place, { n: 3 });
  const lenient = { onSerdeError: { type: "SKIPPED" } };
  await assertRejects(() => take(place, 2), Error, "it does not begin with the id of a schema");
  assertEquals(await take(place, 1, lenient), [{ n: 3, s: null }]);
  isGone = true;
  await assertRejects(
    () => take(place, 1, lenient),
    Error,
    `Cannot read the schema 5 at "${stub.host}": the response was 404: Schema 5 not found`,
  );
});

Deno.test("a message whose map announces more items than it has bytes is refused", async () => {
  await using broker = new KafkaBroker();
  const schema = JSON.stringify({ type: "map", values: "int" });
  await using stub = registry(({ path }) => path === "/schemas/ids/5" ? { schema } : undefined);
  const place = { broker, stub };
  // 10 ** 12 as zigzag.
  const value = [...Uint8Array.fromHex("0000000005" + "80c0a8ca9a3a")];
  await send(place, value, { valueSerializer: "BYTES" });
  await assertRejects(() => take(place, 1), Error, "Cannot read the value as AVRO: truncated buffer");
});
