/** Kinds of triggers that a request to their address fires. */

/** Any sender. */
const WEBHOOK_KIND = "core.trigger.Webhook";
/** An app of Slack, which signs its calls and first asks whether the address is right. */
export const SLACK_EVENTS_KIND = "slack.app.core.Trigger";

/** Kinds by their older names. */
export const OLDER_WEBHOOK_KINDS: ReadonlyMap<string, string> = new Map([
  ["core.models.triggers.types.Webhook", WEBHOOK_KIND],
  ["slack.app.Trigger", SLACK_EVENTS_KIND],
]);

/** Whether requests fire triggers of that kind. */
export function isWebhookKind(kind: string): boolean {
  return kind === WEBHOOK_KIND || kind === SLACK_EVENTS_KIND;
}
