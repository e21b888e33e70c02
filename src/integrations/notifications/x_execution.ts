/** `notifications.x.XExecution`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** Characters of a post. */
const MAX_CHARS = 280;

/** The API responds with JSON that has `detail`. */
export const xExecution = defineTask({
  type: "notifications.x.XExecution",
  aliases: ["x.XExecution"],
  title: "Report on an execution on X",
  description:
    "Posts a message about an execution on X, shortened to 280 characters, with a token of OAuth 2.0.",
  properties: {
    ...EXECUTION_PROPERTIES,
    url: dynamicText("Address of the API.", { default: "https://api.x.com/2/tweets" }),
    bearerToken: dynamicText("Token of a user with the scope `tweet.write`; keep it as a secret.", {
      required: true,
    }),
  },
  async run(context) {
    const { bearerToken, payload } = context.properties;
    const text = plainText(await composeMessage(context)).slice(0, MAX_CHARS);
    await postToWebhook(context, { text, ...payloadOf(payload) }, {
      headers: { Authorization: `Bearer ${bearerToken}` },
    });
  },
});
