/** `slack.app.conversations.…`. https://api.slack.com/methods?filter=conversations */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { fetchedRows } from "../fetched_rows.ts";
import { callSlack, CHANNEL, SLACK_PROPERTIES } from "./client.ts";

const USERS = dynamicProperty("list", "Ids of the users, such as `U1234567890`.", {
  required: true,
  orText: true,
  items: { type: "string", description: "Id of a user." },
});

const CHANNEL_OUTPUTS: PropertySchemas = Object.freeze({
  id: { type: "string", description: "Id of the channel." },
  name: { type: "string", description: "Name of the channel." },
  isPrivate: { type: "boolean", description: "Whether the channel is private." },
  isChannel: { type: "boolean", description: "Whether the conversation is a channel." },
  isGroup: { type: "boolean", description: "Whether the conversation is a group." },
  isInstantMessage: { type: "boolean", description: "Whether it is a conversation with one user." },
  isMultiPersonInstantMessage: {
    type: "boolean",
    description: "Whether it is a conversation with some users.",
  },
  created: { type: "integer", description: "When the channel was created, in seconds since 1970." },
  isArchived: { type: "boolean", description: "Whether the channel is archived." },
  isGeneral: { type: "boolean", description: "Whether it is the channel of all members." },
  topic: { type: "map", description: "Topic, with `value`, `creator` and `lastSet`." },
  purpose: { type: "map", description: "Purpose, with `value`, `creator` and `lastSet`." },
});

function channelOutputs(channel: JsonValue | undefined): JsonObject {
  if (!isJsonObject(channel)) return {};
  return present({
    id: channel.id,
    name: channel.name,
    isPrivate: channel.is_private,
    isChannel: channel.is_channel,
    isGroup: channel.is_group,
    isInstantMessage: channel.is_im,
    isMultiPersonInstantMessage: channel.is_mpim,
    created: channel.created,
    isArchived: channel.is_archived,
    isGeneral: channel.is_general,
    topic: topicOf(channel.topic),
    purpose: topicOf(channel.purpose),
  });
}

function topicOf(topic: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(topic)) return undefined;
  return present({ value: topic.value, creator: topic.creator, lastSet: topic.last_set });
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  );
}

interface ConversationTask {
  readonly title: string;
  readonly description: string;
  /** After `conversations.`. */
  readonly method: string;
  readonly operation: string;
  readonly properties: PropertySchemas;
  readonly isRepeatable?: boolean;
  readonly example?: string;
  /** Arguments of the method; default is the channel. */
  readonly parameters?: (properties: JsonObject) => Readonly<Record<string, JsonValue | undefined>>;
}

/** A type that calls a method and gives out the channel of its response, or nothing. */
function conversationTask(
  name: string,
  { title, description, method, operation, properties, isRepeatable, example, parameters }: ConversationTask,
): TaskDefinition {
  const type = `slack.app.conversations.${name}`;
  return defineTask({
    type,
    title,
    description,
    properties: { ...SLACK_PROPERTIES, ...properties },
    outputs: CHANNEL_OUTPUTS,
    ...example && {
      examples: [{
        title,
        yaml: `id: channel\ntype: io.svc.plugin.${type}\ntoken: "{{ secret('SLACK_TOKEN') }}"\n${example}`,
      }],
    },
    async run(context) {
      const given = parameters?.(context.properties) ?? { channel: context.properties.channel };
      const call = { method: `conversations.${method}`, operation, isRepeatable };
      return channelOutputs((await callSlack(context, call, given)).channel);
    },
  });
}

const joined = (value: JsonValue | undefined) => Array.isArray(value) ? value.join(",") : value;

const history = defineTask({
  type: "slack.app.conversations.History",
  title: "Read the messages of a Slack channel",
  description: "Stores the messages of a channel, latest first, without those of threads.",
  properties: {
    ...SLACK_PROPERTIES,
    channel: CHANNEL,
    oldest: dynamicText("Timestamp of the oldest message, in seconds since 1970."),
    latest: dynamicText("Timestamp of the latest message, in seconds since 1970."),
    inclusive: dynamicFlag(false, "Whether messages of exactly these times belong to it."),
    limit: dynamicProperty("integer", "Messages of a request.", { minimum: 1, maximum: 999 }),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the messages as Ion." },
    size: { type: "integer", description: "Number of messages." },
  },
  metrics: { records: { type: "counter", description: "Number of messages." } },
  async run(context) {
    const outputs = await fetchedRows(context, messagesOf(context), "STORE");
    context.metric("records", Number(outputs.size));
    return outputs;
  },
});

async function* messagesOf(context: TaskContext): AsyncGenerator<JsonObject> {
  const { channel, oldest, latest, inclusive, limit } = context.properties;
  const call = {
    method: "conversations.history",
    operation: `read the messages of "${channel}"`,
    isRepeatable: true,
  };
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const parameters = { channel, oldest, latest, inclusive, limit, cursor: optionalText(cursor) };
    const { messages, response_metadata: metadata } = await callSlack(context, call, parameters);
    for (const message of objectsOf(messages)) yield messageRow(message);
    cursor = isJsonObject(metadata) ? optionalText(metadata.next_cursor) : undefined;
  }
}

/** Flows read the members by these names. */
function messageRow({ ts, thread_ts, blocks, attachments, ...message }: JsonObject): JsonObject {
  const payload = present({ blocks, attachments });
  const named = Object.entries(message).map(([name, value]) => [camelCase(name), value]);
  return {
    ...Object.fromEntries(named),
    ...present({ timestamp: ts, threadTimestamp: thread_ts }),
    ...Object.keys(payload).length > 0 && { payload },
  };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** Types below `slack.app.conversations.`. */
export const CONVERSATION_TASKS: readonly TaskDefinition[] = [
  history,
  conversationTask("Create", {
    title: "Create a Slack channel",
    description: "Creates a public or private channel.",
    method: "create",
    operation: "create the channel",
    properties: {
      name: dynamicText("Name: small letters, digits, hyphens and underscores, at most 80.", {
        required: true,
      }),
      isPrivate: dynamicFlag(false, "Whether the channel is private."),
      teamId: dynamicText("Id of the workspace, for the token of an organization."),
    },
    example: "name: release-42",
    parameters: ({ name, isPrivate, teamId }) => ({ name, is_private: isPrivate, team_id: teamId }),
  }),
  conversationTask("Invite", {
    title: "Invite users to a Slack channel",
    description: "Adds users to a channel.",
    method: "invite",
    operation: "invite users",
    properties: { channel: CHANNEL, users: USERS },
    example: "channel: C1234567890\nusers: [U1234567890]",
    parameters: ({ channel, users }) => ({ channel, users: joined(users) }),
  }),
  conversationTask("Kick", {
    title: "Remove a user from a Slack channel",
    description: "Removes a user from a channel.",
    method: "kick",
    operation: "remove the user",
    properties: { channel: CHANNEL, user: dynamicText("Id of the user.", { required: true }) },
    parameters: ({ channel, user }) => ({ channel, user }),
  }),
  conversationTask("SetTopic", {
    title: "Set the topic of a Slack channel",
    description: "Replaces the topic of a channel.",
    method: "setTopic",
    operation: "set the topic",
    isRepeatable: true,
    properties: { channel: CHANNEL, topic: dynamicText("The topic.", { required: true }) },
    parameters: ({ channel, topic }) => ({ channel, topic }),
  }),
  conversationTask("SetPurpose", {
    title: "Set the purpose of a Slack channel",
    description: "Replaces the purpose of a channel.",
    method: "setPurpose",
    operation: "set the purpose",
    isRepeatable: true,
    properties: { channel: CHANNEL, purpose: dynamicText("The purpose.", { required: true }) },
    parameters: ({ channel, purpose }) => ({ channel, purpose }),
  }),
  conversationTask("Rename", {
    title: "Rename a Slack channel",
    description: "Gives a channel another name.",
    method: "rename",
    operation: "rename the channel",
    properties: { channel: CHANNEL, name: dynamicText("The new name.", { required: true }) },
    parameters: ({ channel, name }) => ({ channel, name }),
  }),
  conversationTask("Info", {
    title: "Read a Slack channel",
    description: "Gives out what Slack has about a channel.",
    method: "info",
    operation: "read the channel",
    isRepeatable: true,
    properties: { channel: CHANNEL },
  }),
  conversationTask("Join", {
    title: "Join a Slack channel",
    description: "Adds the app to a public channel.",
    method: "join",
    operation: "join the channel",
    isRepeatable: true,
    properties: { channel: CHANNEL },
  }),
  conversationTask("Leave", {
    title: "Leave a Slack channel",
    description: "Removes the app from a channel.",
    method: "leave",
    operation: "leave the channel",
    properties: { channel: CHANNEL },
  }),
  conversationTask("Archive", {
    title: "Archive a Slack channel",
    description: "Archives a channel.",
    method: "archive",
    operation: "archive the channel",
    properties: { channel: CHANNEL },
  }),
  conversationTask("Unarchive", {
    title: "Restore an archived Slack channel",
    description: "Makes an archived channel usable again.",
    method: "unarchive",
    operation: "restore the channel",
    properties: { channel: CHANNEL },
  }),
];
