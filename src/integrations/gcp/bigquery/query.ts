/** `gcp.bigquery.Query` and `gcp.bigquery.Trigger`. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { defineMachineTrigger } from "../../../model/triggers/machine_trigger.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../../fetched_rows.ts";
import { CONNECTION, GcpClient } from "../client.ts";
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
} from "./jobs.ts";
import { queryRows } from "./rows.ts";

const SQL: PropertySchemas = Object.freeze({
  ...CONNECTION,
  ...JOB,
  sql: dynamicText("Query, in standard SQL or several statements of it.", { required: true }),
  legacySql: dynamicFlag(false, "Whether the query is in legacy SQL."),
  fetchType: FETCH_TYPE,
  fetch: dynamicFlag(false, "As `fetchType: FETCH`.", { deprecated: "use fetchType" }),
  fetchOne: dynamicFlag(false, "As `fetchType: FETCH_ONE`.", { deprecated: "use fetchType" }),
  store: dynamicFlag(false, "As `fetchType: STORE`.", { deprecated: "use fetchType" }),
});

const PROPERTIES: PropertySchemas = Object.freeze({
  ...SQL,
  ...PARTITIONED_TARGET,
  destinationTable: dynamicText("Table that the rows are written to: `project.dataset.table`."),
  defaultDataset: dynamicText("Dataset of tables that are named without one."),
  priority: dynamicProperty("string", "Priority of the job.", { values: ["INTERACTIVE", "BATCH"] }),
  useLegacySql: dynamicFlag(false, "As `legacySql`.", { deprecated: "use legacySql" }),
  useQueryCache: dynamicProperty("boolean", "Whether the result may come from the cache."),
  allowLargeResults: dynamicProperty("boolean", "Of legacy SQL: whether the result may be large."),
  flattenResults: dynamicProperty("boolean", "Of legacy SQL: whether nested columns are flattened."),
  maxResults: dynamicProperty("integer", "Rows of each page that is read.", { minimum: 1 }),
  maximumBytesBilled: dynamicProperty("integer", "The query fails if it would read more bytes."),
  maximumBillingTier: dynamicProperty("integer", "The query fails if it would need a higher tier."),
  rangePartitioningField: dynamicText("Column of the number by which the table is partitioned."),
  rangePartitioningStart: dynamicProperty("integer", "Smallest number of the partitions."),
  rangePartitioningEnd: dynamicProperty("integer", "First number beyond the partitions."),
  rangePartitioningInterval: dynamicProperty("integer", "Numbers of each partition."),
});

const OUTPUTS: PropertySchemas = Object.freeze({ ...JOB_OUTPUT, ...ROWS_OUTPUTS });

/** Outputs: `jobId`, `destinationTable`, and what `fetchType` asks for. */
export const bigqueryQuery = defineMachineTask({
  type: "gcp.bigquery.Query",
  title: "Run a query of BigQuery",
  description: "Runs SQL in BigQuery and waits for its end.",
  properties: PROPERTIES,
  outputs: { ...OUTPUTS, ...TABLE_OUTPUT },
  metrics: {
    "total.bytes.processed": { type: "counter", description: "Bytes that the query has read." },
    "total.bytes.billed": { type: "counter", description: "Bytes that are billed." },
    "fetch.size": { type: "counter", description: "Rows that were read." },
    "cache.hit": { type: "counter", description: "1 if the result came from the cache." },
  },
  examples: [{
    title: "Read the rows of a query",
    yaml: `id: query
type: io.svc.plugin.gcp.bigquery.Query
serviceAccount: "{{ secret('GCP_KEY') }}"
sql: SELECT name, COUNT(*) AS total FROM my_dataset.users GROUP BY name
fetchType: FETCH`,
  }],
  async run(context) {
    const { attempt } = context;
    const client = new GcpClient(context);
    const job = await runQuery(context, client, `${attempt.flowId}_${attempt.taskId}`);
    for (const [name, value] of metricsOf(job)) context.metric(name, value);
    const fetched = await fetchRows(context, client, job);
    if (fetched.size !== undefined) context.metric("fetch.size", Number(fetched.size));
    return { jobId: jobIdOf(job), ...tableOf(job), ...fetched };
  },
});

/** Starts an execution when the query has rows. */
export const bigqueryTrigger = defineMachineTrigger({
  type: "gcp.bigquery.Trigger",
  title: "Start when a query of BigQuery has rows",
  description: "Runs SQL in BigQuery, and starts an execution if there are rows.",
  properties: SQL,
  outputs: OUTPUTS,
  async poll(context) {
    const client = new GcpClient(context);
    const { flowId, triggerId } = context.trigger;
    const job = await runQuery(context, client, `${flowId}_${triggerId}`);
    const fetched = await fetchRows(context, client, job, "FETCH");
    return fetched.size === 0 ? undefined : { jobId: jobIdOf(job), ...fetched };
  },
});

async function runQuery(context: MachineWork, client: GcpClient, name: string): Promise<JsonObject> {
  const { properties } = context;
  return await runJob(
    context,
    client,
    jobOf({ properties, name }, client, { query: queryOf(properties, client) }),
  );
}

function queryOf(properties: JsonObject, client: GcpClient): Record<string, unknown> {
  const { destinationTable, defaultDataset, maximumBytesBilled, rangePartitioningField } = properties;
  const [datasetId, projectId = client.projectId] = String(defaultDataset).split(".").toReversed();
  return {
    ...targetOf(properties),
    query: properties.sql,
    useLegacySql: properties.legacySql === true || properties.useLegacySql === true,
    destinationTable: destinationTable === undefined
      ? undefined
      : tableAddressOf(destinationTable, () => client.projectId),
    defaultDataset: defaultDataset === undefined ? undefined : { projectId, datasetId },
    priority: properties.priority,
    useQueryCache: properties.useQueryCache,
    allowLargeResults: properties.allowLargeResults,
    flattenResults: properties.flattenResults,
    maximumBytesBilled: maximumBytesBilled === undefined ? undefined : String(maximumBytesBilled),
    maximumBillingTier: properties.maximumBillingTier,
    rangePartitioning: rangePartitioningField === undefined ? undefined : {
      field: rangePartitioningField,
      range: {
        start: String(properties.rangePartitioningStart),
        end: String(properties.rangePartitioningEnd),
        interval: String(properties.rangePartitioningInterval),
      },
    },
  };
}

function fetchTypeOf({ fetchType, fetch, fetchOne, store }: JsonObject): string | undefined {
  if (fetchType !== undefined) return String(fetchType);
  return fetchOne === true ? "FETCH_ONE" : store === true ? "STORE" : fetch === true ? "FETCH" : undefined;
}

async function fetchRows(
  context: WorkContext,
  client: GcpClient,
  job: JsonObject,
  fallback = "NONE",
): Promise<JsonObject> {
  const { properties } = context;
  const fetchType = fetchTypeOf(properties) ?? fallback;
  if (fetchType === "NONE" || properties.dryRun === true) return {};
  const pageRows = fetchType === "FETCH_ONE" ? 1 : Number(properties.maxResults ?? Infinity);
  const rows = queryRows(client, job.jobReference as unknown as JobReference, pageRows);
  return await fetchedRows(context, rows, fetchType);
}

function tableOf(job: JsonObject): JsonObject {
  const query = isJsonObject(job.configuration) ? job.configuration.query : undefined;
  const table = isJsonObject(query) ? query.destinationTable : undefined;
  return isJsonObject(table) ? { destinationTable: tableOutput(table) } : {};
}

function metricsOf(job: JsonObject): [name: string, value: number][] {
  const statistics = isJsonObject(job.statistics) ? job.statistics.query : undefined;
  if (!isJsonObject(statistics)) return [];
  const { totalBytesProcessed, totalBytesBilled, cacheHit } = statistics;
  const found: [string, string | undefined][] = [
    ["total.bytes.processed", optionalText(totalBytesProcessed)],
    ["total.bytes.billed", optionalText(totalBytesBilled)],
    ["cache.hit", cacheHit === undefined ? undefined : cacheHit === true ? "1" : "0"],
  ];
  return found.flatMap(([name, value]) => value === undefined ? [] : [[name, Number(value)]]);
}
