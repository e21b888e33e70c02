/** `gcp.bigquery.ExtractToGcs` and `gcp.bigquery.Copy`. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../../model/tasks/machine_task.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { JOB, JOB_OUTPUT, jobIdOf, jobOf, runJob, tableAddressOf, TARGET } from "./jobs.ts";

async function run(
  context: MachineTaskContext,
  configuration: (client: GcpClient) => Record<string, unknown>,
): Promise<JsonObject> {
  const { properties, attempt } = context;
  const client = new GcpClient(context);
  const name = `${attempt.flowId}_${attempt.taskId}`;
  return await runJob(context, client, jobOf({ properties, name }, client, configuration(client)));
}

/** Outputs: `jobId`, `sourceTable`, `destinationUris` and `fileCounts`. */
export const bigqueryExtractToGcs = defineMachineTask({
  type: "gcp.bigquery.ExtractToGcs",
  title: "Write a table of BigQuery to Google Cloud Storage",
  description: "Writes the rows of a table to objects of Google Cloud Storage.",
  properties: {
    ...CONNECTION,
    ...JOB,
    sourceTable: dynamicText("Table to read: `project.dataset.table`.", { required: true }),
    destinationUris: dynamicProperty("list", "Addresses of the objects, such as `gs://bucket/part-*.csv`.", {
      required: true,
      orText: true,
      items: { type: "string", description: "Address of objects." },
    }),
    format: dynamicProperty(
      "string",
      "Format of the objects: `CSV`, `NEWLINE_DELIMITED_JSON`, `AVRO` or `PARQUET`.",
    ),
    compression: dynamicProperty("string", "Compression, such as `GZIP` or `SNAPPY`."),
    fieldDelimiter: dynamicText("Of CSV: character between fields."),
    printHeader: dynamicFlag(true, "Of CSV: whether the first row has the names of the columns."),
    useAvroLogicalTypes: dynamicProperty("boolean", "Of Avro: whether logical types are written."),
  },
  outputs: {
    ...JOB_OUTPUT,
    sourceTable: { type: "string", description: "The table that was read." },
    destinationUris: { type: "list", description: "Addresses of the objects." },
    fileCounts: { type: "list", description: "Number of objects for each address." },
  },
  async run(context) {
    const {
      sourceTable,
      destinationUris,
      format,
      compression,
      fieldDelimiter,
      printHeader,
      useAvroLogicalTypes,
    } = context.properties;
    const job = await run(context, (client) => ({
      extract: {
        sourceTable: tableAddressOf(sourceTable, () => client.projectId),
        destinationUris,
        destinationFormat: format === "JSON" ? "NEWLINE_DELIMITED_JSON" : format,
        compression,
        fieldDelimiter,
        printHeader,
        useAvroLogicalTypes,
      },
    }));
    const extract = isJsonObject(job.statistics) ? job.statistics.extract : undefined;
    const counts = isJsonObject(extract) ? extract.destinationUriFileCounts : undefined;
    return {
      jobId: jobIdOf(job),
      sourceTable: sourceTable ?? null,
      destinationUris: destinationUris ?? [],
      fileCounts: Array.isArray(counts) ? counts.map(Number) : [],
    };
  },
});

/** Output: `jobId`. */
export const bigqueryCopy = defineMachineTask({
  type: "gcp.bigquery.Copy",
  title: "Copy tables of BigQuery",
  description: "Copies tables to one table.",
  properties: {
    ...CONNECTION,
    ...JOB,
    ...TARGET,
    sourceTables: dynamicProperty("list", "Tables to copy: `project.dataset.table`.", {
      required: true,
      items: { type: "string", description: "A table." },
    }),
    destinationTable: dynamicText("Table that is written: `project.dataset.table`.", { required: true }),
    operationType: dynamicProperty("string", "Kind of the copy.", {
      values: ["COPY", "SNAPSHOT", "RESTORE", "CLONE"],
    }),
  },
  outputs: JOB_OUTPUT,
  async run(context) {
    const { sourceTables, destinationTable, operationType, createDisposition, writeDisposition } =
      context.properties;
    const job = await run(context, (client) => ({
      copy: {
        sourceTables: (Array.isArray(sourceTables) ? sourceTables : []).map((table) =>
          tableAddressOf(table, () => client.projectId)
        ),
        destinationTable: tableAddressOf(destinationTable, () => client.projectId),
        operationType,
        createDisposition,
        writeDisposition,
      },
    }));
    return { jobId: jobIdOf(job) };
  },
});
