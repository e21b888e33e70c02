/** `jdbc.snowflake.SnowflakeCLI`. https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-connections */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicText } from "../../../model/flows/schema.ts";
import { textOf } from "../../property_values.ts";
import type { ScriptAdditions } from "../script_hooks.ts";
import { cliTask, givenVariables } from "./cli_type.ts";

const CONFIG_FILE = "snowflake/config.toml";
const KEY_FILE = "snowflake/key.p8";
const LINE_CHARS = 64;

/** The default connection of the program is that of the task. */
export const snowflakeCliTask = cliTask({
  type: "jdbc.snowflake.SnowflakeCLI",
  title: "Run the Snowflake CLI",
  description: "Runs commands with `snow`, whose default connection is that of the task.",
  image: "ghcr.io/kestra-io/snowflake-cli",
  properties: {
    account: dynamicText("Id of the account.", { required: true }),
    username: dynamicText("User of the connection.", { required: true }),
    password: dynamicText("Password of the user."),
    privateKey: dynamicText("Private key of the user as PEM or base64 text, instead of a password."),
    privateKeyPassword: dynamicText("Password of the private key."),
  },
  examples: [{
    title: "Run SQL",
    yaml: `id: sql
type: io.kestra.plugin.jdbc.snowflake.SnowflakeCLI
account: myorg-myaccount
username: loader
password: "{{ secret('SNOWFLAKE_PASSWORD') }}"
commands:
  - snow sql --query "SELECT CURRENT_VERSION()"`,
  }],
  hooks: { additions },
});

function additions(properties: JsonObject, folder: string): ScriptAdditions {
  const key = textOf(properties, "privateKey");
  const keyPassword = textOf(properties, "privateKeyPassword");
  const common = givenVariables({
    SNOWFLAKE_ACCOUNT: textOf(properties, "account"),
    SNOWFLAKE_USER: textOf(properties, "username"),
    SNOWFLAKE_PASSWORD: textOf(properties, "password"),
    PRIVATE_KEY_PASSPHRASE: keyPassword,
  });
  return {
    env: {
      ...common,
      // No configuration of the machine is used or changed.
      SNOWFLAKE_HOME: `${folder}/snowflake`,
      ...key
        ? { SNOWFLAKE_AUTHENTICATOR: "SNOWFLAKE_JWT", SNOWFLAKE_PRIVATE_KEY_PATH: `${folder}/${KEY_FILE}` }
        : {},
    },
    files: {
      [CONFIG_FILE]: "",
      ...key ? { [KEY_FILE]: pemOf(key, keyPassword !== undefined) } : {},
    },
    commands: ["snow connection add --connection-name=default-connection --default --no-interactive"],
  };
}

/** PEM text; base64 text gets the lines around it. */
function pemOf(key: string, isEncrypted: boolean): string {
  if (key.includes("-----BEGIN")) return `${key.trim()}\n`;
  const name = isEncrypted ? "ENCRYPTED PRIVATE KEY" : "PRIVATE KEY";
  const lines = key.replace(/\s/g, "").match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? [];
  return `-----BEGIN ${name}-----\n${lines.join("\n")}\n-----END ${name}-----\n`;
}
