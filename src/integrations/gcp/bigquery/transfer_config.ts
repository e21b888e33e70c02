/** `gcp.bigquery.RunTransferConfig`. https://cloud.google.com/bigquery/docs/reference/datatransfer/rest/v1 */
import { systemClock } from "../../../base/time/clock.ts";
import { readDuration } from "../../../base/time/duration.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { pause } from "../../http_calls.ts";
import { CONNECTION, GcpClient } from "../client.ts";

const API = "bigquerydatatransfer";
const FORM = /^projects\/[^/]+\/(?:locations\/[^/]+\/)?transferConfigs\/[^/]+$/;
const RUNNING: ReadonlySet<unknown> = new Set([
  "PENDING",
  "RUNNING",
  "TRANSFER_STATE_UNSPECIFIED",
  undefined,
]);

function pathOf(name: string): string {
  return `/v1/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** Waits for the end of a run. @throws Error it fails or takes too long */
async function ended(context: TaskContext, client: GcpClient, started: JsonObject): Promise<JsonObject> {
  const { pollInterval, maxDuration } = context.properties;
  const deadline = systemClock.now() + (readDuration(maxDuration) ?? 0);
  const name = String(started.name);
  let run = started;
  while (RUNNING.has(run.state)) {
    if (systemClock.now() >= deadline) {
      throw new Error(`The transfer run "${name}" has not ended within ${maxDuration}`);
    }
    await pause(Math.max(readDuration(pollInterval) ?? 0, 1), context.signal);
    run = await client.json({ api: API, path: pathOf(name), operation: `read the transfer run "${name}"` });
  }
  if (run.state === "SUCCEEDED") return run;
  const words = isJsonObject(run.errorStatus) ? optionalText(run.errorStatus.message) : undefined;
  throw new Error(`The transfer run "${name}" ended in the state ${run.state}${words ? `: ${words}` : ""}`);
}

/** Outputs: `runs`. */
export const bigqueryRunTransferConfig = defineTask({
  type: "gcp.bigquery.RunTransferConfig",
  title: "Run a transfer of BigQuery",
  description:
    "Starts a configured transfer of the BigQuery Data Transfer Service now, and waits for its end.",
  properties: {
    ...CONNECTION,
    transferConfigName: dynamicText(
      "Name of the configuration: `projects/…/locations/…/transferConfigs/…`.",
      { required: true },
    ),
    wait: dynamicFlag(true, "Whether the task waits for the end of the transfer."),
    pollInterval: dynamicProperty("duration", "Time between two looks at the transfer.", {
      default: "PT10S",
    }),
    maxDuration: dynamicProperty("duration", "Time after which the task fails; the transfer continues.", {
      default: "PT1H",
    }),
  },
  outputs: { runs: { type: "list", description: "`name` and `state` of each run that was started." } },
  examples: [{
    title: "Run a transfer and wait for it",
    yaml: `id: transfer
type: io.svc.plugin.gcp.bigquery.RunTransferConfig
serviceAccount: "{{ secret('GCP_KEY') }}"
transferConfigName: projects/my-project/locations/eu/transferConfigs/0a1b2c`,
  }],
  async run(context) {
    const name = String(context.properties.transferConfigName);
    if (!FORM.test(name)) {
      throw new Error(
        `Invalid transferConfigName "${name}": it must be projects/…/locations/…/transferConfigs/…`,
      );
    }
    const client = new GcpClient(context);
    const body = await client.json({
      api: API,
      path: `${pathOf(name)}:startManualRuns`,
      json: { requestedRunTime: new Date(systemClock.now()).toISOString() },
      operation: `start the transfer "${name}"`,
    });
    const runs: JsonObject[] = [];
    for (const started of objectsOf(body.runs)) {
      runs.push(context.properties.wait === false ? started : await ended(context, client, started));
    }
    return { runs: runs.map(({ name: run = null, state = null }) => ({ name: run, state })) };
  },
});
