/** Values of Google Sheets. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import type { GcpRequest } from "../gcp/client.ts";
import { connectionProperties } from "./connection.ts";

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

/** With a header an object a row, by the texts of the first row. */
export function rowsOf(cells: readonly JsonValue[][], hasHeader: boolean): JsonValue[] {
  if (!hasHeader) return [...cells];
  const [names = [], ...rows] = cells;
  return rows.map((row) => {
    const object: JsonObject = {};
    for (const [index, name] of names.entries()) setOwnProperty(object, String(name), row[index] ?? null);
    return object;
  });
}
