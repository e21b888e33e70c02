/** Values of Google Sheets. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import type { GcpRequest } from "../gcp/client.ts";
import { checkColumns } from "../result_columns.ts";
import { connectionProperties } from "./connection.ts";

/** Of all rows, which are in memory: those at the end of a row need not be sent. */
const MAX_CELLS = 4_000_000;

/** Properties of all types of Google Sheets; files are deleted by the API of Google Drive. */
export const SHEETS: PropertySchemas = connectionProperties(["spreadsheets", "drive"]);

/** Property: a spreadsheet. */
export const SPREADSHEET_ID: PropertySchema = dynamicText("Id of the spreadsheet, as in its URL.", {
  required: true,
});

/** A request about a spreadsheet; `path` follows its id. */
export function sheetsRequest(
  id: string,
  path: string,
  request: Omit<GcpRequest, "api" | "path">,
): GcpRequest {
  return { ...request, api: "sheets", path: `/v4/spreadsheets/${encodeURIComponent(id)}${path}` };
}

/** Rows of cells; cells at the end of a row may be missing. */
export function cellsOf(range: JsonValue | undefined): JsonValue[][] {
  const values = (range as JsonObject | undefined)?.values;
  return Array.isArray(values) ? values.filter(Array.isArray) : [];
}

/** With a header an object a row, by the texts of the first row. @throws Error they have too many columns or cells */
export function rowsOf(cells: readonly JsonValue[][], hasHeader: boolean): JsonValue[] {
  if (!hasHeader) return [...cells];
  const names = (cells[0] ?? []).map(String);
  checkColumns(names.map((name) => ({ name })));
  if (names.length * cells.length > MAX_CELLS) {
    throw new Error(
      `Cannot read the rows: ${cells.length} of them with ${names.length} columns have more than ${MAX_CELLS} cells; read them in several ranges`,
    );
  }
  return cells.slice(1).map((row) => {
    const object: JsonObject = {};
    for (const [index, name] of names.entries()) setOwnProperty(object, name, row[index] ?? null);
    return object;
  });
}
