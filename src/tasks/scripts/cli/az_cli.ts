/** `azure.cli.AzCLI`. https://learn.microsoft.com/cli/azure/authenticate-azure-cli */
import type { JsonObject } from "../../../base/json.ts";
import { shellWord } from "../../../base/text/shell_word.ts";
import { dynamicFlag, dynamicText } from "../../../model/flows/schema.ts";
import { flagOf, textOf } from "../../property_values.ts";
import type { ScriptAdditions } from "../script_hooks.ts";
import { cliTask } from "./cli_type.ts";

const PASSWORD_FILE = "az-password";

/** Logs in first. The login belongs to the task alone. */
export const azCliTask = cliTask({
  type: "azure.cli.AzCLI",
  title: "Run the Azure CLI",
  description:
    "Runs commands with `az`. With a user name the task logs in first; the login ends with the task.",
  image: "mcr.microsoft.com/azure-cli",
  properties: {
    username: dynamicText("User name, or the id of a service principal."),
    password: dynamicText("Password of the user, or secret of the service principal."),
    tenant: dynamicText("Id or domain of the tenant."),
    servicePrincipal: dynamicFlag(false, "Whether `username` is that of a service principal."),
  },
  examples: [{
    title: "List resource groups as a service principal",
    yaml: `id: groups
type: io.kestra.plugin.azure.cli.AzCLI
username: "{{ secret('AZURE_CLIENT_ID') }}"
password: "{{ secret('AZURE_CLIENT_SECRET') }}"
tenant: "{{ secret('AZURE_TENANT_ID') }}"
servicePrincipal: true
commands:
  - az group list --output table`,
  }],
  hooks: { additions },
});

function additions(properties: JsonObject, folder: string): ScriptAdditions {
  const username = textOf(properties, "username");
  if (!username) return {};
  const password = textOf(properties, "password");
  const tenant = textOf(properties, "tenant");
  const words = [
    ...["az", "login", "--output", "none", "--username", shellWord(username)],
    // The program reads the value from the file: arguments are visible to all users of a machine.
    ...password ? ["--password", shellWord(`@${folder}/${PASSWORD_FILE}`)] : [],
    ...tenant ? ["--tenant", shellWord(tenant)] : [],
    ...flagOf(properties, "servicePrincipal", false) ? ["--service-principal"] : [],
  ];
  return {
    env: { AZURE_CONFIG_DIR: `${folder}/azure` },
    files: { [PASSWORD_FILE]: password ?? "" },
    commands: [words.join(" ")],
  };
}
