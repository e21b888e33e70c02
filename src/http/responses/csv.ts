/** CSV (RFC 4180). */
import type { Context } from "hono";
import { type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";
import type { AppEnv } from "../env.ts";
import { textResponse } from "./text_stream.ts";

const LINE_END = "\r\n";
const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets interpret such a text as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A download with that file name: a header with the members of the first record, then a line per record; lists and maps as
 * JSON. Empty without records. The pieces are read while the client reads the response.
 */
export function csvResponse(
  c: Context<AppEnv>,
  pieces: AsyncIterable<readonly JsonObject[]> | Iterable<readonly JsonObject[]>,
  fileName: string,
): Promise<Response> {
  return textResponse(c, csvText(pieces), {
    "content-type": "text/csv",
    "content-disposition": `attachment; filename="${fileName}"`,
  });
}

async function* csvText(
  pieces: AsyncIterable<readonly JsonObject[]> | Iterable<readonly JsonObject[]>,
): AsyncGenerator<string> {
  let names: string[] | undefined;
  for await (const records of pieces) {
    const [first] = records;
    if (!first) continue;
    const lines = names ? [] : [Object.keys(first).map(cellText).join(",")];
    const columns = names ??= Object.keys(first);
    for (const record of records) {
      lines.push(columns.map((name) => cellText(ownProperty(record, name))).join(","));
    }
    yield lines.join(LINE_END) + LINE_END;
  }
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return quoted(stringifyJson(value));
  return quoted(FORMULA.test(value) ? `'${value}` : value);
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
