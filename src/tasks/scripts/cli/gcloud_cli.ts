/** `gcp.cli.GCloudCLI`. https://cloud.google.com/sdk/docs/properties */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicText } from "../../../model/flows/schema.ts";
import { textOf } from "../../property_values.ts";
import type { ScriptAdditions } from "../script_hooks.ts";
import { cliTask, givenVariables } from "./cli_type.ts";

const KEY_FILE = "gcp-key.json";

/** The key of the service account is in a file while the commands run. */
export const gcloudCliTask = cliTask({
  type: "gcp.cli.GCloudCLI",
  title: "Run the Google Cloud CLI",
  description:
    "Runs commands with `gcloud`, `gsutil` and `bq`, which get the service account and the project of the task.",
  image: "google/cloud-sdk",
  properties: {
    serviceAccount: dynamicText("Key of the service account as JSON text; keep it as a secret."),
    projectId: dynamicText("Id of the project."),
  },
  examples: [{
    title: "List the objects of a bucket",
    yaml: `id: list
type: io.kestra.plugin.gcp.cli.GCloudCLI
projectId: my-project
serviceAccount: "{{ secret('GCP_SERVICE_ACCOUNT') }}"
commands:
  - gcloud storage ls gs://my-bucket`,
  }],
  hooks: { additions },
});

function additions(properties: JsonObject, folder: string): ScriptAdditions {
  const key = textOf(properties, "serviceAccount");
  const project = givenVariables({ CLOUDSDK_CORE_PROJECT: textOf(properties, "projectId") });
  if (!key) return { env: project };
  const path = `${folder}/${KEY_FILE}`;
  return {
    env: {
      ...project,
      GOOGLE_APPLICATION_CREDENTIALS: path,
      CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE: path,
      // Otherwise the program keeps tokens of this account beside those of other tasks.
      CLOUDSDK_CONFIG: `${folder}/gcloud`,
    },
    files: { [KEY_FILE]: key },
  };
}
