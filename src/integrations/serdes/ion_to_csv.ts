/** `serdes.csv.IonToCsv`. */
import { Double, isJsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { CHARSET, convertRows, DATE_PROPERTIES, FROM, RECORDS, URI_OUTPUT } from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";

/** The first row gives the columns. */
export const ionToCsv = defineTask({
  type: "serdes.csv.IonToCsv",
  aliases: ["serdes.csv.CsvWriter"],
  title: "Convert Ion to CSV",
  description:
    "Writes the rows of an Ion file as comma-separated values. The first row gives the columns; lists and objects within a row are written as JSON.",
  properties: {
    from: FROM,
    header: dynamicFlag(true, "Whether the first line has the names of the columns."),
    fieldSeparator: dynamicText("Character between fields.", { default: "," }),
    lineDelimiter: dynamicText("Text after each row.", { default: "\n" }),
    textDelimiter: dynamicText("Character around fields that contain separators.", { default: '"' }),
    alwaysDelimitText: dynamicFlag(false, "Whether every field is delimited."),
    quoteMode: dynamicChoice(
      ["REQUIRED", "MINIMAL", "ALWAYS", "ALL"],
      "REQUIRED",
      "`ALWAYS` and `ALL` delimit every field, as `alwaysDelimitText` does.",
    ),
    charset: CHARSET,
    ...DATE_PROPERTIES,
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Write the rows of a query as CSV",
    yaml: `id: csv
type: io.svc.plugin.serdes.csv.IonToCsv
from: "{{ outputs.query.uri }}"`,
  }],
  async run(context) {
    const charset = String(context.properties.charset);
    return await convertRows(
      context,
      "rows.csv",
      (rows) => encodedTexts(csvTexts(context, rows), charset),
    );
  },
});

async function* csvTexts(context: TaskContext, rows: AsyncIterable<JsonValue>): AsyncGenerator<string> {
  const { header, fieldSeparator, lineDelimiter, textDelimiter, alwaysDelimitText, quoteMode } =
    context.properties;
  const { stringify } = await import("csv-stringify/sync");
  const options = {
    delimiter: String(fieldSeparator),
    record_delimiter: String(lineDelimiter),
    quote: textDelimiter === undefined ? false : String(textDelimiter),
    quoted: alwaysDelimitText === true || quoteMode === "ALWAYS" || quoteMode === "ALL",
    quoted_empty: alwaysDelimitText === true,
  };
  let columns: readonly string[] | undefined;
  let batch: string[][] = [];
  for await (const row of rows) {
    if (columns === undefined && isJsonObject(row)) {
      columns = Object.keys(row);
      if (header !== false) batch.push([...columns]);
    }
    batch.push(fieldsOf(row, columns ?? []));
    if (batch.length < ROWS_AT_ONCE) continue;
    yield stringify(batch, options);
    batch = [];
  }
  if (batch.length > 0) yield stringify(batch, options);
}

/** Rows that are written at once: each call of the writer reads the options again. */
const ROWS_AT_ONCE = 500;

function fieldsOf(row: JsonValue, columns: readonly string[]): string[] {
  if (Array.isArray(row)) return row.map(fieldText);
  if (isJsonObject(row)) return columns.map((name) => fieldText(ownProperty(row, name) ?? null));
  return [fieldText(row)];
}

function fieldText(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" && !(value instanceof Double) ? stringifyJson(value) : String(value);
}
