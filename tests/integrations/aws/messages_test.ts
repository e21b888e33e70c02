/** The types of SQS, SNS, EventBridge and Kinesis against a stub that verifies signatures. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { eventbridgePutEvents, kinesisPutRecords, snsPublish } from "../../../src/integrations/aws/events.ts";
import { sqsConsume, sqsPublish, sqsRealtimeTrigger, sqsTrigger } from "../../../src/integrations/aws/sqs.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { isSigned, KEYS } from "./aws_signature.ts";

/** A stub of a service of AWS that responds to an action of its JSON protocol. */
function serviceStub(
  service: string,
  reply: (action: string, body: JsonObject, request: ApiRequest) => ApiReply,
): ApiStub {
  return new ApiStub((request) => {
    const { authorization, "x-amz-target": target = "", "content-type": type } = request.headers;
    const isFor = authorization?.includes(`/eu-central-1/${service}/aws4_request`) &&
      request.method === "POST";
    if (!isFor || !isSigned(request)) return new Response("", { status: 403 });
    const body = type?.startsWith("application/x-amz-json") ? JSON.parse(request.text) : {};
    return reply(target, body, request);
  });
}

function connection({ url }: ApiStub): JsonObject {
  return { ...KEYS, region: "eu-central-1", endpointOverride: url };
}

function bodiesOf(stub: ApiStub): JsonObject[] {
  return stub.requests.map(({ text }) => JSON.parse(text));
}

const QUEUE = "https://sqs.eu-central-1.amazonaws.com/1/q";
const FILE = "kestra:///demo/messages.ion";

Deno.test("Publish of SQS sends messages ten at a time, and large ones apart", async () => {
  await using stub = serviceStub("sqs", (_action, { Entries }) => ({ Successful: Entries, Failed: [] }));
  const rows = Array.from({ length: 11 }, (_each, index) => `{"data":{"id":${index}}}`).join("\n");
  const large = "x".repeat(200_000);
  const rounds: readonly (readonly [from: JsonValue, sizes: readonly [number, number]])[] = [
    [FILE, [10, 1]],
    [[{ data: large }, { data: large }], [1, 1]],
  ];
  for (const [from, sizes] of rounds) {
    stub.requests.length = 0;
    const { outputs, metrics } = await runDefinition(sqsPublish, {
      ...connection(stub),
      queueUrl: QUEUE,
      from,
    }, { files: { [FILE]: rows } });
    const count = sizes[0] + sizes[1];
    assertEquals([outputs, metrics], [{ messagesCount: count }, { "sqs.publish.messages": count }]);
    assertEquals(bodiesOf(stub).map(({ Entries }) => (Entries as JsonObject[]).length), [...sizes]);
  }
});

Deno.test("Publish of SQS sends the members of a message, and fails for one that is refused", async () => {
  await using stub = serviceStub(
    "sqs",
    () => ({ Failed: [{ Id: "0", Code: "InvalidMessageContents", Message: "no" }] }),
  );
  const from = { data: "a", groupId: "g", deduplicationId: "d", delaySeconds: 5 };
  await assertRejects(
    () => runDefinition(sqsPublish, { ...connection(stub), queueUrl: QUEUE, from }),
    Error,
    `Cannot send messages to "${QUEUE}": 1 of 1 failed: no (InvalidMessageContents)`,
  );
  assertEquals(bodiesOf(stub), [{
    QueueUrl: QUEUE,
    Entries: [{
      Id: "0",
      MessageBody: "a",
      MessageGroupId: "g",
      MessageDeduplicationId: "d",
      DelaySeconds: 5,
    }],
  }]);
  await assertRejects(
    () => runDefinition(sqsPublish, { ...connection(stub), queueUrl: QUEUE, from: [1] }),
    Error,
    "Invalid from: it must be a map, a list of maps",
  );
});

/** A queue with messages; what is deleted is gone. */
function queueStub(bodies: readonly string[]): ApiStub {
  let left = bodies.map((Body, index) => ({ Body, MessageId: `m${index}`, ReceiptHandle: `h${index}` }));
  let hidden: typeof left = [];
  return serviceStub("sqs", (action, body) => {
    if (action === "AmazonSQS.DeleteMessageBatch") {
      const handles = (body.Entries as JsonObject[]).map(({ ReceiptHandle }) => ReceiptHandle);
      hidden = hidden.filter(({ ReceiptHandle }) => !handles.includes(ReceiptHandle));
      return { Successful: [], Failed: [] };
    }
    const Messages = left.slice(0, Number(body.MaxNumberOfMessages));
    left = left.slice(Messages.length);
    hidden.push(...Messages);
    return Messages.length === 0 ? {} : { Messages };
  });
}

const CONSUMED: readonly (readonly [properties: JsonObject, rows: string, actions: string])[] = [
  [{ maxRecords: 2 }, '"1"\n"2"\n', "ReceiveMessage DeleteMessageBatch"],
  [{ maxRecords: 5, serdeType: "JSON" }, "1\n2\n3\n", "ReceiveMessage ReceiveMessage DeleteMessageBatch"],
  [{ maxDuration: "PT0S", autoDelete: false }, '"1"\n"2"\n"3"\n', "ReceiveMessage"],
];

for (const [properties, rows, actions] of CONSUMED) {
  Deno.test(`Consume of SQS stores messages, then deletes them: ${JSON.stringify(properties)}`, async () => {
    await using stub = queueStub(["1", "2", "3"]);
    const { outputs, files } = await runDefinition(sqsConsume, {
      ...connection(stub),
      queueUrl: QUEUE,
      visibilityTimeout: 60,
      ...properties,
    });
    assertEquals([files.get(String(outputs.uri)), outputs.count], [rows, rows.split("\n").length - 1]);
    const called = stub.requests.map(({ headers }) => headers["x-amz-target"]?.replace("AmazonSQS.", ""));
    assertEquals(called.join(" "), actions);
    const [{ VisibilityTimeout, WaitTimeSeconds } = {}] = bodiesOf(stub);
    assertEquals([VisibilityTimeout, WaitTimeSeconds], [60, 1]);
  });
}

Deno.test("Trigger of SQS gives a message that is no JSON as text", async () => {
  await using stub = queueStub(["{", "null", "[1]"]);
  const properties = { ...connection(stub), queueUrl: QUEUE, serdeType: "JSON", maxRecords: 3 };
  const polled = await pollDefinition(sqsTrigger, properties);
  assertEquals([...polled.files.values()], ['"{"\nnull\n[1]\n']);
});

Deno.test("Consume of SQS needs a bound", async () => {
  await using stub = queueStub([]);
  await assertRejects(
    () => runDefinition(sqsConsume, { ...connection(stub), queueUrl: QUEUE }),
    Error,
    "Missing maxRecords or maxDuration",
  );
});

Deno.test("Trigger of SQS starts for messages only", async () => {
  await using stub = queueStub(["1"]);
  const properties = { ...connection(stub), queueUrl: QUEUE, maxRecords: 10 };
  const first = await pollDefinition(sqsTrigger, properties);
  assertEquals([first.isFound, first.outputs.count], [true, 1]);
  assertEquals((await pollDefinition(sqsTrigger, properties)).isFound, false);
});

/** Handles of the messages that were deleted. */
function deletedIn(stub: ApiStub): unknown[] {
  return bodiesOf(stub).flatMap(({ Entries }) =>
    (Entries as JsonObject[] ?? []).map(({ ReceiptHandle }) => ReceiptHandle)
  );
}

Deno.test("RealtimeTrigger of SQS deletes messages when their executions are durable", async () => {
  await using stub = queueStub(['{"n":1}', "no json"]);
  const properties = { ...connection(stub), queueUrl: QUEUE, serdeType: "JSON", visibilityTimeout: 60 };
  await using listening = new Listening(sqsRealtimeTrigger, properties);
  await until(() => Promise.resolve(deletedIn(stub).length === 2));
  assertEquals(listening.messages, [
    { variables: { data: { n: 1 } }, identity: "m0" },
    { variables: { data: "no json" }, identity: "m1" },
  ]);
  assertEquals(bodiesOf(stub)[0], {
    QueueUrl: QUEUE,
    MaxNumberOfMessages: 5,
    VisibilityTimeout: 60,
    WaitTimeSeconds: 20,
  });
});

Deno.test("RealtimeTrigger of SQS does not delete what starts nothing durable, or without autoDelete", async () => {
  await using stub = queueStub(["1", "2", "3"]);
  const properties = { ...connection(stub), queueUrl: QUEUE, waitTime: "PT1M" };
  await using failing = new Listening(sqsRealtimeTrigger, properties, ({ identity }) => {
    if (identity === "m1") throw new Error("not durable");
  });
  await assertRejects(() => failing.ended, Error, "not durable");
  assertEquals([deletedIn(stub), bodiesOf(stub)[0]?.WaitTimeSeconds], [["h0"], 20]);
  await using keeping = queueStub(["1"]);
  const kept = { ...connection(keeping), queueUrl: QUEUE, autoDelete: false };
  await using listening = new Listening(sqsRealtimeTrigger, kept);
  await until(() => Promise.resolve(keeping.calls.length === 2));
  assertEquals([listening.messages.length, deletedIn(keeping)], [1, []]);
});

Deno.test("Publish of SNS sends a form; its XML error is reported", async () => {
  const TOPIC = "arn:aws:sns:eu-central-1:1:t";
  await using stub = serviceStub(
    "sns",
    (_action, _body, { text }) =>
      text.includes("Message=bad")
        ? new Response(
          "<ErrorResponse><Error><Type>Sender</Type><Code>InvalidParameter</Code><Message>Invalid parameter</Message></Error></ErrorResponse>",
          { status: 400 },
        )
        : new Response("<PublishResponse/>"),
  );
  const properties = { ...connection(stub), topicArn: TOPIC };
  const { outputs } = await runDefinition(snsPublish, {
    ...properties,
    from: [{ data: "ä b", subject: "S" }, { data: { a: 1 }, phoneNumber: "+49123" }],
  });
  assertEquals(outputs, { messagesCount: 2 });
  assertEquals(stub.requests.map(({ text }) => Object.fromEntries(new URLSearchParams(text))), [
    { Action: "Publish", Version: "2010-03-31", TopicArn: TOPIC, Message: "ä b", Subject: "S" },
    { Action: "Publish", Version: "2010-03-31", PhoneNumber: "+49123", Message: '{"a":1}' },
  ]);
  await assertRejects(
    () => runDefinition(snsPublish, { ...properties, from: { data: "bad" } }),
    Error,
    `Cannot send a message to "${TOPIC}" at "${stub.host}": the response was 400: Invalid parameter (InvalidParameter)`,
  );
});

Deno.test("PutEvents sends events and stores their results", async () => {
  await using stub = serviceStub("events", (_action, { Entries }) => ({
    FailedEntryCount: 1,
    Entries: (Entries as JsonObject[]).map(({ Source }) =>
      Source === "bad" ? { ErrorCode: "InternalFailure", ErrorMessage: "no" } : { EventId: "e1" }
    ),
  }));
  const entries: JsonObject[] = [{ source: "flows", detailType: "T", detail: { a: 1 } }, {
    Source: "bad",
    DetailType: "T",
    Detail: "{}",
  }];
  const { outputs, files, logs } = await runDefinition(eventbridgePutEvents, {
    ...connection(stub),
    entries,
    failOnUnsuccessfulEvents: false,
  });
  assertEquals([outputs.entryCount, outputs.failedEntryCount], [2, 1]);
  assertEquals(
    files.get(String(outputs.uri))?.split("\n")[0],
    `{"eventId":"e1","errorCode":null,"errorMessage":null,"entry":${JSON.stringify(entries[0])}}`,
  );
  assertEquals(logs, ["WARN 1 of 2 events failed: no (InternalFailure)"]);
  assertEquals(stub.requests[0]?.headers["x-amz-target"], "AWSEvents.PutEvents");
  assertEquals(bodiesOf(stub)[0], {
    Entries: [{ Source: "flows", DetailType: "T", Detail: '{"a":1}' }, {
      Source: "bad",
      DetailType: "T",
      Detail: "{}",
    }],
  });
  await assertRejects(
    () => runDefinition(eventbridgePutEvents, { ...connection(stub), entries }),
    Error,
    "Cannot send all events: 1 of 2 failed: no (InternalFailure)",
  );
});

Deno.test("PutEvents fails when the response has no result for an event", async () => {
  await using stub = serviceStub("events", () => ({ FailedEntryCount: 0 }));
  const entries = [{ source: "flows", detailType: "T", detail: {} }];
  await assertRejects(
    () => runDefinition(eventbridgePutEvents, { ...connection(stub), entries }),
    Error,
    "Cannot send all: the response has 0 results for 1",
  );
});

Deno.test("PutRecords sends records in Base64 and stores their results", async () => {
  await using stub = serviceStub("kinesis", (_action, { Records }) => ({
    FailedRecordCount: 0,
    Records: (Records as JsonObject[]).map(() => ({ SequenceNumber: "1", ShardId: "s" })),
  }));
  const { outputs, metrics } = await runDefinition(kinesisPutRecords, {
    ...connection(stub),
    streamName: "orders",
    records: [{ partitionKey: "a", data: "ä", explicitHashKey: "1" }],
  });
  assertEquals([outputs.recordCount, outputs.failedRecordsCount, metrics["record.successful"]], [1, 0, 1]);
  assertEquals(bodiesOf(stub), [{
    StreamName: "orders",
    Records: [{ PartitionKey: "a", Data: new TextEncoder().encode("ä").toBase64(), ExplicitHashKey: "1" }],
  }]);
  await assertRejects(
    () => runDefinition(kinesisPutRecords, { ...connection(stub), records: [] }),
    Error,
    "Missing streamName or streamArn",
  );
});
