/** CSV (RFC 4180). */
import { type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";

const LINE_END = "\r\n";
const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets interpret such a text as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A header with the members of the first record, then a line per record; lists and maps as JSON. Empty without records. */
export function csvText(records: readonly JsonObject[]): string {
  const [first] = records;
  if (!first) return "";
  const names = Object.keys(first);
  const lines = records.map((record) => names.map((name) => cellText(ownProperty(record, name))).join(","));
  return [names.map(cellText).join(","), ...lines].join(LINE_END) + LINE_END;
}

/** A download with that file name. */
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
