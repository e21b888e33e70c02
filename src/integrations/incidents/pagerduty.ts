/** `notifications.pagerduty.…`: events for the Events API v2 of PagerDuty. */
import { dynamicChoice, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, fieldMap } from "../notifications/execution_message.ts";
import {
  PAYLOAD_PROPERTY,
  payloadOf,
  payloadText,
  postToWebhook,
  WEBHOOK_PROPERTIES,
} from "../notifications/webhook.ts";

const URL_PROPERTY: PropertySchemas = {
  url: dynamicText("Address of the API.", { default: "https://events.pagerduty.com/v2/enqueue" }),
};

/** PagerDuty refuses longer summaries. */
const MAX_SUMMARY_CHARS = 1024;
const SEVERITIES: ReadonlyMap<string, string> = new Map([
  ["FAILED", "error"],
  ["KILLED", "error"],
  ["WARNING", "warning"],
]);

/** The payload is an event, with its `routing_key`. */
export const pagerDutyAlert = defineTask({
  type: "notifications.pagerduty.PagerDutyAlert",
  aliases: ["pagerduty.PagerDutyAlert"],
  title: "Send an event to PagerDuty",
  description: "Sends an event to the Events API v2 of PagerDuty.",
  properties: { ...WEBHOOK_PROPERTIES, ...URL_PROPERTY, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postToWebhook(context, payloadText(context));
  },
});

/** PagerDuty responds with 202, or with JSON that has `message` and `errors`. */
export const pagerDutyExecution = defineTask({
  type: "notifications.pagerduty.PagerDutyExecution",
  aliases: ["pagerduty.PagerDutyExecution"],
  title: "Report on an execution to PagerDuty",
  description:
    "Sends an event about an execution, with its state and duration, to the Events API v2 of PagerDuty.",
  properties: {
    ...EXECUTION_PROPERTIES,
    ...URL_PROPERTY,
    routingKey: dynamicText("Integration key of the service; keep it as a secret.", { required: true }),
    deduplicationKey: dynamicText("Key of the alert; events with the same key belong to one alert."),
    eventAction: dynamicChoice(["trigger", "acknowledge", "resolve"], "trigger", "What the event does."),
    payloadSummary: dynamicText("Summary of the event; default names flow and state."),
  },
  async run(context) {
    const { routingKey, deduplicationKey, eventAction, payloadSummary, payload } = context.properties;
    const message = await composeMessage(context);
    const { title, text, execution } = message;
    await postToWebhook(context, {
      routing_key: routingKey ?? "",
      ...deduplicationKey === undefined ? {} : { dedup_key: deduplicationKey },
      event_action: eventAction ?? "trigger",
      payload: {
        summary: (optionalText(payloadSummary) ?? text ?? title).slice(0, MAX_SUMMARY_CHARS),
        source: `${execution.namespace}.${execution.flowId}`,
        severity: SEVERITIES.get(execution.state) ?? "info",
        custom_details: fieldMap(message),
      },
      ...execution.url === undefined ? {} : { links: [{ href: execution.url, text: "Open the execution" }] },
      ...payloadOf(payload),
    });
  },
});
