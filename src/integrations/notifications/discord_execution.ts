/** `notifications.discord.DiscordExecution`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, type ExecutionMessage } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** Discord refuses a message with more. */
const MAX_FIELDS = 25;

/** A message with one embed of the execution, and those of `embedList`. */
export const discordExecution = defineTask({
  type: "notifications.discord.DiscordExecution",
  aliases: ["discord.DiscordExecution"],
  title: "Report on an execution in Discord",
  description:
    "Sends a message about an execution, with its state, duration and address, to an incoming webhook of Discord.",
  properties: {
    ...EXECUTION_PROPERTIES,
    username: dynamicText("Name of the sender."),
    avatarUrl: dynamicText("URL of the picture of the sender."),
    content: dynamicText("Text above the details."),
    embedList: dynamicProperty("list", "Further embeds.", {
      items: {
        type: "object",
        description: "An embed.",
        dynamic: true,
        properties: {
          title: dynamicText("Title."),
          websiteUrl: dynamicText("Address that the title links to."),
          description: dynamicText("Text."),
          authorName: dynamicText("Name of the author."),
          thumbnail: dynamicText("URL of a picture."),
          footer: dynamicText("Text at the end."),
          color: dynamicProperty("any", "A number, or a list of red, green and blue from 0 to 255."),
        },
      },
    }),
  },
  async run(context) {
    const { username, avatarUrl, content, embedList, payload } = context.properties;
    const message = await composeMessage(context);
    const given = Array.isArray(embedList) ? embedList.filter(isJsonObject) : [];
    await postToWebhook(context, {
      username: optionalText(username) ?? "Sluice",
      ...avatarUrl === undefined ? {} : { avatar_url: avatarUrl },
      ...content === undefined ? {} : { content },
      embeds: [embedOf(message), ...given.map(givenEmbed)],
      ...payloadOf(payload),
    });
  },
});

function embedOf({ title, text, fields, color, execution }: ExecutionMessage): JsonObject {
  return {
    title,
    ...text === undefined ? {} : { description: text },
    ...execution.url === undefined ? {} : { url: execution.url },
    color: Number.parseInt(color, 16),
    fields: fields.slice(0, MAX_FIELDS).map(({ name, value }) => ({
      name,
      value,
      inline: value.length < 40,
    })),
  };
}

function givenEmbed(embed: JsonObject): JsonObject {
  const { title, websiteUrl, description, authorName, thumbnail, footer, color } = embed;
  return {
    ...title === undefined ? {} : { title },
    ...websiteUrl === undefined ? {} : { url: websiteUrl },
    ...description === undefined ? {} : { description },
    ...authorName === undefined ? {} : { author: { name: authorName } },
    ...thumbnail === undefined ? {} : { thumbnail: { url: thumbnail } },
    ...footer === undefined ? {} : { footer: { text: footer } },
    ...color === undefined ? {} : { color: colorOf(color) },
  };
}

function colorOf(color: JsonValue): number {
  if (!Array.isArray(color)) return Number(color);
  const [red = 0, green = 0, blue = 0] = color.map(Number);
  return red * 65_536 + green * 256 + blue;
}
