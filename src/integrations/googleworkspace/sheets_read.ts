/** `googleworkspace.sheets.Read` and `googleworkspace.sheets.ReadRange`. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, setOwnProperty } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { GcpClient } from "../gcp/client.ts";
import { rowLines, writePieces } from "../row_files.ts";
import { cellsOf, rowsOf, SHEETS, sheetsRequest, SPREADSHEET_ID } from "./sheet_values.ts";

const READING: PropertySchemas = Object.freeze({
  ...SHEETS,
  spreadsheetId: SPREADSHEET_ID,
  valueRender: dynamicChoice(
    ["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"],
    "UNFORMATTED_VALUE",
    "How values are read.",
  ),
  dateTimeRender: dynamicChoice(
    ["SERIAL_NUMBER", "FORMATTED_STRING"],
    "FORMATTED_STRING",
    "How dates are read, unless values are formatted.",
  ),
  header: dynamicFlag(true, "Whether the first row has the names of the columns."),
  fetch: dynamicFlag(false, "Whether rows are outputs; else they are a file."),
  store: dynamicFlag(true, "Has no effect: rows that are not outputs are stored.", { ignored: true }),
});

const ROWS: Readonly<Record<string, MetricDeclaration>> = {
  rows: { type: "counter", description: "Number of rows." },
};

/** Outputs: `rows` or `uris` by the titles of the sheets, and `size`. */
export const sheetsRead = defineTask({
  type: "googleworkspace.sheets.Read",
  title: "Read the sheets of a spreadsheet",
  description: "Reads all sheets of a spreadsheet of Google Sheets, or those with the given titles.",
  properties: {
    ...READING,
    selectedSheetsTitle: dynamicProperty("list", "Titles of the sheets to read; default is all.", {
      items: { type: "string", description: "A title." },
    }),
  },
  outputs: {
    rows: { type: "map", description: "With `fetch`: rows by the title of the sheet." },
    uris: {
      type: "map",
      description: "Without it: storage URIs of the rows as Ion, by the title of the sheet.",
    },
    size: { type: "integer", description: "Number of rows of all sheets, headers included." },
  },
  metrics: { ...ROWS, sheets: { type: "counter", description: "Number of sheets of the spreadsheet." } },
  examples: [{
    title: "Read a sheet",
    yaml: `id: read
type: io.svc.plugin.googleworkspace.sheets.Read
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
spreadsheetId: 1Dkd3W0OQo-wxz1rrORLP7YGSj6EBLEg74fiTdbJUIQE
selectedSheetsTitle: [Orders]
fetch: true`,
  }],
  async run(context) {
    const { properties } = context;
    const client = new GcpClient(context);
    const id = String(properties.spreadsheetId);
    const titles = await titlesOf(client, id);
    const { selectedSheetsTitle: selected = [] } = properties;
    const read = titles.filter((title) =>
      !Array.isArray(selected) || selected.length === 0 || selected.map(String).includes(title)
    );
    const found: JsonObject = {};
    let size = 0;
    for (const [index, title] of read.entries()) {
      const cells = await readCells(context, client, `'${title.replaceAll("'", "''")}'`);
      size += cells.length;
      const rows = rowsOf(cells, properties.header === true);
      setOwnProperty(found, title, properties.fetch === true ? rows : await stored(context, rows, index));
    }
    context.metric("sheets", titles.length);
    context.metric("rows", size);
    return { ...properties.fetch === true ? { rows: found } : { uris: found }, size };
  },
});

async function titlesOf(client: GcpClient, id: string): Promise<string[]> {
  const { sheets } = await client.json(sheetsRequest(id, "", {
    query: { fields: "sheets.properties.title" },
    operation: `read the spreadsheet "${id}"`,
  }));
  return objectsOf(sheets).map(({ properties }) => isJsonObject(properties) ? String(properties.title) : "");
}

async function readCells(context: TaskContext, client: GcpClient, range: string): Promise<JsonValue[][]> {
  const { spreadsheetId, valueRender, dateTimeRender } = context.properties;
  const id = String(spreadsheetId);
  return cellsOf(
    await client.json(sheetsRequest(id, `/values/${encodeURIComponent(range)}`, {
      query: { valueRenderOption: valueRender, dateTimeRenderOption: dateTimeRender },
      operation: `read ${range} of the spreadsheet "${id}"`,
    })),
  );
}

async function stored(context: TaskContext, rows: readonly JsonValue[], index: number): Promise<string> {
  const path = `${await context.directory()}/rows-${index}.ion`;
  await writePieces(path, rowLines(rows), context.signal);
  return await context.storeFile(path);
}

/** Outputs: `rows` or `uri`, and `size`. */
export const sheetsReadRange = defineTask({
  type: "googleworkspace.sheets.ReadRange",
  title: "Read a range of a spreadsheet",
  description: "Reads a range of a spreadsheet of Google Sheets.",
  properties: {
    ...READING,
    range: dynamicText("Range, such as `Sheet1!A1:D10`.", { required: true }),
  },
  outputs: {
    rows: { type: "list", description: "Rows, with `fetch`." },
    uri: { type: "string", description: "Storage URI of the rows as Ion, without it." },
    size: { type: "integer", description: "Number of rows." },
  },
  metrics: ROWS,
  examples: [{
    title: "Read a range",
    yaml: `id: read
type: io.svc.plugin.googleworkspace.sheets.ReadRange
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
spreadsheetId: 1Dkd3W0OQo-wxz1rrORLP7YGSj6EBLEg74fiTdbJUIQE
range: Orders!A1:D100`,
  }],
  async run(context) {
    const { header, fetch, range } = context.properties;
    const rows = rowsOf(await readCells(context, new GcpClient(context), String(range)), header === true);
    context.metric("rows", rows.length);
    const size = rows.length;
    return { ...fetch === true ? { rows } : { uri: await stored(context, rows, 0) }, size };
  },
});
