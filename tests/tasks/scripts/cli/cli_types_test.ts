/** Types that run one program: fake programs on the PATH print how they are called, their variables and their files. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { CLI_TASKS } from "../../../../src/tasks/scripts/cli/registry.ts";
import { Harness } from "../../../support/harness.ts";
import { runScripts } from "../../../support/flows/script_flows.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

/** Prints its call, the variables of the prefix that is the first line of `prefixes`, and files that these or arguments name. */
const FAKE = `#!/bin/sh
printf '%s' "\${0##*/}"
for each; do printf ' [%s]' "$each"; done
echo
env | grep -E "$SHOWN" | LC_ALL=C sort
for path in $(env | grep -E "$SHOWN" | sed 's/^[^=]*=//') "$@"; do
  path=\${path#@}
  case $path in */.sluice-*) if [ -f "$path" ]; then cat "$path"; echo; fi;; esac
done
`;

interface CliCase {
  readonly type: string;
  readonly properties: JsonObject;
  /** Names of the variables that are shown. */
  readonly shown: string;
  /** Lines of the log; `AUX` is the folder of auxiliary files. */
  readonly lines: readonly string[];
  /** Names of the files that are left in the working directory; by default no file is left. */
  readonly left?: readonly string[];
}

const KEYS = { accessKeyId: "AK", secretKeyId: "SK" };

const CASES: readonly CliCase[] = [
  {
    type: "terraform.cli.TerraformCLI",
    properties: { beforeCommands: ["terraform init"], commands: ["terraform apply"], env: { TF_VAR_a: "1" } },
    shown: "^TF_",
    lines: ["terraform [init]", "TF_VAR_a=1", "terraform [apply]", "TF_VAR_a=1"],
  },
  {
    type: "aws.cli.AwsCLI",
    properties: {
      ...KEYS,
      sessionToken: "T",
      region: "eu-central-1",
      endpointOverride: "http://127.0.0.1:1",
      commands: ["aws s3 ls"],
    },
    shown: "^AWS_",
    lines: [
      "aws [s3] [ls]",
      "AWS_ACCESS_KEY_ID=AK",
      "AWS_DEFAULT_OUTPUT=json",
      "AWS_DEFAULT_REGION=eu-central-1",
      "AWS_ENDPOINT_URL=http://127.0.0.1:1",
      "AWS_SECRET_ACCESS_KEY=SK",
      "AWS_SESSION_TOKEN=T",
    ],
  },
  {
    type: "aws.cli.AwsCLI",
    properties: { commands: ["aws s3 ls"], outputFormat: "TEXT", env: { AWS_DEFAULT_OUTPUT: "yaml" } },
    shown: "^AWS_",
    lines: ["aws [s3] [ls]", "AWS_DEFAULT_OUTPUT=yaml"],
  },
  {
    type: "aws.cli.AwsCLI",
    properties: {
      ...KEYS,
      stsRoleArn: "arn:aws:iam::1:role/r",
      stsRoleExternalId: "x",
      commands: ["aws s3 ls"],
    },
    shown: "^AWS_",
    lines: [
      "aws [s3] [ls]",
      "AWS_CONFIG_FILE=AUX/aws-config",
      "AWS_DEFAULT_OUTPUT=json",
      "AWS_SHARED_CREDENTIALS_FILE=AUX/aws-credentials",
      ...["[default]", "role_arn = arn:aws:iam::1:role/r", "role_session_name = sluice", "external_id = x"],
      ...["duration_seconds = 900", "source_profile = source", ""],
      ...["[source]", "aws_access_key_id = AK", "aws_secret_access_key = SK", ""],
    ],
  },
  {
    type: "aws.cli.AwsCLI",
    properties: { stsRoleArn: "arn:r", stsCredentialSource: "ECS_CONTAINER", commands: ["aws x"] },
    shown: "^AWS_CONFIG",
    lines: [
      "aws [x]",
      "AWS_CONFIG_FILE=AUX/aws-config",
      ...["[default]", "role_arn = arn:r", "role_session_name = sluice", "duration_seconds = 900"],
      ...["credential_source = EcsContainer", ""],
    ],
  },
  {
    type: "gcp.cli.GCloudCLI",
    properties: { serviceAccount: '{"type": "service_account"}', projectId: "p", commands: ["gcloud a b"] },
    shown: "^(GOOGLE_|CLOUDSDK_CORE|CLOUDSDK_CONFIG)",
    lines: [
      "gcloud [a] [b]",
      "CLOUDSDK_CONFIG=AUX/gcloud",
      "CLOUDSDK_CORE_PROJECT=p",
      "GOOGLE_APPLICATION_CREDENTIALS=AUX/gcp-key.json",
      '{"type": "service_account"}',
    ],
  },
  {
    type: "gcp.cli.GCloudCLI",
    properties: { commands: ["gcloud a"] },
    shown: "^(GOOGLE_|CLOUDSDK_)",
    lines: ["gcloud [a]"],
  },
  {
    type: "azure.cli.AzCLI",
    properties: {
      ...{ username: "id", password: "it's", tenant: "t", servicePrincipal: true },
      ...{ beforeCommands: ["az extension add"], commands: ["az group list"] },
    },
    shown: "^AZURE_",
    lines: [
      "az [extension] [add]",
      "AZURE_CONFIG_DIR=AUX/azure",
      "az [login] [--output] [none] [--username] [id] [--password] [@AUX/az-password] [--tenant] [t] [--service-principal]",
      "AZURE_CONFIG_DIR=AUX/azure",
      "it's",
      "az [group] [list]",
      "AZURE_CONFIG_DIR=AUX/azure",
    ],
  },
  {
    type: "azure.cli.AzCLI",
    properties: { commands: ["az group list"] },
    shown: "^AZURE_",
    lines: ["az [group] [list]"],
  },
  {
    type: "jdbc.snowflake.SnowflakeCLI",
    properties: { account: "a", username: "u", password: "p", commands: ["snow sql"] },
    shown: "^SNOWFLAKE_",
    lines: [
      "snow [connection] [add] [--connection-name=default-connection] [--default] [--no-interactive]",
      ...["SNOWFLAKE_ACCOUNT=a", "SNOWFLAKE_HOME=AUX/snowflake", "SNOWFLAKE_PASSWORD=p", "SNOWFLAKE_USER=u"],
      "snow [sql]",
      ...["SNOWFLAKE_ACCOUNT=a", "SNOWFLAKE_HOME=AUX/snowflake", "SNOWFLAKE_PASSWORD=p", "SNOWFLAKE_USER=u"],
    ],
  },
  {
    type: "jdbc.snowflake.SnowflakeCLI",
    properties: { account: "a", username: "u", privateKey: "QUJD", commands: ["true"] },
    shown: "^SNOWFLAKE_(A|P)",
    lines: [
      "snow [connection] [add] [--connection-name=default-connection] [--default] [--no-interactive]",
      "SNOWFLAKE_ACCOUNT=a",
      "SNOWFLAKE_AUTHENTICATOR=SNOWFLAKE_JWT",
      "SNOWFLAKE_PRIVATE_KEY_PATH=AUX/snowflake/key.p8",
      ...["-----BEGIN PRIVATE KEY-----", "QUJD", "-----END PRIVATE KEY-----", ""],
    ],
  },
  {
    type: "docker.cli.Compose",
    properties: {
      inputFiles: { "base.yml": "services: {}" },
      composeFiles: ["base.yml", "services: {a: {}}"],
      composeArgs: ["up", "-d", "it's"],
    },
    shown: "^DOCKER_",
    lines: ["docker [compose] [-f] [base.yml] [-f] [compose-2.yaml] [up] [-d] [it's]"],
    left: ["base.yml", "compose-2.yaml"],
  },
  {
    type: "databricks.cli.DatabricksCLI",
    properties: { databricksHost: "https://h", databricksToken: "t", commands: ["databricks clusters list"] },
    shown: "^DATABRICKS_",
    lines: ["databricks [clusters] [list]", "DATABRICKS_HOST=https://h", "DATABRICKS_TOKEN=t"],
  },
  {
    type: "databricks.cli.DatabricksCLI",
    properties: { databricksHost: "https://h", clientId: "c", clientSecret: "s", commands: ["databricks x"] },
    shown: "^DATABRICKS_",
    lines: [
      ...[
        "databricks [x]",
        "DATABRICKS_CLIENT_ID=c",
        "DATABRICKS_CLIENT_SECRET=s",
        "DATABRICKS_HOST=https://h",
      ],
    ],
  },
];

function task(type: string, properties: JsonObject): string {
  return `  - ${JSON.stringify({ id: "c", type: `io.kestra.plugin.${type}`, ...properties })}\n`;
}

Deno.test("the programs of CLI types get variables, files and log-ins of their task", async (test) => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    for (const name of ["terraform", "aws", "gcloud", "az", "snow", "databricks", "docker"]) {
      await writeProgram(`${folder}/${name}`, FAKE);
    }
    for (const [index, { type, properties, shown, lines, left = [] }] of CASES.entries()) {
      await test.step(`${type} ${index}`, async () => {
        const env = { PATH: `${folder}:/usr/bin:/bin`, SHOWN: shown, ...properties.env as JsonObject };
        const outputFiles = ["**"];
        const ended = await runScripts(app, task(type, { ...properties, env, outputFiles }));
        assertEquals(
          ended.lines.map((line) => line.replaceAll(/\/[^ =\]@]*\/\.sluice-\w+/g, "AUX")),
          lines.map((line) => `INFO ${line}`),
        );
        // No file with credentials is left.
        const stored = Object.keys((ended.outputs.outputFiles ?? {}) as JsonObject);
        assertEquals([ended.execution.state.current, stored], ["SUCCESS", [...left]]);
      });
    }
  });
});

/** Properties with a mistake that is found when the task runs, and the last line of the log. */
const MISTAKES: readonly (readonly [type: string, properties: JsonObject, line: RegExp])[] = [
  [
    "databricks.cli.DatabricksCLI",
    { databricksHost: "https://h" },
    /^ERROR Missing databricksToken: give it, or/,
  ],
  ["aws.cli.AwsCLI", { stsRoleArn: "a\nb" }, /^ERROR Invalid role_arn: it must be one line$/],
  [
    "dbt.cli.DbtCLI",
    { commands: ["dbt build"] },
    /exit code 127: the program "dbt" is missing .*`containerImage: ghcr.io\/kestra-io\/dbt`$/,
  ],
];

Deno.test("CLI types name what is missing", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    for (const [type, properties, line] of MISTAKES) {
      const given = { commands: ["true"], env: { PATH: folder }, ...properties };
      const { execution, lines } = await runScripts(app, task(type, given));
      assertEquals([type, execution.state.current], [type, "FAILED"]);
      assertMatch(lines.at(-1) ?? "", line);
    }
  });
});

Deno.test("the cases of these tests cover every CLI type", () => {
  const elsewhere = /^(?:ansible|dbt|redis)\.cli\./;
  const covered = new Set(CASES.map(({ type }) => type));
  const types = CLI_TASKS.map(({ type }) => type).filter((type) => !elsewhere.test(type));
  assertEquals([...covered].sort(), types.sort());
});
