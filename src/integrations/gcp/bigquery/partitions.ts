/** `gcp.bigquery.DeletePartitions` and `gcp.bigquery.CopyPartitions`. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../../model/tasks/machine_task.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { JOB, JOB_OUTPUT, jobIdOf, jobOf, runJob, tableAddressOf, TARGET } from "./jobs.ts";
import { queryRows } from "./rows.ts";

/** Digits of the ids of partitions by time. */
const DIGITS: ReadonlyMap<string, number> = new Map([["YEAR", 4], ["MONTH", 6], ["DAY", 8], ["HOUR", 10]]);
/** Sources of one copy job. https://cloud.google.com/bigquery/quotas#copy_jobs */
const MAX_SOURCES = 1_200;

const PARTITIONS: PropertySchemas = Object.freeze({
  ...CONNECTION,
  location: dynamicText("Location of the jobs, such as `EU`; needed outside of the US and the EU."),
  dataset: dynamicText("Name of the dataset.", { required: true }),
  table: dynamicText("Name of the table.", { required: true }),
  partitionType: dynamicProperty("string", "What the table is partitioned by; `RANGE` is by numbers.", {
    required: true,
    values: ["HOUR", "DAY", "MONTH", "YEAR", "RANGE"],
  }),
  from: dynamicText("First partition: an ISO 8601 date, with a time for hours, or the number of a range.", {
    required: true,
  }),
  to: dynamicText("Last partition, in the form of `from`; it belongs to them.", { required: true }),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  projectId: { type: "string", description: "Project of the table." },
  datasetId: { type: "string", description: "Its dataset." },
  table: { type: "string", description: "Its name." },
  partitions: { type: "list", description: "Ids of the partitions, such as `20240131`." },
});

/** The id of the partition that a bound is in. @throws Error it has another form */
export function partitionId(bound: JsonValue | undefined, type: string): string {
  const text = String(bound).trim();
  const length = DIGITS.get(type);
  if (length === undefined) {
    if (/^-?\d{1,18}$/.test(text)) return text;
    throw new Error(`Invalid partition "${text}": it must be a whole number`);
  }
  const time = /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?)?Z?)?)?)?$/;
  if (!time.test(text)) throw new Error(`Invalid partition "${text}": it must be a date, such as 2024-01-31`);
  const digits = text.replace(/\D/g, "").slice(0, length);
  // A date without time is its first hour.
  const id = length === 10 && digits.length === 8 ? `${digits}00` : digits;
  if (id.length === length) return id;
  throw new Error(`Invalid partition "${text}": it is too short for the partition type ${type}`);
}

/** Ids of the partitions that exist within the bounds, in their order. */
async function partitionsOf(context: MachineTaskContext, client: GcpClient): Promise<string[]> {
  const { dataset, table, partitionType, from, to, location } = context.properties;
  const type = String(partitionType);
  const first = BigInt(partitionId(from, type)), last = BigInt(partitionId(to, type));
  for (const part of [dataset, table]) {
    if (/[\]'"`]/.test(String(part))) {
      throw new Error(`Invalid name "${part}": it must not contain brackets or quotes`);
    }
  }
  const name = `${context.attempt.flowId}_${context.attempt.taskId}`;
  const properties: JsonObject = location === undefined ? {} : { location };
  // The summary of a table is read in the older dialect only.
  const query = `SELECT partition_id FROM [${client.projectId}:${dataset}.${table}$__PARTITIONS_SUMMARY__]`;
  const job = await runJob(
    context,
    client,
    jobOf({ properties, name }, client, { query: { query, useLegacySql: true } }),
  );
  const found: bigint[] = [];
  const reference = job.jobReference as JsonObject;
  const rows = queryRows(client, {
    projectId: String(reference.projectId),
    jobId: jobIdOf(job),
    ...reference.location === undefined ? {} : { location: String(reference.location) },
  });
  // Partitions of other kinds, such as __NULL__, are in no interval.
  for await (const { partition_id: id } of rows) {
    if (/^-?\d{1,18}$/.test(String(id))) found.push(BigInt(String(id)));
  }
  return found.filter((id) => first <= id && id <= last).sort((a, b) => a < b ? -1 : 1).map(String);
}

function outputsOf({ properties }: MachineTaskContext, client: GcpClient, partitions: string[]): JsonObject {
  const { dataset = null, table = null } = properties;
  return { projectId: client.projectId, datasetId: dataset, table, partitions };
}

/** Outputs: `projectId`, `datasetId`, `table` and `partitions`. */
export const bigqueryDeletePartitions = defineMachineTask({
  type: "gcp.bigquery.DeletePartitions",
  title: "Delete partitions of BigQuery",
  description: "Deletes the partitions of a table within an interval, one after the other.",
  properties: PARTITIONS,
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const { dataset, table } = context.properties;
    const partitions = await partitionsOf(context, client);
    for (const partition of partitions) {
      const tables = `/bigquery/v2/projects/${encodeURIComponent(client.projectId)}/datasets/${
        encodeURIComponent(String(dataset))
      }/tables`;
      await client.send({
        api: "bigquery",
        path: `${tables}/${encodeURIComponent(`${table}$${partition}`)}`,
        method: "DELETE",
        // A repeated request finds it deleted.
        accepted: [404],
        operation: `delete the partition "${partition}" of the table "${table}"`,
      });
    }
    return outputsOf(context, client, partitions);
  },
});

/** Outputs as those of deleted partitions, and `jobId`. */
export const bigqueryCopyPartitions = defineMachineTask({
  type: "gcp.bigquery.CopyPartitions",
  title: "Copy partitions of BigQuery",
  description: "Copies the partitions of a table within an interval to another table.",
  properties: {
    ...PARTITIONS,
    ...JOB,
    ...TARGET,
    destinationTable: dynamicText("Table that is written: `project.dataset.table`.", { required: true }),
    skipEmpty: dynamicFlag(false, "Whether the task succeeds without a copy if there is no such partition."),
  },
  outputs: { ...OUTPUTS, ...JOB_OUTPUT },
  async run(context) {
    const client = new GcpClient(context);
    const { properties, attempt } = context;
    const { dataset, table, destinationTable, createDisposition, writeDisposition } = properties;
    const partitions = await partitionsOf(context, client);
    if (partitions.length > MAX_SOURCES) {
      throw new Error(`Cannot copy ${partitions.length} partitions: one job copies at most ${MAX_SOURCES}`);
    }
    const outputs = outputsOf(context, client, partitions);
    if (partitions.length === 0) {
      if (properties.skipEmpty === true) return outputs;
      throw new Error(`Cannot copy partitions: the table "${dataset}.${table}" has none in the interval`);
    }
    const copy = {
      sourceTables: partitions.map((id) => ({
        projectId: client.projectId,
        datasetId: dataset,
        tableId: `${table}$${id}`,
      })),
      destinationTable: tableAddressOf(destinationTable, () => client.projectId),
      createDisposition,
      writeDisposition,
    };
    const name = `${attempt.flowId}_${attempt.taskId}`;
    const job = await runJob(context, client, jobOf({ properties, name }, client, { copy }));
    return { ...outputs, jobId: jobIdOf(job) };
  },
});
