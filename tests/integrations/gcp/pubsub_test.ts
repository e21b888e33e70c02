/** The types of Pub/Sub against a stub of its REST API. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  pubsubConsume,
  pubsubPublish,
  pubsubRealtimeTrigger,
  pubsubTrigger,
} from "../../../src/integrations/gcp/pubsub.ts";
import type { ApiReply, ApiRequest } from "../../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { callsOf, connection, gcpError, gcpStub } from "./gcp_stub.ts";

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

Deno.test("Publish sends messages in Base64", async () => {
  await using stub = gcpStub(() => ({ messageIds: ["1", "2"] }));
  const { outputs, metrics } = await runDefinition(pubsubPublish, {
    ...connection(stub),
    topic: "orders",
    from: [{ data: "ä", attributes: { a: "1" } }, { data: { id: 1 }, orderingKey: "k" }],
  });
  assertEquals([outputs, metrics], [{ messagesCount: 2 }, { records: 2 }]);
  assertEquals(callsOf(stub), ["POST /v1/projects/my-project/topics/orders:publish"]);
  assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? ""), {
    messages: [{ data: base64("ä"), attributes: { a: "1" } }, { data: base64('{"id":1}'), orderingKey: "k" }],
  });
});

/** A subscription that exists, with one message. */
function subscription(): (request: ApiRequest) => ApiReply {
  let isPulled = false;
  return ({ method, path }) => {
    if (method === "PUT") return gcpError(409, "Resource already exists in the project", "alreadyExists");
    if (path.endsWith(":acknowledge")) return {};
    if (isPulled) return {};
    isPulled = true;
    const message = { data: base64('{"id":1}'), attributes: { a: "1" }, messageId: "7", orderingKey: "k" };
    return { receivedMessages: [{ ackId: "ack-7", message }] };
  };
}

const CONSUMING = { topic: "orders", subscription: "flows", maxRecords: 10, serdeType: "JSON" };
const PATH = "/v1/projects/my-project/subscriptions/flows";

Deno.test("Consume creates the subscription, stores messages, and then acknowledges them", async () => {
  await using stub = gcpStub(subscription());
  const { outputs, files } = await runDefinition(pubsubConsume, { ...connection(stub), ...CONSUMING });
  assertEquals(outputs.count, 1);
  assertEquals(
    files.get(String(outputs.uri)),
    '{"data":{"id":1},"attributes":{"a":"1"},"messageId":"7","orderingKey":"k"}\n',
  );
  assertEquals(callsOf(stub), [
    `PUT ${PATH}`,
    `POST ${PATH}:pull`,
    `POST ${PATH}:pull`,
    `POST ${PATH}:acknowledge`,
  ]);
  const [, create, pull] = stub.requests;
  assertEquals(JSON.parse(create?.text ?? ""), { topic: "projects/my-project/topics/orders" });
  assertEquals(JSON.parse(pull?.text ?? ""), { maxMessages: 10, returnImmediately: true });
  assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? ""), { ackIds: ["ack-7"] });
});

Deno.test("Trigger of Pub/Sub gives a message that is no JSON as text", async () => {
  let isPulled = false;
  await using stub = gcpStub(({ path }) => {
    if (!path.endsWith(":pull") || isPulled) return {};
    isPulled = true;
    return { receivedMessages: [{ ackId: "a", message: { data: base64("{"), messageId: "1" } }] };
  });
  const polled = await pollDefinition(pubsubTrigger, { ...connection(stub), ...CONSUMING });
  const [text = ""] = polled.files.values();
  assertEquals(JSON.parse(text).data, "{");
});

Deno.test("Trigger starts for messages only, and reports a refusal", async () => {
  await using stub = gcpStub(subscription());
  const properties = { ...connection(stub), ...CONSUMING, autoCreateSubscription: false };
  assertEquals((await pollDefinition(pubsubTrigger, properties)).outputs.count, 1);
  assertEquals((await pollDefinition(pubsubTrigger, properties)).isFound, false);
  await using refusing = gcpStub(() => gcpError(404, "Resource not found (resource=flows).", "notFound"));
  await assertRejects(
    () => pollDefinition(pubsubTrigger, { ...properties, ...connection(refusing) }),
    Error,
    `Cannot receive messages of the subscription "flows" at "${refusing.host}": the response was 404: Resource not found`,
  );
});

Deno.test("RealtimeTrigger acknowledges a message when its execution is durable", async () => {
  await using stub = gcpStub(subscription());
  const properties = { ...connection(stub), ...CONSUMING };
  {
    await using refused = new Listening(pubsubRealtimeTrigger, properties, () => {
      throw new Error("not durable");
    });
    await assertRejects(() => refused.ended, Error, "not durable");
    assertEquals(callsOf(stub), [`PUT ${PATH}`, `POST ${PATH}:pull`]);
  }
  await using again = gcpStub(subscription());
  await using listening = new Listening(pubsubRealtimeTrigger, { ...properties, ...connection(again) });
  await until(() => Promise.resolve(callsOf(again).length === 4));
  assertEquals(callsOf(again), [
    `PUT ${PATH}`,
    `POST ${PATH}:pull`,
    `POST ${PATH}:acknowledge`,
    `POST ${PATH}:pull`,
  ]);
  assertEquals(JSON.parse(again.requests[2]?.text ?? ""), { maxMessages: 10 });
  const variables = { data: { id: 1 }, attributes: { a: "1" }, messageId: "7", orderingKey: "k" };
  assertEquals(listening.messages, [{ variables, identity: "7" }]);
});
