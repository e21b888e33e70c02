/** `aws.athena.Query`. https://docs.aws.amazon.com/athena/latest/APIReference/ */
import {
  Double,
  exactDecimal,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOrText,
  objectsOf,
  setOwnProperty,
} from "../../base/json.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { defineMachineTask } from "../../model/tasks/machine_task.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { cancelledOnStop, pause } from "../http_calls.ts";
import { checkColumns, checkRow } from "../result_columns.ts";
import { type AwsCall, AwsClient, CONNECTION } from "./client.ts";

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
const PAGE_ROWS = 1_000;
/** DESCRIBE gives one cell for all of its three columns. */
const MAX_MISSING_CELLS = 8;

/** Outputs: `queryExecutionId`, `outputLocation`, and what `fetchType` asks for. */
export const athenaQuery = defineMachineTask({
  type: "aws.athena.Query",
  title: "Run a query of Athena",
  description: "Runs SQL in Athena and waits for its end.",
  properties: {
    ...CONNECTION,
    query: dynamicText("The SQL.", { required: true }),
    database: dynamicText("Database of tables that are named without one.", { required: true }),
    outputLocation: dynamicText("Folder of S3 for the result, such as `s3://bucket/folder/`.", {
      required: true,
    }),
    catalog: dynamicText("Catalog of the database."),
    fetchType: { ...FETCH_TYPE, default: "STORE" },
    skipHeader: dynamicFlag(true, "Whether the first row, the names of the columns, is left out."),
  },
  outputs: {
    queryExecutionId: { type: "string", description: "Id of the query." },
    outputLocation: { type: "string", description: "Where the result is in S3." },
    ...ROWS_OUTPUTS,
  },
  metrics: {
    "data.scanned.bytes": { type: "counter", description: "Bytes that the query has read." },
    "total.execution.duration": { type: "timer", description: "Time of the query." },
  },
  async run(context) {
    const client = new AwsClient(context);
    const query = queryOf(context);
    let id = "";
    const execution = await cancelledOnStop(context, async () => {
      id = await start(client, query);
      return await finished(context, client, id);
    }, async (sender) => {
      const late = client.by(sender);
      // The response to a start that was interrupted had the id.
      await stop(late, id === "" ? await start(late, query) : id);
    });
    const { Statistics: statistics, ResultConfiguration: result } = execution;
    if (isJsonObject(statistics)) {
      context.metric("data.scanned.bytes", Number(statistics.DataScannedInBytes ?? 0));
      const totalMs = Number(statistics.TotalExecutionTimeInMillis ?? 0);
      context.metric("total.execution.duration", totalMs, { type: "timer" });
    }
    const rows = rowsOf(context, client, id);
    return {
      queryExecutionId: id,
      outputLocation: isJsonObject(result) ? result.OutputLocation ?? null : null,
      ...await fetchedRows(context, rows, String(context.properties.fetchType)),
    };
  },
});

/** The token makes that repeated requests start the query once. */
function queryOf({ properties, attempt }: TaskContext): JsonObject {
  const { query = null, database = null, outputLocation = null, catalog } = properties;
  const token = crypto.getRandomValues(new Uint8Array(16)).toHex();
  return {
    QueryString: query,
    ClientRequestToken: `${attempt.taskRunId}-${attempt.attemptNumber}-${token}`,
    QueryExecutionContext: { Database: database, ...catalog === undefined ? {} : { Catalog: catalog } },
    ResultConfiguration: { OutputLocation: outputLocation },
  };
}

/** A request of Athena: all of them may be repeated. */
function request(action: string, operation: string): AwsCall {
  return {
    service: "athena",
    target: `AmazonAthena.${action}`,
    version: "1.1",
    operation,
    isRepeatable: true,
  };
}

async function start(client: AwsClient, query: JsonObject): Promise<string> {
  const { QueryExecutionId } = await client.call(request("StartQueryExecution", "start the query"), query);
  return String(QueryExecutionId);
}

async function stop(client: AwsClient, id: string): Promise<void> {
  await client.call(request("StopQueryExecution", `stop the query "${id}"`), { QueryExecutionId: id });
}

/** @throws Error the query fails; the message has the words of Athena */
async function finished({ signal }: TaskContext, client: AwsClient, id: string): Promise<JsonObject> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const { QueryExecution } = await client.call(request("GetQueryExecution", `read the query "${id}"`), {
      QueryExecutionId: id,
    });
    const execution = isJsonObject(QueryExecution) ? QueryExecution : {};
    const status = isJsonObject(execution.Status) ? execution.Status : {};
    if (status.State === "SUCCEEDED") return execution;
    if (status.State === "FAILED" || status.State === "CANCELLED") {
      const words = optionalText(status.StateChangeReason);
      throw new Error(`The query "${id}" ended as ${status.State}${words === undefined ? "" : `: ${words}`}`);
    }
    await pause(pauseMs, signal);
  }
}

async function* rowsOf(
  { properties }: TaskContext,
  client: AwsClient,
  id: string,
): AsyncGenerator<JsonObject> {
  let token: JsonValue | undefined;
  let isHeader = properties.skipHeader === true;
  do {
    const page = await client.call(request("GetQueryResults", `read the rows of the query "${id}"`), {
      QueryExecutionId: id,
      MaxResults: PAGE_ROWS,
      ...token === undefined ? {} : { NextToken: token },
    });
    const set = isJsonObject(page.ResultSet) ? page.ResultSet : {};
    const columns = isJsonObject(set.ResultSetMetadata) ? objectsOf(set.ResultSetMetadata.ColumnInfo) : [];
    checkColumns(columns.map(({ Name: name }) => ({ name: String(name) })));
    for (const row of objectsOf(set.Rows)) {
      if (!isHeader) yield rowOf(columns, objectsOf(row.Data));
      isHeader = false;
    }
    token = page.NextToken;
  } while (token !== undefined && token !== null);
}

function rowOf(columns: readonly JsonObject[], cells: readonly JsonObject[]): JsonObject {
  if (columns.length > MAX_MISSING_CELLS) checkRow(columns, cells);
  const row: JsonObject = {};
  for (const [index, { Name: name, Type: type }] of columns.entries()) {
    setOwnProperty(row, String(name), valueOf(cells[index]?.VarCharValue, String(type)));
  }
  return row;
}

/** Every value arrives as a text, or is missing for null. */
function valueOf(value: JsonValue | undefined, type: string): JsonValue {
  if (value === undefined || value === null) return null;
  const text = String(value);
  if (/^(?:tinyint|smallint|int|integer|bigint)$/.test(type) && /^-?\d+$/.test(text)) {
    return numberOrText(text);
  }
  if (type === "decimal") return exactDecimal(text);
  if (/^(?:float|real|double)$/.test(type) && Number.isFinite(Number(text))) {
    return new Double(Number(text));
  }
  return type === "boolean" && /^(?:true|false)$/.test(text) ? text === "true" : text;
}
