/** The task types that send messages to chat services. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { discordExecution } from "./discord_execution.ts";
import { discordIncomingWebhook } from "./discord_incoming_webhook.ts";
import { googleChatExecution } from "./google_chat_execution.ts";
import { googleChatIncomingWebhook } from "./google_chat_incoming_webhook.ts";
import { lineExecution } from "./line_execution.ts";
import { messengerExecution } from "./messenger_execution.ts";
import { slackExecution } from "./slack_execution.ts";
import { slackIncomingWebhook } from "./slack_incoming_webhook.ts";
import { teamsExecution } from "./teams_execution.ts";
import { teamsIncomingWebhook } from "./teams_incoming_webhook.ts";
import { telegramExecution, telegramSend } from "./telegram.ts";
import { twilioAlert, twilioExecution } from "./twilio.ts";
import { whatsAppExecution, whatsAppIncomingWebhook } from "./whatsapp.ts";
import { xExecution } from "./x_execution.ts";
import { zulipExecution, zulipIncomingWebhook } from "./zulip.ts";

/** Types below `notifications.`. */
export const NOTIFICATION_TASKS: readonly TaskDefinition[] = Object.freeze([
  discordExecution,
  discordIncomingWebhook,
  googleChatExecution,
  googleChatIncomingWebhook,
  lineExecution,
  messengerExecution,
  slackExecution,
  slackIncomingWebhook,
  teamsExecution,
  teamsIncomingWebhook,
  telegramExecution,
  telegramSend,
  twilioAlert,
  twilioExecution,
  whatsAppExecution,
  whatsAppIncomingWebhook,
  xExecution,
  zulipExecution,
  zulipIncomingWebhook,
]);
