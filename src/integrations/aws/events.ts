/** `aws.sns.Publish`, `aws.eventbridge.PutEvents` and `aws.kinesis.PutRecords`. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, stringifyJson } from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { batches, GIVEN_MAPS, givenMaps, memberOf } from "../given_maps.ts";
import { rowLines, writePieces } from "../row_files.ts";
import { AwsClient, CONNECTION } from "./client.ts";

function given(what: string): PropertySchema {
  return dynamicProperty("any", `${what}: ${GIVEN_MAPS}.`, { required: true });
}

/** Output: `messagesCount`. https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const snsPublish = defineTask({
  type: "aws.sns.Publish",
  title: "Send messages to a topic of SNS",
  description: "Sends messages to a topic of Amazon SNS.",
  properties: {
    ...CONNECTION,
    topicArn: dynamicText("ARN of the topic.", { required: true }),
    from: given(
      "Messages, each with `data`, and maybe `subject`, `groupId`, `deduplicationId`, `phoneNumber` and `structure`",
    ),
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages." } },
  metrics: { "sns.publish.messages": { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Send a message",
    yaml: `id: publish
type: io.svc.plugin.aws.sns.Publish
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
topicArn: arn:aws:sns:eu-central-1:123456789012:orders
from:
  data: Hello
  subject: Greeting`,
  }],
  async run(context) {
    const topicArn = String(context.properties.topicArn);
    const client = new AwsClient(context);
    let messagesCount = 0;
    for await (const message of givenMaps(context, "from")) {
      await client.send({
        service: "sns",
        url: `${client.endpointOf("sns")}/`,
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
        body: new URLSearchParams(snsForm(topicArn, message)).toString(),
        operation: `send a message to "${topicArn}"`,
      });
      messagesCount++;
    }
    context.metric("sns.publish.messages", messagesCount, { tags: { topic: topicArn } });
    return { messagesCount };
  },
});

/** A phone number takes the place of the topic. */
function snsForm(topicArn: string, message: JsonObject): [string, string][] {
  const { data, subject, groupId, deduplicationId, phoneNumber, structure } = message;
  const members: [string, JsonValue | undefined][] = [
    ["Action", "Publish"],
    ["Version", "2010-03-31"],
    optionalText(phoneNumber) === undefined ? ["TopicArn", topicArn] : ["PhoneNumber", phoneNumber],
    ["Message", textOf(data)],
    ["Subject", subject],
    ["MessageGroupId", groupId],
    ["MessageDeduplicationId", deduplicationId],
    ["MessageStructure", structure],
  ];
  return members.flatMap(([name, value]): [string, string][] => {
    const text = optionalText(value);
    return text === undefined ? [] : [[name, text]];
  });
}

/** The text of data; other values as JSON. */
function textOf(data: JsonValue | undefined): string {
  return typeof data === "string" ? data : stringifyJson(data ?? null);
}

/** A service that takes several items at a time and responds with a result for each. */
interface BatchService {
  /** What is sent, for errors. */
  readonly what: string;
  readonly maxCount: number;
  readonly maxBytes: number;
  /** The item of a request for a map of the property. */
  readonly itemOf: (map: JsonObject) => JsonObject;
  /** The results of a request, in its order. */
  readonly send: (items: readonly JsonObject[]) => Promise<readonly JsonObject[]>;
  /** A row of the file of results. */
  readonly rowOf: (result: JsonObject, map: JsonObject) => JsonObject;
}

interface BatchResults {
  readonly uri: string;
  readonly count: number;
  readonly failedCount: number;
}

/** Sends the maps of a property, and stores the results. @throws Error some failed, and `mustSucceed` */
async function sendBatches(
  context: TaskContext,
  service: BatchService,
  { property, mustSucceed }: { readonly property: string; readonly mustSucceed: boolean },
): Promise<BatchResults> {
  const { maxCount, maxBytes } = service;
  let [count, failedCount] = [0, 0];
  let firstFailure = "";
  const rows = async function* () {
    const sizeOf = (map: JsonObject) => new TextEncoder().encode(stringifyJson(map)).length;
    for await (const maps of batches(givenMaps(context, property), { maxCount, maxBytes, sizeOf })) {
      const results = await service.send(maps.map(service.itemOf));
      if (results.length !== maps.length) {
        throw new Error(`Cannot send all: the response has ${results.length} results for ${maps.length}`);
      }
      for (const [index, map] of maps.entries()) {
        const result = results[index] ?? {};
        count++;
        if (optionalText(result.ErrorCode) !== undefined) {
          failedCount++;
          firstFailure ||= `${result.ErrorMessage ?? ""} (${result.ErrorCode})`;
        }
        yield service.rowOf(result, map);
      }
    }
  };
  const path = `${await context.directory()}/results.ion`;
  await writePieces(path, rowLines(rows()), context.signal);
  if (failedCount > 0 && mustSucceed) {
    throw new Error(`Cannot send all ${service.what}: ${failedCount} of ${count} failed: ${firstFailure}`);
  }
  if (failedCount > 0) {
    context.log("WARN", `${failedCount} of ${count} ${service.what} failed: ${firstFailure}`);
  }
  return { uri: await context.storeFile(path), count, failedCount };
}

function errorOf({ ErrorCode = null, ErrorMessage = null }: JsonObject): JsonObject {
  return { errorCode: ErrorCode, errorMessage: ErrorMessage };
}

const RESULTS: PropertySchemas = Object.freeze({
  uri: { type: "string", description: "Storage URI of the results as Ion." },
});

/** Outputs: `uri`, `entryCount` and `failedEntryCount`. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
export const eventbridgePutEvents = defineTask({
  type: "aws.eventbridge.PutEvents",
  title: "Send events to EventBridge",
  description: "Sends events to a bus of Amazon EventBridge.",
  properties: {
    ...CONNECTION,
    entries: given(
      "Events, each with `source`, `detailType` and `detail`, and maybe `eventBusName` and `resources`",
    ),
    failOnUnsuccessfulEvents: dynamicFlag(true, "Whether the task fails if an event is refused."),
  },
  outputs: {
    ...RESULTS,
    entryCount: { type: "integer", description: "Number of events." },
    failedEntryCount: { type: "integer", description: "Number of events that were refused." },
  },
  metrics: {
    "eventbridge.put.events.total": { type: "counter", description: "Number of events." },
    "eventbridge.put.events.failed": { type: "counter", description: "Number of events that were refused." },
    "eventbridge.put.events.successful": {
      type: "counter",
      description: "Number of events that were accepted.",
    },
    "eventbridge.put.events.duration": { type: "timer", description: "Length of the requests." },
  },
  examples: [{
    title: "Send an event",
    yaml: `id: event
type: io.svc.plugin.aws.eventbridge.PutEvents
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
entries:
  - source: flows
    detailType: Finished
    detail:
      id: "{{ execution.id }}"`,
  }],
  async run(context) {
    const client = new AwsClient(context);
    const beganAt = systemClock.now();
    const { uri, count, failedCount } = await sendBatches(context, {
      what: "events",
      maxCount: 10,
      maxBytes: 250_000,
      itemOf: eventOf,
      send: async (Entries) => {
        const operation = "send events";
        const target = "AWSEvents.PutEvents";
        return objectsOf(
          (await client.call({ service: "events", target, version: "1.1", operation }, {
            Entries: [...Entries],
          })).Entries,
        );
      },
      rowOf: (result, entry) => ({ eventId: result.EventId ?? null, ...errorOf(result), entry }),
    }, { property: "entries", mustSucceed: context.properties.failOnUnsuccessfulEvents === true });
    context.metric("eventbridge.put.events.total", count);
    context.metric("eventbridge.put.events.failed", failedCount);
    context.metric("eventbridge.put.events.successful", count - failedCount);
    context.metric("eventbridge.put.events.duration", systemClock.now() - beganAt, { type: "timer" });
    return { uri, entryCount: count, failedEntryCount: failedCount };
  },
});

function eventOf(map: JsonObject): JsonObject {
  const detail = memberOf(map, "detail");
  const members: [string, JsonValue | undefined][] = [
    ["EventBusName", memberOf(map, "eventBusName")],
    ["Source", memberOf(map, "source")],
    ["DetailType", memberOf(map, "detailType")],
    ["Detail", isJsonObject(detail) ? stringifyJson(detail) : detail],
    ["Resources", memberOf(map, "resources")],
  ];
  return Object.fromEntries(
    members.flatMap(([name, value]) => value === undefined || value === null ? [] : [[name, value]]),
  );
}

/** Outputs: `uri`, `recordCount` and `failedRecordsCount`. https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html */
export const kinesisPutRecords = defineTask({
  type: "aws.kinesis.PutRecords",
  title: "Send records to Kinesis",
  description: "Sends records to a stream of Amazon Kinesis Data Streams.",
  properties: {
    ...CONNECTION,
    streamName: dynamicText("Name of the stream."),
    streamArn: dynamicText("ARN of the stream, in place of its name."),
    records: given("Records, each with `partitionKey` and `data`, and maybe `explicitHashKey`"),
    failOnUnsuccessfulRecords: dynamicFlag(true, "Whether the task fails if a record is refused."),
  },
  outputs: {
    ...RESULTS,
    recordCount: { type: "integer", description: "Number of records." },
    failedRecordsCount: { type: "integer", description: "Number of records that were refused." },
  },
  metrics: {
    "record.count": { type: "counter", description: "Number of records." },
    "record.failed": { type: "counter", description: "Number of records that were refused." },
    "record.successful": { type: "counter", description: "Number of records that were accepted." },
    duration: { type: "timer", description: "Length of the requests." },
  },
  examples: [{
    title: "Send a record",
    yaml: `id: record
type: io.svc.plugin.aws.kinesis.PutRecords
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
streamName: orders
records:
  - partitionKey: a
    data: Hello`,
  }],
  async run(context) {
    const stream = streamOf(context.properties);
    const client = new AwsClient(context);
    const beganAt = systemClock.now();
    const { uri, count, failedCount } = await sendBatches(context, {
      what: "records",
      maxCount: 500,
      // Five million bytes are allowed; a third is for Base64.
      maxBytes: 3_000_000,
      itemOf: recordOf,
      send: async (Records) => {
        const { Records: results } = await client.call({
          service: "kinesis",
          target: "Kinesis_20131202.PutRecords",
          version: "1.1",
          operation: `send records to "${Object.values(stream)[0]}"`,
        }, { ...stream, Records: [...Records] });
        return objectsOf(results);
      },
      rowOf: (result, record) => ({
        sequenceNumber: result.SequenceNumber ?? null,
        shardId: result.ShardId ?? null,
        ...errorOf(result),
        record,
      }),
    }, { property: "records", mustSucceed: context.properties.failOnUnsuccessfulRecords === true });
    context.metric("record.count", count);
    context.metric("record.failed", failedCount);
    context.metric("record.successful", count - failedCount);
    context.metric("duration", systemClock.now() - beganAt, { type: "timer" });
    return { uri, recordCount: count, failedRecordsCount: failedCount };
  },
});

/** @throws Error neither is given */
function streamOf({ streamName, streamArn }: JsonObject): JsonObject {
  const arn = optionalText(streamArn), name = optionalText(streamName);
  if (arn !== undefined) return { StreamARN: arn };
  if (name !== undefined) return { StreamName: name };
  throw new Error("Missing streamName or streamArn: one of them is needed");
}

function recordOf(map: JsonObject): JsonObject {
  const hashKey = optionalText(memberOf(map, "explicitHashKey"));
  return {
    PartitionKey: String(memberOf(map, "partitionKey") ?? ""),
    Data: new TextEncoder().encode(textOf(memberOf(map, "data"))).toBase64(),
    ...hashKey === undefined ? {} : { ExplicitHashKey: hashKey },
  };
}
