/** `gcp.bigquery.Load` and `gcp.bigquery.LoadFromGcs`. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import type { TaskContext } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { uploadFile } from "../resumable_upload.ts";
import {
  JOB,
  JOB_OUTPUT,
  jobIdOf,
  jobOf,
  type JobReference,
  PARTITIONED_TARGET,
  runJob,
  TABLE_OUTPUT,
  tableAddressOf,
  tableOutput,
  targetOf,
  uploadedJob,
} from "./jobs.ts";

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["CSV", "CSV"],
  ["JSON", "NEWLINE_DELIMITED_JSON"],
  ["AVRO", "AVRO"],
  ["PARQUET", "PARQUET"],
  ["ORC", "ORC"],
]);

const PROPERTIES: PropertySchemas = Object.freeze({
  ...CONNECTION,
  ...JOB,
  ...PARTITIONED_TARGET,
  destinationTable: dynamicText("Table to load: `project.dataset.table`.", { required: true }),
  format: dynamicProperty("string", "Format of the data; JSON has a value on each line.", {
    values: [...FORMATS.keys()],
  }),
  schema: dynamicProperty(
    "map",
    "Schema of the table as the REST API has it: `fields`, each with `name` and `type`.",
  ),
  autodetect: dynamicProperty(
    "boolean",
    "Whether schema and options of CSV and JSON are derived from the data.",
  ),
  ignoreUnknownValues: dynamicProperty("boolean", "Whether values without a column are left out."),
  maxBadRecords: dynamicProperty("integer", "Malformed rows up to which the job succeeds."),
  csvOptions: dynamicProperty("object", "Options of CSV.", {
    properties: {
      fieldDelimiter: dynamicText("Character between fields."),
      quote: dynamicText("Character around fields."),
      encoding: dynamicText("Character set, such as `UTF-8`."),
      skipLeadingRows: dynamicProperty("integer", "Number of rows to leave out at the beginning."),
      allowJaggedRows: dynamicProperty("boolean", "Whether columns at the end may be missing."),
      allowQuotedNewLines: dynamicProperty("boolean", "Whether fields may contain line breaks."),
    },
  }),
  avroOptions: dynamicProperty("object", "Options of Avro.", {
    properties: {
      useAvroLogicalTypes: dynamicProperty("boolean", "Whether logical types become types of BigQuery."),
    },
  }),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  ...JOB_OUTPUT,
  rows: { type: "integer", description: "Number of rows that were loaded." },
  ...TABLE_OUTPUT,
});

const METRICS = {
  "output.rows": { type: "counter", description: "Rows that were loaded." },
  "input.bytes": { type: "counter", description: "Bytes that were read." },
  "bad.records": { type: "counter", description: "Malformed rows." },
} as const;

function loadOf(properties: JsonObject, client: GcpClient): Record<string, unknown> {
  const csv = isJsonObject(properties.csvOptions) ? properties.csvOptions : {};
  const avro = isJsonObject(properties.avroOptions) ? properties.avroOptions : {};
  return {
    ...targetOf(properties),
    destinationTable: tableAddressOf(properties.destinationTable, () => client.projectId),
    sourceFormat: FORMATS.get(String(properties.format)),
    schema: properties.schema,
    autodetect: properties.autodetect,
    ignoreUnknownValues: properties.ignoreUnknownValues,
    maxBadRecords: properties.maxBadRecords,
    fieldDelimiter: csv.fieldDelimiter,
    quote: csv.quote,
    encoding: csv.encoding,
    skipLeadingRows: csv.skipLeadingRows,
    allowJaggedRows: csv.allowJaggedRows,
    allowQuotedNewlines: csv.allowQuotedNewLines,
    useAvroLogicalTypes: avro.useAvroLogicalTypes,
  };
}

function newJob(context: TaskContext, client: GcpClient, sourceUris?: readonly string[]): JsonObject {
  const { properties, attempt } = context;
  const name = `${attempt.flowId}_${attempt.taskId}`;
  return jobOf({ properties, name }, client, { load: { ...loadOf(properties, client), sourceUris } });
}

function outputsOf(context: TaskContext, job: JsonObject): JsonObject {
  const load = isJsonObject(job.statistics) ? job.statistics.load : undefined;
  const { outputRows = "0", inputFileBytes = "0", badRecords = "0" } = isJsonObject(load) ? load : {};
  context.metric("output.rows", Number(outputRows));
  context.metric("input.bytes", Number(inputFileBytes));
  context.metric("bad.records", Number(badRecords));
  const configuration = isJsonObject(job.configuration) ? job.configuration.load : undefined;
  const table = isJsonObject(configuration) ? configuration.destinationTable : undefined;
  return {
    jobId: jobIdOf(job),
    rows: Number(outputRows),
    ...isJsonObject(table) ? { destinationTable: tableOutput(table) } : {},
  };
}

/** Outputs: `jobId`, `rows` and `destinationTable`. */
export const bigqueryLoad = defineMachineTask({
  type: "gcp.bigquery.Load",
  title: "Load a file into BigQuery",
  description: "Uploads a file to a table of BigQuery and waits until it is loaded.",
  properties: {
    from: dynamicText("Storage URI of the file.", { required: true }),
    failedOnEmpty: dynamicFlag(true, "Whether an empty file is a failure."),
    ...PROPERTIES,
  },
  outputs: OUTPUTS,
  metrics: METRICS,
  examples: [{
    title: "Load a CSV file",
    yaml: `id: load
type: io.svc.plugin.gcp.bigquery.Load
serviceAccount: "{{ secret('GCP_KEY') }}"
from: "{{ outputs.extract.uri }}"
destinationTable: my-project.my_dataset.orders
format: CSV
csvOptions:
  skipLeadingRows: 1`,
  }],
  async run(context) {
    const { from, failedOnEmpty } = context.properties;
    const body = await context.bodyOf(String(from).trim());
    if (body.size === 0) {
      if (failedOnEmpty !== false) throw new Error("Cannot load the file: it is empty");
      return { rows: 0 };
    }
    const client = new GcpClient(context);
    const json = newJob(context, client);
    const reference = json.jobReference as unknown as JobReference;
    const upload = () =>
      uploadFile(client, {
        api: "bigquery",
        path: `/upload/bigquery/v2/projects/${encodeURIComponent(reference.projectId)}/jobs`,
        query: { uploadType: "resumable" },
        json,
        operation: `start the job "${reference.jobId}"`,
        isRepeatable: false,
      }, body);
    return outputsOf(context, await uploadedJob(context, client, { reference, upload }));
  },
});

/** Outputs: `jobId`, `rows` and `destinationTable`. */
export const bigqueryLoadFromGcs = defineMachineTask({
  type: "gcp.bigquery.LoadFromGcs",
  title: "Load files of Google Cloud Storage into BigQuery",
  description: "Loads objects of Google Cloud Storage into a table of BigQuery.",
  properties: {
    from: dynamicProperty("list", "Addresses of the objects, such as `gs://bucket/folder/*.csv`.", {
      required: true,
      orText: true,
      items: { type: "string", description: "Address of objects." },
    }),
    ...PROPERTIES,
  },
  outputs: OUTPUTS,
  metrics: METRICS,
  async run(context) {
    const { from } = context.properties;
    const client = new GcpClient(context);
    const job = await runJob(
      context,
      client,
      newJob(context, client, Array.isArray(from) ? from.map(String) : []),
    );
    return outputsOf(context, job);
  },
});
