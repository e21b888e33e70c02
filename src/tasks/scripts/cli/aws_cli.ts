/** `aws.cli.AwsCLI`. https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html */
import { readDuration } from "../../../base/time/duration.ts";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import { CONNECTION } from "../../../integrations/aws/client.ts";
import { dynamicChoice, type PropertySchemas } from "../../../model/flows/schema.ts";
import { textOf } from "../../property_values.ts";
import type { ScriptAdditions } from "../script_hooks.ts";
import { cliTask, givenVariables } from "./cli_type.ts";

const CONFIG_FILE = "aws-config";
const CREDENTIALS_FILE = "aws-credentials";
/** Section with the keys that a role is assumed by. */
const SOURCE = "source";

/** Values of `credential_source` in a configuration file. */
const CREDENTIAL_SOURCES: ReadonlyMap<string, string> = new Map([
  ["ENVIRONMENT", "Environment"],
  ["EC2_INSTANCE_METADATA", "Ec2InstanceMetadata"],
  ["ECS_CONTAINER", "EcsContainer"],
]);

const { stsEndpointOverride: _unused, ...USED_CONNECTION } = CONNECTION;

const PROPERTIES: PropertySchemas = Object.freeze({
  ...USED_CONNECTION,
  stsCredentialSource: dynamicChoice(
    [...CREDENTIAL_SOURCES.keys()],
    "ENVIRONMENT",
    "Where the credentials come from that the role is assumed by, if the task gives no access key.",
  ),
  outputFormat: dynamicChoice(["JSON", "TEXT", "TABLE", "YAML"], "JSON", "Format of what commands print."),
});

/** Credentials become variables; with a role they are in a configuration file. */
export const awsCliTask = cliTask({
  type: "aws.cli.AwsCLI",
  title: "Run the AWS CLI",
  description: "Runs commands with the AWS CLI, which gets credentials, region and endpoint of the task.",
  image: "amazon/aws-cli",
  properties: PROPERTIES,
  examples: [{
    title: "List buckets and keep the list as an output",
    yaml: `id: buckets
type: io.kestra.plugin.aws.cli.AwsCLI
accessKeyId: "{{ secret('AWS_ACCESS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_ACCESS_KEY') }}"
region: eu-central-1
commands:
  - aws s3api list-buckets --query 'Buckets[].Name' | tee buckets.json
outputFiles:
  - buckets.json`,
  }],
  hooks: { additions },
});

function additions(properties: JsonObject, folder: string): ScriptAdditions {
  const role = textOf(properties, "stsRoleArn");
  const keys = keysOf(properties);
  const common = givenVariables({
    AWS_DEFAULT_REGION: textOf(properties, "region"),
    AWS_ENDPOINT_URL: textOf(properties, "endpointOverride"),
    AWS_DEFAULT_OUTPUT: (textOf(properties, "outputFormat") || "JSON").toLowerCase(),
  });
  if (!role) return { env: { ...keys, ...common } };
  // Keys in variables would be used in place of the role.
  return {
    env: {
      ...common,
      AWS_CONFIG_FILE: `${folder}/${CONFIG_FILE}`,
      AWS_SHARED_CREDENTIALS_FILE: `${folder}/${CREDENTIALS_FILE}`,
    },
    files: {
      [CONFIG_FILE]: section("default", {
        role_arn: role,
        role_session_name: textOf(properties, "stsRoleSessionName"),
        external_id: textOf(properties, "stsRoleExternalId"),
        duration_seconds: durationSeconds(properties),
        ...keys.AWS_ACCESS_KEY_ID === undefined
          ? { credential_source: credentialSource(properties) }
          : { source_profile: SOURCE },
      }),
      [CREDENTIALS_FILE]: section(
        SOURCE,
        Object.fromEntries(Object.entries(keys).map(([name, value]) => [name.toLowerCase(), value])),
      ),
    },
  };
}

function keysOf(properties: JsonObject): Record<string, string> {
  return givenVariables({
    AWS_ACCESS_KEY_ID: textOf(properties, "accessKeyId"),
    AWS_SECRET_ACCESS_KEY: textOf(properties, "secretKeyId"),
    AWS_SESSION_TOKEN: textOf(properties, "sessionToken"),
  });
}

function credentialSource(properties: JsonObject): string | undefined {
  const name = textOf(properties, "stsCredentialSource") || "ENVIRONMENT";
  return CREDENTIAL_SOURCES.get(name);
}

function durationSeconds(properties: JsonObject): string | undefined {
  const ms = readDuration(ownProperty(properties, "stsRoleSessionDuration"));
  return ms === undefined ? undefined : String(Math.round(ms / 1000));
}

/** @throws Error a value with a line break, which would be another setting */
function section(name: string, settings: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(givenVariables(settings)).map(([key, value]) => {
    if (/[\r\n]/.test(value)) throw new Error(`Invalid ${key}: it must be one line`);
    return `${key} = ${value}\n`;
  });
  return `[${name}]\n${lines.join("")}`;
}
