/** `core.trigger.Webhook`: an HTTP request to its address starts an execution. */
import type { TriggerType } from "../model/trigger_catalog.ts";

/** Longest key. */
const MAX_KEY_LENGTH = 256;

/** Gives `trigger.body`, `trigger.headers` and `trigger.parameters`. */
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
      planned: true,
      description: "Whether the request is answered only when the execution has ended.",
    },
    returnOutputs: {
      type: "boolean",
      default: false,
      planned: true,
      description: "Whether the answer holds the outputs of the execution; needs `wait`.",
    },
    responseContentType: {
      type: "string",
      planned: true,
      description: "Media type of the answer.",
    },
    responseCode: {
      type: "integer",
      dynamic: true,
      planned: true,
      minimum: 200,
      maximum: 599,
      description: "Code of the answer.",
    },
  },
  outputs: {
    body: { type: "any", description: "Body of the request: a parsed JSON object or list, else the text." },
    headers: {
      type: "map",
      items: {
        type: "list",
        items: { type: "string", description: "A value." },
        description: "Values of a header.",
      },
      description: "Headers of the request; each holds a list of values.",
    },
    parameters: {
      type: "map",
      items: {
        type: "list",
        items: { type: "string", description: "A value." },
        description: "Values of a parameter.",
      },
      description: "Query parameters of the request; each holds a list of values.",
    },
  },
};
