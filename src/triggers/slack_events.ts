/** `slack.app.core.Trigger`: an event of an app of Slack starts an execution. */
import type { TriggerType } from "../model/triggers/trigger_catalog.ts";
import { SLACK_EVENTS_KIND } from "../model/triggers/webhook_kinds.ts";

const MAX_KEY_LENGTH = 256;

/** Sets `trigger.body`, `trigger.headers` and `trigger.parameters`. */
export const slackEventsTrigger: TriggerType = {
  form: "webhook",
  type: SLACK_EVENTS_KIND,
  aliases: ["slack.app.Trigger"],
  description:
    "Starts an execution for each event of an app of Slack (Events API). Its request URL is the address of this trigger, as that of a webhook; calls without the signature of the app are refused.",
  properties: {
    key: {
      type: "string",
      required: true,
      dynamic: true,
      maxLength: MAX_KEY_LENGTH,
      description: "Secret part of the address; may be an expression.",
    },
    signingSecret: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Signing secret of the app; an expression such as `{{ secret('SLACK_SIGNING_SECRET') }}`.",
    },
    botToken: {
      type: "string",
      dynamic: true,
      ignored: true,
      description: "Has no effect: the signature says who calls.",
    },
  },
  outputs: {
    body: { type: "map", description: "The call: `event` is what has happened, `event_id` is unique." },
    headers: { type: "map", description: "Headers, each with a list of texts." },
    parameters: { type: "map", description: "Query parameters, each with a list of texts." },
  },
  examples: [{
    title: "Reply to mentions of the app",
    yaml: `id: mention
type: io.svc.plugin.slack.app.core.Trigger
key: "{{ secret('SLACK_WEBHOOK_KEY') }}"
signingSecret: "{{ secret('SLACK_SIGNING_SECRET') }}"`,
  }],
};
