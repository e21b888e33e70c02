/** `gcp.gcs.Downloads` and `gcp.gcs.Trigger`. */
import { dynamicProperty } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../../model/triggers/trigger_definition.ts";
import { pollFiles, takeFiles } from "../../arrived_files.ts";
import { FOUND_FILES, FOUND_FILES_OUTPUTS, foundObjects } from "./found_files.ts";

/** Outputs: `blobs` and `outputFiles`. */
export const gcsDownloads = defineTask({
  type: "gcp.gcs.Downloads",
  title: "Download files from Google Cloud Storage",
  description: "Downloads the objects of a folder of Google Cloud Storage, and moves or deletes them.",
  properties: {
    ...FOUND_FILES,
    validateChecksum: dynamicProperty("boolean", "Has no effect.", { ignored: true }),
  },
  outputs: FOUND_FILES_OUTPUTS,
  async run(context) {
    return await takeFiles(context, foundObjects(context));
  },
});

/** Starts an execution when there are files, then moves or deletes them. */
export const gcsTrigger = defineTrigger({
  type: "gcp.gcs.Trigger",
  title: "Start when files arrive in Google Cloud Storage",
  description:
    "Looks for objects in a folder of Google Cloud Storage. It downloads what it finds and starts one execution for all of it, then moves or deletes it.",
  properties: FOUND_FILES,
  outputs: FOUND_FILES_OUTPUTS,
  examples: [{
    title: "Process each file that arrives",
    yaml: `id: arrivals
namespace: company.team
triggers:
  - id: watch
    type: io.svc.plugin.gcp.gcs.Trigger
    interval: PT5M
    serviceAccount: "{{ secret('GCP_KEY') }}"
    from: gs://my-bucket/incoming/
    action: MOVE
    moveDirectory: gs://my-bucket/done/
tasks:
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: "{{ trigger.blobs | jq('.[].uri') }}"
    tasks:
      - id: log
        type: io.svc.plugin.core.log.Log
        message: "{{ taskrun.value }}"`,
  }],
  poll: async (context) => await pollFiles(context, foundObjects(context)),
});
