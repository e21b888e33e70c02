/** `databricks.cli.DatabricksCLI`. https://docs.databricks.com/dev-tools/auth/index.html */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicText } from "../../../model/flows/schema.ts";
import { textOf } from "../../property_values.ts";
import type { ScriptAdditions } from "../script_hooks.ts";
import { cliTask, givenVariables } from "./cli_type.ts";

/** A token wins over a service principal. */
export const databricksCliTask = cliTask({
  type: "databricks.cli.DatabricksCLI",
  title: "Run the Databricks CLI",
  description: "Runs commands with `databricks`, which gets the workspace and the credentials of the task.",
  image: "ghcr.io/databricks/cli:latest",
  properties: {
    databricksHost: dynamicText("URL of the workspace.", { required: true }),
    databricksToken: dynamicText("Personal access token."),
    clientId: dynamicText("Client id of a service principal, with `clientSecret` instead of a token."),
    clientSecret: dynamicText("Client secret of the service principal."),
  },
  examples: [{
    title: "List clusters",
    yaml: `id: clusters
type: io.kestra.plugin.databricks.cli.DatabricksCLI
databricksHost: https://example.cloud.databricks.com
databricksToken: "{{ secret('DATABRICKS_TOKEN') }}"
commands:
  - databricks clusters list`,
  }],
  hooks: { additions },
});

function additions(properties: JsonObject): ScriptAdditions {
  const token = textOf(properties, "databricksToken");
  const clientId = textOf(properties, "clientId");
  const clientSecret = textOf(properties, "clientSecret");
  if (!token && !(clientId && clientSecret)) {
    throw new Error("Missing databricksToken: give it, or clientId and clientSecret of a service principal");
  }
  return {
    env: givenVariables({
      DATABRICKS_HOST: textOf(properties, "databricksHost"),
      ...token
        ? { DATABRICKS_TOKEN: token }
        : { DATABRICKS_CLIENT_ID: clientId, DATABRICKS_CLIENT_SECRET: clientSecret },
    }),
  };
}
