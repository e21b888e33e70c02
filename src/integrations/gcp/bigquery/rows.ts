/** Rows of query results. https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/getQueryResults */
import { toIso } from "../../../base/time/clock.ts";
import {
  Double,
  exactDecimal,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOrText,
  objectsOf,
  setOwnProperty,
  tryParseJson,
} from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { checkColumns, checkRow } from "../../result_columns.ts";
import type { GcpClient } from "../client.ts";
import type { JobReference } from "./jobs.ts";

/** Rows of a page. */
const PAGE_ROWS = 10_000;
/** Longest wait of the server for the end of a job. */
const WAIT_MS = 10_000;

/** The rows of a job that has ended, page by page. */
export async function* queryRows(
  client: GcpClient,
  { projectId, jobId, location }: JobReference,
  maxRows = PAGE_ROWS,
): AsyncGenerator<JsonObject> {
  let pageToken: string | undefined;
  do {
    const page = await client.json({
      api: "bigquery",
      path: `/bigquery/v2/projects/${encodeURIComponent(projectId)}/queries/${encodeURIComponent(jobId)}`,
      query: {
        location,
        pageToken,
        maxResults: Math.min(maxRows, PAGE_ROWS),
        timeoutMs: WAIT_MS,
        "formatOptions.useInt64Timestamp": true,
      },
      operation: `read the rows of the job "${jobId}"`,
    });
    const fields = isJsonObject(page.schema) ? objectsOf(page.schema.fields) : [];
    checkFields(fields);
    for (const row of objectsOf(page.rows)) yield rowOf(fields, row);
    pageToken = optionalText(page.pageToken);
  } while (pageToken !== undefined);
}

/** Refuses fields, with those of their records, that are too many or have long names. @throws MalformedMessage */
function checkFields(fields: readonly JsonObject[]): void {
  const all = [...fields];
  for (const { fields: inner } of all) {
    for (const field of objectsOf(inner)) all.push(field);
  }
  checkColumns(all.map(({ name }) => ({ name: String(name) })));
}

/** A row has `f`, a list of cells, each with `v`. */
function rowOf(fields: readonly JsonObject[], row: JsonObject): JsonObject {
  const cells = objectsOf(row.f);
  checkRow(fields, cells);
  const values: JsonObject = {};
  for (const [index, field] of fields.entries()) {
    setOwnProperty(values, String(field.name), valueOf(field, cells[index]?.v));
  }
  return values;
}

function valueOf(field: JsonObject, cell: JsonValue | undefined): JsonValue {
  if (cell === undefined || cell === null) return null;
  if (field.mode === "REPEATED") return objectsOf(cell).map(({ v }) => scalarOf(field, v));
  return scalarOf(field, cell);
}

/** Every scalar arrives as a text. */
function scalarOf(field: JsonObject, value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  if (isJsonObject(value)) return rowOf(objectsOf(field.fields), value);
  const text = String(value);
  switch (field.type) {
    case "INTEGER":
    case "INT64":
      return numberOrText(text);
    case "FLOAT":
    case "FLOAT64":
      // NaN and infinities are no JSON; a text keeps them.
      return Number.isFinite(Number(text)) ? new Double(Number(text)) : text;
    case "NUMERIC":
    case "BIGNUMERIC":
      return exactDecimal(text);
    case "BOOLEAN":
    case "BOOL":
      return text === "true";
    case "TIMESTAMP":
      return timestampText(text);
    case "JSON":
      return tryParseJson(text) ?? text;
    default:
      return text;
  }
}

/** Microseconds since the Unix epoch, to the year 9999. */
const MICROS = /^-?\d{1,18}$/;

/** Microseconds since the Unix epoch → ISO 8601 with as many digits as needed; another text as it is. */
function timestampText(text: string): string {
  if (!MICROS.test(text)) return text;
  const micros = BigInt(text); // A double is not exact after the year 2255.
  const rest = (micros % 1000n + 1000n) % 1000n;
  const iso = toIso(Number((micros - rest) / 1000n));
  return rest === 0n ? iso : `${iso.slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}
