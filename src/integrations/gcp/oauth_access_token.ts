/** `gcp.auth.OauthAccessToken`. */
import { toIso } from "../../base/time/clock.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "./client.ts";

/** The token is an output, so that other tasks can send it. */
export const oauthAccessToken = defineTask({
  type: "gcp.auth.OauthAccessToken",
  title: "Get an access token of Google Cloud",
  description: "Gets an OAuth access token for a service account.",
  properties: CONNECTION,
  outputs: {
    accessToken: {
      type: "object",
      description: "The token.",
      properties: {
        tokenValue: { type: "string", description: "Text of the token." },
        expirationTime: { type: "dateTime", description: "Until when it is valid." },
        scopes: { type: "list", description: "Scopes of the token." },
      },
    },
  },
  async run(context) {
    const { text, expiresAt } = await new GcpClient(context).token();
    const { scopes = [] } = context.properties;
    return { accessToken: { tokenValue: text, expirationTime: toIso(expiresAt), scopes } };
  },
});
