/** Jobs of BigQuery. https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs */
import { systemClock } from "../../../base/time/clock.ts";
import { readDuration } from "../../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { cancelledOnStop, pause } from "../../http_calls.ts";
import { GcpClient } from "../client.ts";

/** Properties of all types that run a job. */
export const JOB: PropertySchemas = Object.freeze({
  location: dynamicText("Location of the job, such as `EU`; needed outside of the US and the EU."),
  labels: dynamicProperty("map", "Labels of the job."),
  jobTimeout: dynamicProperty("duration", "Time after which BigQuery stops the job."),
  dryRun: dynamicProperty("boolean", "Whether the job is only checked.", { default: false }),
  retryAuto: dynamicProperty("map", "Has no effect: use `retry` of the task.", { ignored: true }),
  retryReasons: dynamicProperty("list", "Has no effect: use `retry` of the task.", { ignored: true }),
  retryMessages: dynamicProperty("list", "Has no effect: use `retry` of the task.", { ignored: true }),
});

/** Properties of the types that write a table. */
export const TARGET: PropertySchemas = Object.freeze({
  createDisposition: dynamicProperty("string", "Whether the table is created if it does not exist.", {
    values: ["CREATE_IF_NEEDED", "CREATE_NEVER"],
  }),
  writeDisposition: dynamicProperty("string", "What happens to the rows of the table.", {
    values: ["WRITE_TRUNCATE", "WRITE_TRUNCATE_DATA", "WRITE_APPEND", "WRITE_EMPTY"],
  }),
});

/** Properties of the types that write a table with partitions. */
export const PARTITIONED_TARGET: PropertySchemas = Object.freeze({
  ...TARGET,
  clusteringFields: dynamicProperty("list", "Columns that the table is clustered by.", {
    items: { type: "string", description: "Name of a column." },
  }),
  schemaUpdateOptions: dynamicProperty("list", "How the schema of the table may change.", {
    items: { type: "string", description: "`ALLOW_FIELD_ADDITION` or `ALLOW_FIELD_RELAXATION`." },
  }),
  timePartitioningField: dynamicText("Column of the time by which the table is partitioned."),
  timePartitioningType: dynamicProperty("string", "Length of a partition of time.", {
    values: ["DAY", "HOUR", "MONTH", "YEAR"],
    default: "DAY",
  }),
});

/** The configuration for the properties of {@link PARTITIONED_TARGET}; members without a value are left out when it is sent. */
export function targetOf(properties: JsonObject): Record<string, unknown> {
  const { clusteringFields, timePartitioningField, timePartitioningType } = properties;
  return {
    createDisposition: properties.createDisposition,
    writeDisposition: properties.writeDisposition,
    schemaUpdateOptions: properties.schemaUpdateOptions,
    clustering: clusteringFields === undefined ? undefined : { fields: clusteringFields },
    timePartitioning: timePartitioningField === undefined
      ? undefined
      : { type: timePartitioningType, field: timePartitioningField },
  };
}

/** A table by its parts. */
interface TableAddress {
  readonly projectId: string;
  readonly datasetId: string;
  readonly tableId: string;
}

/** Reads `project.dataset.table` or `dataset.table`, with or without backquotes, also with a colon after the project. @throws Error another text */
export function tableAddressOf(text: JsonValue | undefined, projectId: () => string): TableAddress {
  const name = String(text).replaceAll("`", "").trim();
  const match = /^(?:(.+)[.:])?([^.:]+)\.([^.:]+)$/.exec(name);
  if (!match) throw new Error(`Invalid table "${name}": it must be project.dataset.table, or dataset.table`);
  const [, project, datasetId = "", tableId = ""] = match;
  return { projectId: project ?? projectId(), datasetId, tableId };
}

/** A table as outputs have it. */
export function tableOutput(
  { projectId, datasetId, tableId }: Readonly<Record<string, unknown>>,
): JsonObject {
  return { project: String(projectId), dataset: String(datasetId), table: String(tableId) };
}

/** Outputs of the types that write a table. */
export const TABLE_OUTPUT: PropertySchemas = Object.freeze({
  destinationTable: {
    type: "object",
    description: "The table that was written.",
    properties: {
      project: { type: "string", description: "Its project." },
      dataset: { type: "string", description: "Its dataset." },
      table: { type: "string", description: "Its name." },
    },
  },
});

/** Output: the id of the job. */
export const JOB_OUTPUT: PropertySchemas = Object.freeze({
  jobId: { type: "string", description: "Id of the job." },
});

/** A job by its parts. */
export interface JobReference {
  readonly projectId: string;
  readonly jobId: string;
  readonly location?: string;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** Beginning of the ids of jobs. */
const ID_PREFIX = "sluice";

/** The job as the API takes it. The id is made here, so that a repeated request starts it once. */
export function jobOf(
  { properties, name }: { readonly properties: JsonObject; readonly name: string },
  client: GcpClient,
  configuration: Record<string, unknown>,
): JsonObject {
  const { location, labels, jobTimeout, dryRun } = properties;
  const jobTimeoutMs = readDuration(jobTimeout);
  const unique = `${systemClock.now().toString(36)}${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
  return {
    jobReference: {
      projectId: client.projectId,
      jobId: `${ID_PREFIX}_${name.replace(/[^\w-]/g, "_")}_${unique}`,
      ...location === undefined ? {} : { location },
    },
    configuration: {
      ...configuration,
      ...labels === undefined ? {} : { labels },
      ...dryRun === true ? { dryRun } : {},
      ...jobTimeoutMs === undefined ? {} : { jobTimeoutMs: String(jobTimeoutMs) },
    } as JsonObject,
  };
}

/** Starts a job and waits for its end; a stop of the work cancels it. @throws Error the job fails; the message has the words of BigQuery */
export async function runJob(work: MachineWork, client: GcpClient, job: JsonObject): Promise<JsonObject> {
  const reference = job.jobReference as unknown as JobReference;
  const operation = `start the job "${reference.jobId}"`;
  return await cancelledAtStop(work, reference, async () => {
    const { status, text } = await client.send({
      api: "bigquery",
      path: jobsPath(reference),
      json: job,
      isRepeatable: true,
      accepted: [409],
      operation,
    });
    return await ended(work, client, status === 409 ? { jobReference: job.jobReference } : JSON.parse(text));
  });
}

/** Starts a job by an upload and waits for its end, as {@link runJob}. */
export async function uploadedJob(
  work: MachineWork,
  client: GcpClient,
  { reference, upload }: { readonly reference: JobReference; readonly upload: () => Promise<JsonObject> },
): Promise<JsonObject> {
  return await cancelledAtStop(work, reference, async () => await ended(work, client, await upload()));
}

async function cancelledAtStop<T>(
  work: MachineWork,
  reference: JobReference,
  run: () => Promise<T>,
): Promise<T> {
  const { properties } = work;
  return await cancelledOnStop(work, run, async (sender) => {
    await new GcpClient({ properties, ...sender }).send({
      api: "bigquery",
      path: `${jobPath(reference)}/cancel`,
      method: "POST",
      query: { location: reference.location },
      // The stop came before the job.
      accepted: [404],
      operation: `cancel the job "${reference.jobId}"`,
    });
  });
}

function jobsPath({ projectId }: JobReference): string {
  return `/bigquery/v2/projects/${encodeURIComponent(projectId)}/jobs`;
}

function jobPath(reference: JobReference): string {
  return `${jobsPath(reference)}/${encodeURIComponent(reference.jobId)}`;
}

async function ended(
  { signal, log }: Pick<MachineWork, "signal" | "log">,
  client: GcpClient,
  started: JsonObject,
): Promise<JsonObject> {
  let job = started;
  const reference = job.jobReference as unknown as JobReference;
  const { jobId, location } = reference;
  for (let pauseMs = FIRST_PAUSE_MS; stateOf(job) !== "DONE" && !isDryRun(job); pauseMs *= 2) {
    await pause(Math.min(pauseMs, MAX_PAUSE_MS), signal);
    job = await client.json({
      api: "bigquery",
      path: jobPath(reference),
      query: { location },
      operation: `read the job "${jobId}"`,
    });
  }
  const { errorResult, errors } = isJsonObject(job.status) ? job.status : {} as JsonObject;
  if (isJsonObject(errorResult)) {
    const words = [errorResult, ...objectsOf(errors)].map(({ message }) => optionalText(message) ?? "");
    throw new Error(
      `The job "${jobId}" failed: ${[...new Set(words)].filter((word) => word !== "").join("; ")}`,
    );
  }
  for (const { message } of objectsOf(errors)) log("WARN", `The job "${jobId}" reports: ${message}`);
  return job;
}

function stateOf({ status }: JsonObject): JsonValue | undefined {
  return isJsonObject(status) ? status.state : undefined;
}

function isDryRun({ configuration }: JsonObject): boolean {
  return isJsonObject(configuration) && configuration.dryRun === true;
}

/** The id of a job. */
export function jobIdOf({ jobReference }: JsonObject): string {
  return isJsonObject(jobReference) ? String(jobReference.jobId) : "";
}
