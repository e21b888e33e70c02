/** `serdes.csv.CsvToIon`. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { csvRecords } from "../../csv_records.ts";
import { CHARSET, fetchSource, FROM, ON_BAD_LINES, RECORDS, storeRows, URI_OUTPUT } from "../conversion.ts";

const MAX_COLUMNS = 16_384;
/** The parser compares a separator at each character. */
const MAX_SIGN_CHARS = 16;

/** Rows with a header become objects, without one lists; all values are texts. */
export const csvToIon = defineTask({
  type: "serdes.csv.CsvToIon",
  aliases: ["serdes.csv.CsvReader"],
  title: "Convert CSV to Ion",
  description: "Reads a file of comma-separated values and writes its rows as Ion.",
  properties: {
    from: FROM,
    header: dynamicFlag(true, "Whether the first row has the names of the columns."),
    fieldSeparator: dynamicText("Character between fields.", { default: "," }),
    textDelimiter: dynamicText("Character around fields that contain separators.", { default: '"' }),
    skipEmptyRows: dynamicFlag(false, "Whether rows without any text are left out."),
    skipRows: dynamicProperty("integer", "Number of rows to leave out before the header.", { default: 0 }),
    charset: CHARSET,
    errorOnDifferentFieldCount: dynamicFlag(false, "Whether a row with fewer fields is malformed, too."),
    onBadLines: ON_BAD_LINES,
    onEmptyHeader: dynamicChoice(
      ["DROP", "RENAME"],
      "DROP",
      "Whether columns without a name are left out, or named `col_0`, `col_1`, ….",
    ),
    allowExtraCharsAfterClosingQuote: dynamicFlag(
      false,
      "Whether text after a closing delimiter is accepted.",
    ),
    maxFieldSize: dynamicProperty("integer", "Has no effect.", { ignored: true }),
    maxBufferSize: dynamicProperty("integer", "Has no effect.", { ignored: true }),
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Read a CSV file with semicolons",
    yaml: `id: rows
type: io.svc.plugin.serdes.csv.CsvToIon
from: "{{ outputs.download.uri }}"
fieldSeparator: ";"`,
  }],
  async run(context) {
    const source = await fetchSource(context);
    return await storeRows(context, source, readCsv(context, source));
  },
});

async function* readCsv(context: TaskContext, path: string): AsyncGenerator<JsonValue> {
  const { header, skipRows, onEmptyHeader } = context.properties;
  let toSkip = Number(skipRows);
  let columns: readonly string[] | undefined;
  for await (const fields of await parsedFields(context, path)) {
    if (toSkip-- > 0) continue;
    if (header === false) yield [...fields];
    else if (columns === undefined) columns = columnsOf(fields, onEmptyHeader === "RENAME");
    else {
      const row = rowOf(context, columns, fields);
      if (row) yield row;
    }
  }
}

async function parsedFields(context: TaskContext, path: string): Promise<AsyncIterable<readonly string[]>> {
  const { fieldSeparator, textDelimiter, skipEmptyRows, charset, onBadLines } = context.properties;
  for (const [name, sign] of Object.entries({ fieldSeparator, textDelimiter })) {
    if (String(sign ?? "").length <= MAX_SIGN_CHARS) continue;
    throw new Error(`Invalid ${name}: it has more than ${MAX_SIGN_CHARS} characters`);
  }
  return await csvRecords(path, String(charset), {
    delimiter: String(fieldSeparator),
    quote: textDelimiter === undefined ? null : String(textDelimiter),
    relax_quotes: context.properties.allowExtraCharsAfterClosingQuote === true,
    skip_empty_lines: skipEmptyRows === true,
    ...onBadLines !== "ERROR" && { leaveOut: (reason) => warn(context, reason) },
  });
}

/** Columns without a name are `""` where they are left out. */
function columnsOf(names: readonly string[], isRenamed: boolean): readonly string[] {
  if (names.length > MAX_COLUMNS) {
    throw new Error(
      `Cannot read the file: its header has more than ${MAX_COLUMNS} columns; read it without, with header: false`,
    );
  }
  return names.map((name, index) => name === "" && isRenamed ? `col_${index}` : name);
}

/** A row has no value for the fields that it lacks. */
function rowOf(
  context: TaskContext,
  columns: readonly string[],
  fields: readonly string[],
): JsonObject | undefined {
  const { errorOnDifferentFieldCount, onBadLines } = context.properties;
  const isBad = fields.length > columns.length ||
    errorOnDifferentFieldCount === true && fields.length < columns.length;
  if (isBad) {
    const reason = `a row has ${fields.length} fields, the header ${columns.length}`;
    if (onBadLines === "ERROR") throw new Error(`Cannot read the file: ${reason}`);
    warn(context, reason);
    return undefined;
  }
  const named = columns.flatMap((name, index): [string, string | null][] =>
    name === "" ? [] : [[name, fields[index] ?? null]]
  );
  return Object.fromEntries(named);
}

function warn(context: TaskContext, reason: string): void {
  if (context.properties.onBadLines === "WARN") context.log("WARN", `A row is left out: ${reason}`);
}
