/** `notifications.x.XExecution`. */
import { dynamicText } from "../../model/flows/schema.ts";
import type { JsonObject } from "../../base/json.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { oauth1Header } from "./oauth1.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** Characters of a post. */
const MAX_CHARS = 280;

/** The API responds with JSON that has `detail`. */
export const xExecution = defineTask({
  type: "notifications.x.XExecution",
  aliases: ["x.XExecution"],
  title: "Report on an execution on X",
  description:
    "Posts a message about an execution on X, shortened to 280 characters, with a token of OAuth 2.0 or four keys of OAuth 1.0a.",
  properties: {
    ...EXECUTION_PROPERTIES,
    url: dynamicText("Address of the API.", { default: "https://api.x.com/2/tweets" }),
    bearerToken: dynamicText("Token of a user with the scope `tweet.write`; keep it as a secret."),
    consumerKey: dynamicText("Key of the application, without `bearerToken`."),
    consumerSecret: dynamicText("Secret of the application; keep it as a secret."),
    accessToken: dynamicText("Token of the user."),
    accessSecret: dynamicText("Secret of the token; keep it as a secret."),
  },
  async run(context) {
    const { url, payload } = context.properties;
    const text = plainText(await composeMessage(context)).slice(0, MAX_CHARS);
    await postToWebhook(context, { text, ...payloadOf(payload) }, {
      headers: { Authorization: await authorizationOf(String(url), context.properties) },
    });
  },
});

/** @throws Error neither a token nor all keys are given */
async function authorizationOf(url: string, properties: JsonObject): Promise<string> {
  const token = optionalText(properties.bearerToken);
  if (token !== undefined) return `Bearer ${token}`;
  const keyOf = (name: string): string => {
    const key = optionalText(properties[name]);
    if (key === undefined) throw new Error(`Missing ${name}: without bearerToken all four keys are needed`);
    return key;
  };
  return await oauth1Header({ method: "POST", url }, {
    consumerKey: keyOf("consumerKey"),
    consumerSecret: keyOf("consumerSecret"),
    accessToken: keyOf("accessToken"),
    accessSecret: keyOf("accessSecret"),
  });
}
