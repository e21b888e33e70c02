/** `googleworkspace.sheets.Load`, `CreateSpreadsheet` and `DeleteSpreadsheet`. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { csvRecords } from "../csv_records.ts";
import { GcpClient } from "../gcp/client.ts";
import { readRows } from "../row_files.ts";
import { driveRequest } from "./drive_files.ts";
import { SHEETS, sheetsRequest, SPREADSHEET_ID } from "./sheet_values.ts";

/** Most rows of a file: one request holds them. */
const MAX_ROWS = 100_000;
const FORMATS: readonly string[] = ["CSV", "ION", "JSON"];

/** Outputs: `range`, `rows` and `columns`. */
export const sheetsLoad = defineTask({
  type: "googleworkspace.sheets.Load",
  title: "Write a file to a spreadsheet",
  description:
    "Writes the rows of a file of CSV, Ion or JSON, at most 100,000, to a spreadsheet of Google Sheets.",
  properties: {
    ...SHEETS,
    spreadsheetId: SPREADSHEET_ID,
    from: dynamicText("Storage URI of the file.", { required: true }),
    range: dynamicText("Sheet or range to write to.", { default: "Sheet1" }),
    insertType: dynamicChoice(
      ["UPDATE", "OVERWRITE", "APPEND"],
      "UPDATE",
      "Whether values replace those of the range, after the range is cleared or not, or are rows after the last one.",
    ),
    format: dynamicProperty("string", "Format of the file; default is the one of its extension.", {
      values: FORMATS,
    }),
    header: dynamicFlag(false, "Whether the names of the columns of Ion or JSON are the first row."),
    csvOptions: dynamicProperty("object", "How CSV is read.", {
      properties: {
        fieldDelimiter: dynamicText("Character between fields.", { default: "," }),
        quote: dynamicText("Character around fields that contain delimiters.", { default: '"' }),
        skipLeadingRows: dynamicProperty("integer", "Rows to leave out at the beginning.", {
          default: 0,
          minimum: 0,
        }),
      },
    }),
    avroSchema: dynamicText("Not supported: files of Avro; AvroToIon converts them.", { planned: true }),
  },
  outputs: {
    range: { type: "string", description: "The range that was written." },
    rows: { type: "integer", description: "Number of rows that were written." },
    columns: { type: "integer", description: "Number of columns that were written." },
  },
  examples: [{
    title: "Append the rows of a CSV file",
    yaml: `id: load
type: io.svc.plugin.googleworkspace.sheets.Load
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
spreadsheetId: 1Dkd3W0OQo-wxz1rrORLP7YGSj6EBLEg74fiTdbJUIQE
from: "{{ outputs.report.uri }}"
format: CSV
range: Orders
insertType: APPEND`,
  }],
  async run(context) {
    const { spreadsheetId, insertType, range: target } = context.properties;
    const id = String(spreadsheetId), range = String(target);
    const values = await valuesOf(context);
    const client = new GcpClient(context);
    const path = `/values/${encodeURIComponent(range)}`;
    const operation = `write ${range} of the spreadsheet "${id}"`;
    const json = { majorDimension: "ROWS", values };
    const query = { valueInputOption: "RAW" };
    if (insertType === "OVERWRITE") {
      await client.send(sheetsRequest(id, `${path}:clear`, { json: {}, operation, isRepeatable: true }));
    }
    const response = await client.json(
      insertType === "APPEND"
        ? sheetsRequest(id, `${path}:append`, {
          json,
          query: { ...query, insertDataOption: "INSERT_ROWS" },
          operation,
        })
        : sheetsRequest(id, path, { method: "PUT", json, query, operation }),
    );
    const written = isJsonObject(response.updates) ? response.updates : response;
    return {
      range: written.updatedRange ?? range,
      rows: Number(written.updatedRows ?? 0),
      columns: Number(written.updatedColumns ?? 0),
    };
  },
});

async function valuesOf(context: TaskContext): Promise<JsonValue[][]> {
  const { from, format, header } = context.properties;
  const uri = String(from).trim();
  const kind = optionalText(format) ?? uri.slice(uri.lastIndexOf(".") + 1).toUpperCase();
  if (!FORMATS.includes(kind)) {
    throw new Error(`Missing format: "${kind}" must be one of ${FORMATS.join(", ")}`);
  }
  const path = await context.fetchFile(uri);
  const rows = kind === "CSV" ? await csvRows(context, path) : objectRows(path, header === true);
  const values: JsonValue[][] = [];
  for await (const row of rows) {
    if (values.push([...row]) > MAX_ROWS) {
      throw new Error(`Cannot load the file: it has more than ${MAX_ROWS} rows`);
    }
  }
  return values;
}

async function csvRows({ properties }: TaskContext, path: string): Promise<AsyncIterable<readonly string[]>> {
  const options = isJsonObject(properties.csvOptions) ? properties.csvOptions : {};
  return await csvRecords(path, optionalText(options.encoding), {
    delimiter: optionalText(options.fieldDelimiter) ?? ",",
    quote: optionalText(options.quote) ?? '"',
    from: Number(options.skipLeadingRows ?? 0) + 1,
    skip_empty_lines: true,
  });
}

/** The columns are those of the first object. */
async function* objectRows(path: string, hasHeader: boolean): AsyncGenerator<JsonValue[]> {
  let columns: string[] | undefined;
  for await (const row of flattened(readRows(path))) {
    if (Array.isArray(row)) yield row.map(cellOf);
    else if (isJsonObject(row)) {
      if (columns === undefined) {
        columns = Object.keys(row);
        if (hasHeader) yield columns;
      }
      yield columns.map((name) => cellOf(ownProperty(row, name) ?? null));
    } else throw new Error("Cannot load the file: a row is neither an object nor a list");
  }
}

/** A JSON file is one list of objects. */
async function* flattened(rows: AsyncIterable<JsonValue>): AsyncGenerator<JsonValue> {
  for await (const row of rows) {
    if (Array.isArray(row) && row.some((item) => isJsonObject(item) || Array.isArray(item))) yield* row;
    else yield row;
  }
}

/** A cell holds no structures; an empty text clears it. */
function cellOf(value: JsonValue): JsonValue {
  if (value === null) return "";
  return isJsonObject(value) || Array.isArray(value) ? JSON.stringify(value) : value;
}

/** Outputs: `spreadsheetId` and `spreadsheetUrl`. */
export const sheetsCreate = defineTask({
  type: "googleworkspace.sheets.CreateSpreadsheet",
  title: "Create a spreadsheet",
  description: "Creates a spreadsheet of Google Sheets.",
  properties: { ...SHEETS, title: dynamicText("Title of the spreadsheet.", { required: true }) },
  outputs: {
    spreadsheetId: { type: "string", description: "Id of the spreadsheet." },
    spreadsheetUrl: { type: "string", description: "URL of the spreadsheet." },
  },
  async run(context) {
    const title = String(context.properties.title);
    const { spreadsheetId = null, spreadsheetUrl = null }: JsonObject = await new GcpClient(context).json({
      api: "sheets",
      path: "/v4/spreadsheets",
      json: { properties: { title } },
      operation: `create the spreadsheet "${title}"`,
    });
    return { spreadsheetId, spreadsheetUrl };
  },
});

/** Output: `spreadsheetId`. */
export const sheetsDelete = defineTask({
  type: "googleworkspace.sheets.DeleteSpreadsheet",
  title: "Delete a spreadsheet",
  description: "Deletes a spreadsheet of Google Sheets for ever.",
  properties: { ...SHEETS, spreadsheetId: SPREADSHEET_ID },
  outputs: { spreadsheetId: { type: "string", description: "Id of the spreadsheet." } },
  async run(context) {
    const id = String(context.properties.spreadsheetId);
    const client = new GcpClient(context);
    const operation = `delete the spreadsheet "${id}"`;
    // Any file of the drive could be deleted by its id: only a spreadsheet shall be.
    await client.json(sheetsRequest(id, "", { query: { fields: "spreadsheetId" }, operation }));
    await client.send(driveRequest(id, { method: "DELETE", operation }));
    return { spreadsheetId: id };
  },
});
