/** Payloads of messages. */
import { Buffer } from "node:buffer";
import { type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { messageValueOrText } from "../consumed_messages.ts";
import type { MqttMessage } from "./client.ts";

/** What expressions read of a message. */
export const MESSAGE_OUTPUTS: PropertySchemas = Object.freeze({
  topic: { type: "string", description: "Topic of the message." },
  payload: { type: "any", description: "Payload of the message." },
  qos: { type: "integer", description: "Quality of service of the message." },
  retain: { type: "boolean", description: "Whether the broker had kept the message." },
  id: { type: "integer", description: "Number of the message in the connection." },
  responseTopic: { type: "string", description: "Topic for responses, of MQTT 5." },
  correlationData: { type: "string", description: "Data that a response repeats, of MQTT 5, in Base64." },
});

/** The bytes of a payload. @throws Error it does not have that form */
export function payloadOf({ serdeType }: JsonObject, value: JsonValue): Buffer {
  if (serdeType === "BYTES") return Buffer.from(String(value), "base64");
  if (serdeType === "STRING") return Buffer.from(typeof value === "string" ? value : stringifyJson(value));
  return Buffer.from(stringifyJson(value));
}

/** A message; a payload that is no JSON, but should be, is given as text. */
export function messageOf({ serdeType }: JsonObject, packet: MqttMessage): JsonObject {
  const { topic, qos, retain, messageId = null, properties = {} } = packet;
  const bytes = packet.payload;
  const { responseTopic, correlationData } = properties;
  return {
    id: messageId,
    topic,
    qos,
    payload: contentOf(serdeType, bytes),
    retain,
    ...responseTopic !== undefined && { responseTopic },
    ...correlationData !== undefined && { correlationData: correlationData.toString("base64") },
  };
}

function contentOf(form: JsonValue | undefined, bytes: Buffer): JsonValue {
  if (form === "BYTES") return bytes.toString("base64");
  return messageValueOrText(new TextDecoder().decode(bytes), form);
}
