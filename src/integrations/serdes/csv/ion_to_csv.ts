/** `serdes.csv.IonToCsv`. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { ByteFile } from "../../byte_file.ts";
import { outputBudget } from "../../output_budget.ts";
import { passRows } from "../../row_files.ts";
import { CHARSET, DATE_PROPERTIES, fetchSource, FROM, RECORDS, URI_OUTPUT } from "../conversion.ts";
import { CsvRows, type CsvStyle } from "./csv_rows.ts";
import { encodingOf } from "../encoded_texts.ts";

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
    const { properties } = context;
    const style = styleOf(properties);
    const { stringify } = await import("csv-stringify/sync");
    const source = await fetchSource(context);
    const path = `${await context.directory()}/rows.csv`;
    {
      using file = new ByteFile(path);
      const rows = new CsvRows(file, { style, stringify, budget: await outputBudget(source) });
      await passRows(source, rows, context.signal);
      rows.end();
      context.metric("records", rows.count);
    }
    return { uri: await context.storeFile(path) };
  },
});

function styleOf(properties: JsonObject): CsvStyle {
  const { header, fieldSeparator, lineDelimiter, textDelimiter, alwaysDelimitText, quoteMode } = properties;
  return {
    hasHeader: header !== false,
    separator: String(fieldSeparator),
    lineEnd: String(lineDelimiter),
    delimiter: textDelimiter === undefined ? undefined : String(textDelimiter),
    isDelimited: alwaysDelimitText === true || quoteMode === "ALWAYS" || quoteMode === "ALL",
    isEmptyDelimited: alwaysDelimitText === true,
    encoding: encodingOf(String(properties.charset)),
  };
}
