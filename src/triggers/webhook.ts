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
  },
};
