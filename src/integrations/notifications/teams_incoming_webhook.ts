/** `notifications.teams.TeamsIncomingWebhook`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { postToTeams } from "./teams_message.ts";
import { messageBody, PAYLOAD_PROPERTY, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** The payload may be a MessageCard, or a message with an Adaptive Card. */
export const teamsIncomingWebhook = defineTask({
  type: "notifications.teams.TeamsIncomingWebhook",
  aliases: ["teams.TeamsIncomingWebhook"],
  title: "Send a Teams message",
  description: "Sends a message to an incoming webhook or a workflow of Microsoft Teams.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...PAYLOAD_PROPERTY,
    messageText: dynamicText("Text of the message; added to the payload, if there is one."),
  },
  async run(context) {
    await postToTeams(context, messageBody(context, "text"));
  },
});
