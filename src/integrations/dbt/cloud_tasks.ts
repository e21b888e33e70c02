/** `dbt.cloud.TriggerRun` and `dbt.cloud.CheckStatus`. */
import type { JsonObject } from "../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { cancelledOnStop } from "../http_calls.ts";
import { CONNECTION, DbtCloud } from "./cloud_api.ts";
import { endedRun, RUN_OUTPUTS, runIdOf, WAIT } from "./cloud_run.ts";
import { NODE_METRICS } from "./run_results.ts";

/** Names in the body of the request by those of properties. */
const OVERRIDES: Readonly<Record<string, { readonly name: string; readonly schema: PropertySchema }>> = {
  cause: {
    name: "cause",
    schema: dynamicText("Why the job runs, for its history.", { default: "Triggered by a flow" }),
  },
  gitSha: { name: "git_sha", schema: dynamicText("Commit that is used.") },
  gitBranch: { name: "git_branch", schema: dynamicText("Branch that is used.") },
  schemaOverride: { name: "schema_override", schema: dynamicText("Schema in place of that of the job.") },
  dbtVersionOverride: {
    name: "dbt_version_override",
    schema: dynamicText("Version of dbt in place of that of the job."),
  },
  threadsOverride: {
    name: "threads_override",
    schema: dynamicProperty("integer", "Number of threads in place of that of the job.", { minimum: 1 }),
  },
  targetNameOverride: {
    name: "target_name_override",
    schema: dynamicText("Value of `target.name` in place of that of the job."),
  },
  generateDocsOverride: {
    name: "generate_docs_override",
    schema: dynamicProperty("boolean", "Whether documentation is generated, in place of what the job says."),
  },
  timeoutSecondsOverride: {
    name: "timeout_seconds_override",
    schema: dynamicProperty("integer", "Longest time of the run in seconds, in place of that of the job.", {
      minimum: 0,
    }),
  },
  stepsOverride: {
    name: "steps_override",
    schema: dynamicProperty("list", "Commands in place of those of the job.", {
      items: { type: "string", description: "A command." },
    }),
  },
};

const OVERRIDE_SCHEMAS: PropertySchemas = Object.fromEntries(
  Object.entries(OVERRIDES).map(([property, { schema }]) => [property, schema]),
);

/** Outputs: `runId`, and those of an ended run if the task waits. */
export const dbtCloudTriggerRun = defineMachineTask({
  type: "dbt.cloud.TriggerRun",
  title: "Run a job of dbt Cloud",
  description:
    "Starts a job of dbt Cloud, waits for the end of its run, and stores its files. A failed run fails the task; a stop of the task cancels the run.",
  properties: {
    ...CONNECTION,
    jobId: dynamicText("Id of the job.", { required: true }),
    ...OVERRIDE_SCHEMAS,
    wait: dynamicFlag(true, "Whether the task waits for the end of the run."),
    ...WAIT,
  },
  outputs: { runId: { type: "integer", description: "Id of the run." }, ...RUN_OUTPUTS },
  metrics: NODE_METRICS,
  examples: [{
    title: "Run a job and wait for its end",
    yaml: `id: job
type: io.kestra.plugin.dbt.cloud.TriggerRun
accountId: "12345"
token: "{{ secret('DBT_CLOUD_TOKEN') }}"
jobId: "67890"
gitBranch: main`,
  }],
  async run(context) {
    const { jobId, wait } = context.properties;
    const cloud = new DbtCloud(context);
    const runId = runIdOf(
      await cloud.read({
        path: `/jobs/${encodeURIComponent(String(jobId))}/run/`,
        method: "POST",
        json: bodyOf(context.properties),
        operation: `start the job "${jobId}"`,
      }),
    );
    context.log("INFO", `The job "${jobId}" runs as "${runId}"`);
    return { runId: Number(runId), ...wait === true ? await ownRun(context, cloud, runId) : {} };
  },
});

/** The outputs of a run that this task has started; a stop of the task cancels it. */
function ownRun(context: MachineTaskContext, cloud: DbtCloud, runId: string): Promise<JsonObject> {
  return cancelledOnStop(
    context,
    () => endedRun(context, cloud, runId),
    (sender) =>
      new DbtCloud({ properties: context.properties, ...sender }).send({
        path: `/runs/${encodeURIComponent(runId)}/cancel/`,
        method: "POST",
        operation: `cancel the run "${runId}"`,
      }),
  );
}

/** Outputs: those of an ended run. */
export const dbtCloudCheckStatus = defineTask({
  type: "dbt.cloud.CheckStatus",
  title: "Wait for a run of dbt Cloud",
  description: "Waits for the end of a run of dbt Cloud, and stores its files. A failed run fails the task.",
  properties: { ...CONNECTION, runId: dynamicText("Id of the run.", { required: true }), ...WAIT },
  outputs: RUN_OUTPUTS,
  metrics: NODE_METRICS,
  examples: [{
    title: "Wait for a run that another task has started",
    yaml: `id: wait
type: io.kestra.plugin.dbt.cloud.CheckStatus
accountId: "12345"
token: "{{ secret('DBT_CLOUD_TOKEN') }}"
runId: "{{ outputs.start.runId }}"`,
  }],
  run: (context) => endedRun(context, new DbtCloud(context), String(context.properties.runId)),
});

function bodyOf(properties: JsonObject): JsonObject {
  const body: JsonObject = {};
  for (const [property, { name }] of Object.entries(OVERRIDES)) {
    const value = properties[property];
    if (value !== undefined && value !== null) body[name] = value;
  }
  return body;
}
