/** CSV as RFC 4180 has it. */
import { type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";

const LINE_END = "\r\n";
const NEEDS_QUOTES = /[",\r\n]/;
/** What spreadsheets take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One line a record below a header of the members of the first one; lists and maps as JSON text. Nothing for no records. */
export function csvText(records: readonly JsonObject[]): string {
  const [first] = records;
  if (!first) return "";
  const names = Object.keys(first);
  const lines = records.map((record) => names.map((name) => cellText(ownProperty(record, name))).join(","));
  return [names.map(cellText).join(","), ...lines].join(LINE_END) + LINE_END;
}

/** A file to be saved by the browser under that name. */
export function csvResponse(records: readonly JsonObject[], fileName: string): Response {
  return new Response(csvText(records), {
    headers: {
      "content-type": "text/csv",
      "content-disposition": `attachment; filename="${fileName}"`,
    },
  });
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return quoted(stringifyJson(value));
  return quoted(FORMULA.test(value) ? `'${value}` : value);
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
