/** `core.trigger.Webhook`: an HTTP request to its address starts an execution. */
import { valuesByName } from "../model/http/http_schema.ts";
import type { PropertySchemas } from "../model/flows/schema.ts";
import type { TriggerType } from "../model/triggers/trigger_catalog.ts";

const MAX_KEY_LENGTH = 256;

const HEADER = "[\\w.-]{1,100}";
/** What may stand in a header: no control characters, so no further header. */
const MEDIA_TYPE = "[\\x20-\\x7e]{1,200}";

const SIGNATURE: PropertySchemas = {
  secret: {
    type: "string",
    required: true,
    dynamic: true,
    description: "What the sender signs with; an expression such as `{{ secret('WEBHOOK_SECRET') }}`.",
  },
  header: {
    type: "string",
    pattern: HEADER,
    default: "X-Signature",
    description: "Header of the signature.",
  },
  algorithm: {
    type: "string",
    values: ["SHA256", "SHA512", "SHA1"],
    default: "SHA256",
    description: "Hash function of the HMAC.",
  },
  timestampHeader: {
    type: "string",
    pattern: HEADER,
    description:
      "Header of the time of the call: Unix seconds or milliseconds, or ISO 8601. What is signed is then that text, a dot and the body, so that a recorded call cannot be sent again later.",
  },
  tolerance: {
    type: "duration",
    default: "PT5M",
    description: "How far that time may be from now, to either side; from a second to a day.",
  },
};

/** Sets `trigger.body` or `trigger.uri`, `trigger.headers` and `trigger.parameters`. */
export const webhookTrigger: TriggerType = {
  form: "webhook",
  type: "core.trigger.Webhook",
  aliases: ["core.models.triggers.types.Webhook"],
  description: "Starts an execution for each request to its address.",
  properties: {
    key: {
      type: "string",
      required: true,
      dynamic: true,
      maxLength: MAX_KEY_LENGTH,
      description: "Secret part of the address; may be an expression.",
    },
    wait: {
      type: "boolean",
      default: false,
      description: "Whether the response is sent only when the execution has ended.",
    },
    returnOutputs: {
      type: "boolean",
      default: false,
      description: "Whether the response holds the outputs of the execution; needs `wait`.",
    },
    path: { type: "string", description: "What must follow the key in the address; nothing without it." },
    fetchType: {
      type: "string",
      values: ["FETCH", "STORE", "NONE"],
      default: "FETCH",
      description:
        "What becomes of the body: `FETCH` gives it as `trigger.body`, `STORE` stores it and gives its address as `trigger.uri`, `NONE` drops it. Files of a form are stored in any case.",
    },
    responseContentType: {
      type: "string",
      pattern: MEDIA_TYPE,
      description:
        "Media type of the response. Browsers show texts, JSON and images, and download any other type: a flow must not act as a page of this server.",
    },
    responseCode: {
      type: "integer",
      dynamic: true,
      minimum: 200,
      maximum: 599,
      description: "Status code of the response.",
    },
    rateLimit: {
      type: "object",
      description:
        "How many calls with the key are accepted; further ones get status 429. Counted in memory: a restart resets the count.",
      properties: {
        calls: {
          type: "integer",
          required: true,
          minimum: 1,
          maximum: 1_000_000,
          description: "Calls of one period.",
        },
        period: {
          type: "duration",
          default: "PT1M",
          description: "Length of a period, which begins with its first call; from a second to a day.",
        },
      },
    },
    signature: {
      type: "object",
      dynamic: true,
      description:
        "Accepts only calls whose body is signed: an HMAC in a header, hexadecimal or Base64, also behind `sha256=` or `v1=`. Such a body has at most 1 MiB, whatever `fetchType` is. Neither path nor parameters are signed.",
      properties: SIGNATURE,
    },
  },
  outputs: {
    body: {
      type: "any",
      description:
        "Body of the request: a parsed JSON object or list, else the text; Base64 when it is no text.",
    },
    uri: { type: "string", description: "Address of the stored body, with `fetchType: STORE`." },
    parts: { type: "list", description: "Files of a form: each with its name, type, size and address." },
    formFields: { type: "map", description: "Other fields of a form; each holds a list of values." },
    headers: valuesByName("header", "Headers of the request; each holds a list of values."),
    parameters: valuesByName("parameter", "Query parameters of the request; each holds a list of values."),
  },
};
