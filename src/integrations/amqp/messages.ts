/** Messages of AMQP, as flows give and read them. */
import type { AMQPMessage } from "@cloudamqp/amqp-client/amqp-message";
import { Double, isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { toIso } from "../../base/time/clock.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { instantOf } from "../messages.ts";

type Properties = AMQPMessage["properties"];

/** Properties of a message that are texts, in flows as in the protocol. */
const TEXTS = [
  ...["contentType", "contentEncoding", "messageId", "correlationId", "replyTo", "type", "userId", "appId"],
] as const;
const INT_32 = 2 ** 31;

/** What expressions read of a message. */
export const MESSAGE_OUTPUTS: PropertySchemas = Object.freeze({
  data: { type: "any", description: "Content of the message." },
  headers: {
    type: "map",
    description: "Headers.",
    items: { type: "string", description: "Value of a header." },
  },
  contentType: { type: "string", description: "Media type of the content." },
  contentEncoding: { type: "string", description: "Encoding of the content." },
  deliveryMode: { type: "integer", description: "1 for a transient message, 2 for a persistent one." },
  priority: { type: "integer", description: "Priority." },
  messageId: { type: "string", description: "Id that the sender gave." },
  correlationId: { type: "string", description: "Id of the request that the message replies to." },
  replyTo: { type: "string", description: "Queue for replies." },
  expiration: { type: "string", description: "Time after which the broker discards the message." },
  timestamp: { type: "string", description: "Time that the sender gave." },
  type: { type: "string", description: "Type that the sender gave." },
  userId: { type: "string", description: "Name of the user who sent it." },
  appId: { type: "string", description: "Name of the program that sent it." },
});

/** The bytes of `data`: a text as it is with STRING, other values as JSON. */
export function contentOf({ serdeType }: JsonObject, data: JsonValue): Uint8Array {
  const isText = serdeType !== "JSON" && typeof data === "string";
  return new TextEncoder().encode(isText ? data : stringifyJson(data));
}

/** The properties of a message to send. @throws Error one has a wrong form */
export function propertiesOf(message: JsonObject): Properties {
  const { headers, expiration, timestamp, deliveryMode, priority } = message;
  const texts = TEXTS.map((name) => [name, optionalText(message[name])] as const);
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    ...isJsonObject(headers) && { headers: tableOf(headers) },
    ...isGiven(expiration) && { expiration: millisecondsText(expiration) },
    ...isGiven(timestamp) && { timestamp: new Date(instantOf(timestamp)) },
    ...isGiven(deliveryMode) && { deliveryMode: octetOf("deliveryMode", deliveryMode) },
    ...isGiven(priority) && { priority: octetOf("priority", priority) },
  };
}

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

function octetOf(name: string, value: JsonValue): number {
  const octet = Number(value);
  if (Number.isInteger(octet) && octet >= 0 && octet < 256) return octet;
  throw new Error(`Invalid ${name}: it must be a number from 0 to 255`);
}

function millisecondsText(expiration: JsonValue): string {
  const ms = readDuration(expiration);
  if (ms !== undefined && ms >= 0) return String(ms);
  throw new Error("Invalid expiration: it must be a duration");
}

/** A table of the protocol: arguments, headers. The package would store fractions with few digits: they become texts. */
export function tableOf(map: JsonObject): Record<string, object | string | number | bigint | boolean | null> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fieldOf(value)]));
}

function fieldOf(value: JsonValue): object | string | number | bigint | boolean | null {
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value : String(value.value);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return String(value);
    return Math.abs(value) < INT_32 ? value : BigInt(value);
  }
  if (Array.isArray(value)) return value.map(fieldOf);
  return isJsonObject(value) ? tableOf(value) : value;
}

/** A message that was received, with its content. */
export function messageOf({ properties }: AMQPMessage, data: JsonValue): JsonObject {
  const { headers, expiration = "", timestamp, deliveryMode, priority } = properties;
  const texts = TEXTS.filter((name) => properties[name] !== undefined);
  return {
    ...Object.fromEntries(texts.map((name) => [name, properties[name] ?? null])),
    ...headers && { headers: headerTexts(headers) },
    ...deliveryMode !== undefined && { deliveryMode },
    ...priority !== undefined && { priority },
    ...expiration !== "" &&
      { expiration: /^\d{1,15}$/.test(expiration) ? formatDuration(Number(expiration)) : expiration },
    ...timestamp && !Number.isNaN(timestamp.getTime()) && { timestamp: toIso(timestamp.getTime()) },
    data,
  };
}

function headerTexts(headers: object): JsonObject {
  const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value, plainValue);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value) ?? ""]));
}

/** Bytes and large numbers as texts. */
function plainValue(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "bigint" ? String(value) : value;
}
