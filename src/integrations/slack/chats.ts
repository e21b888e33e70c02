/** `slack.app.chats.…` and `slack.app.reactions.…`. https://api.slack.com/methods/chat.postMessage */
import type { JsonObject } from "../../base/json.ts";
import { dynamicContent, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { payloadOf } from "../notifications/webhook.ts";
import { callSlack, CHANNEL, SLACK_PROPERTIES } from "./client.ts";

const MESSAGE_PROPERTIES: PropertySchemas = Object.freeze({
  ...SLACK_PROPERTIES,
  channel: dynamicText(
    "Id or name of the channel, such as `C1234567890` or `#general`; the payload may name it.",
  ),
  messageText: dynamicText("Text of the message; added to the payload, if there is one."),
  payload: dynamicContent("Arguments of the method, such as `blocks`: JSON text, or a map."),
});

const TIMESTAMP = { timestamp: { type: "string", description: "Timestamp of the message." } } as const;

function messageOf({ properties: { payload, messageText, channel } }: TaskContext): JsonObject {
  const text = optionalText(messageText);
  if (payload === undefined && text === undefined) {
    throw new Error("Nothing to send: give payload or messageText");
  }
  const message = { ...text !== undefined && { text }, ...payloadOf(payload) };
  return { ...channel !== undefined && { channel }, ...message };
}

const post = defineTask({
  type: "slack.app.chats.Post",
  title: "Post a message as a Slack app",
  description:
    "Posts a message to a channel of Slack, or a reply to a message. The token needs the scope `chat:write`.",
  properties: {
    ...MESSAGE_PROPERTIES,
    timestamp: dynamicText("Timestamp of a message to reply to, in its thread."),
    username: dynamicText("Name that is shown as the sender."),
    iconUrl: dynamicText("URL of the picture of the sender."),
    iconEmoji: dynamicText("Emoji in place of the picture, such as `:rocket:`."),
  },
  outputs: TIMESTAMP,
  examples: [{
    title: "Post a message",
    yaml: `id: post
type: io.svc.plugin.slack.app.chats.Post
token: "{{ secret('SLACK_TOKEN') }}"
channel: "#general"
messageText: "{{ flow.id }} has finished"`,
  }],
  async run(context) {
    const { timestamp, username, iconUrl, iconEmoji } = context.properties;
    const given = { thread_ts: timestamp, username, icon_url: iconUrl, icon_emoji: iconEmoji };
    const { ts } = await callSlack(context, { method: "chat.postMessage", operation: "post the message" }, {
      ...given,
      ...messageOf(context),
    });
    return { timestamp: String(ts) };
  },
});

const update = defineTask({
  type: "slack.app.chats.Update",
  title: "Change a message of a Slack app",
  description: "Replaces a message that the app has posted.",
  properties: {
    ...MESSAGE_PROPERTIES,
    timestamp: dynamicText("Timestamp of the message.", { required: true }),
  },
  outputs: TIMESTAMP,
  async run(context) {
    const { timestamp } = context.properties;
    const call = { method: "chat.update", operation: "change the message", isRepeatable: true };
    const { ts } = await callSlack(context, call, { ...messageOf(context), ts: timestamp });
    return { timestamp: String(ts) };
  },
});

/** A type that names a message and has no outputs. */
function messageTask(
  type: string,
  { title, description, method, operation, timestampName, further = {} }: {
    readonly title: string;
    readonly description: string;
    readonly method: string;
    readonly operation: string;
    /** Name of the argument of the timestamp. */
    readonly timestampName: string;
    readonly further?: PropertySchemas;
  },
): TaskDefinition {
  return defineTask({
    type,
    title,
    description,
    properties: {
      ...SLACK_PROPERTIES,
      channel: CHANNEL,
      timestamp: dynamicText("Timestamp of the message.", { required: true }),
      ...further,
    },
    async run(context) {
      const { channel, timestamp, name } = context.properties;
      await callSlack(context, { method, operation }, { channel, name, [timestampName]: timestamp });
    },
  });
}

const REACTION: PropertySchemas = {
  name: dynamicText("Name of the emoji without colons, such as `thumbsup`.", { required: true }),
};

/** Types below `slack.app.chats.` and `slack.app.reactions.`. */
export const CHAT_TASKS: readonly TaskDefinition[] = [
  post,
  update,
  messageTask("slack.app.chats.Delete", {
    title: "Delete a message of a Slack app",
    description: "Deletes a message that the app has posted.",
    method: "chat.delete",
    operation: "delete the message",
    timestampName: "ts",
  }),
  messageTask("slack.app.reactions.Add", {
    title: "Add a reaction in Slack",
    description: "Adds an emoji to a message. The token needs the scope `reactions:write`.",
    method: "reactions.add",
    operation: "add the reaction",
    timestampName: "timestamp",
    further: REACTION,
  }),
  messageTask("slack.app.reactions.Remove", {
    title: "Remove a reaction in Slack",
    description: "Removes an emoji of the app from a message.",
    method: "reactions.remove",
    operation: "remove the reaction",
    timestampName: "timestamp",
    further: REACTION,
  }),
];
