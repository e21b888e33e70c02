/** The task types that send messages to webhooks of chat services. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { discordExecution } from "./discord_execution.ts";
import { discordIncomingWebhook } from "./discord_incoming_webhook.ts";
import { googleChatExecution } from "./google_chat_execution.ts";
import { googleChatIncomingWebhook } from "./google_chat_incoming_webhook.ts";
import { slackExecution } from "./slack_execution.ts";
import { slackIncomingWebhook } from "./slack_incoming_webhook.ts";
import { teamsExecution } from "./teams_execution.ts";
import { teamsIncomingWebhook } from "./teams_incoming_webhook.ts";

/** Types below `notifications.`. */
export const NOTIFICATION_TASKS: readonly TaskDefinition[] = Object.freeze([
  discordExecution,
  discordIncomingWebhook,
  googleChatExecution,
  googleChatIncomingWebhook,
  slackExecution,
  slackIncomingWebhook,
  teamsExecution,
  teamsIncomingWebhook,
]);
