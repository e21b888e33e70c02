/** `core.http.Trigger`: the answer of an HTTP server starts an execution. */
import { ENCRYPT_BODY, HTTP_REQUEST_OUTPUTS, HTTP_REQUEST_PROPERTIES } from "../model/http_schema.ts";
import type { TriggerType } from "../model/trigger_catalog.ts";

/** Gives the answer in `trigger`, as `core.http.Request` does in its outputs. */
export const httpTrigger: TriggerType = {
  form: "planned",
  type: "core.http.Trigger",
  aliases: ["fs.http.Trigger"],
  description:
    "Sends an HTTP request again and again, and starts an execution when a condition on the answer is true.",
  properties: {
    interval: { type: "duration", default: "PT1M", description: "Time from one request to the next." },
    ...HTTP_REQUEST_PROPERTIES,
    responseCondition: {
      type: "string",
      default: "{{ response.statusCode < 400 }}",
      description: "Expression that is evaluated for each answer and reads it as `response`.",
    },
    encryptBody: ENCRYPT_BODY,
  },
  outputs: HTTP_REQUEST_OUTPUTS,
};
