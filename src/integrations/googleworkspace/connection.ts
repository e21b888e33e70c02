/** How the types of Google Workspace reach its APIs. */
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";

/** Properties of all types; files, sheets and calendars must be shared with the service account. */
export function connectionProperties(scopes: readonly string[]): PropertySchemas {
  return {
    serviceAccount: dynamicText("JSON key of a service account; keep it as a secret."),
    scopes: dynamicProperty("list", "Scopes of the access token.", {
      default: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`),
      items: { type: "string", description: "A scope." },
    }),
    readTimeout: dynamicProperty("integer", "Has no effect: the limits of the server hold.", {
      ignored: true,
    }),
    endpointOverride: dynamicText("URL of another server with the same API; needs no credentials."),
  };
}
