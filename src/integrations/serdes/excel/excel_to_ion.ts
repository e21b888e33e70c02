/** `serdes.excel.ExcelToIon`. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { outputBudget } from "../../output_budget.ts";
import { rowLines, writePieces } from "../../row_files.ts";
import { CHARSET, fetchSource, FROM, RECORDS } from "../conversion.ts";
import { type ReaderOptions, Workbook } from "./xlsx_reader.ts";

/** Outputs: `uris` and `size`. */
export const excelToIon = defineTask({
  type: "serdes.excel.ExcelToIon",
  title: "Convert Excel to Ion",
  description: "Writes the rows of each sheet of an Excel file (.xlsx) as a file of Ion.",
  properties: {
    from: FROM,
    sheetsTitle: dynamicProperty("list", "Titles of the sheets to read; default is all.", {
      items: { type: "string", description: "A title." },
    }),
    header: dynamicFlag(true, "Whether the first row has the names of the columns."),
    skipEmptyRows: dynamicFlag(false, "Whether rows without a value are left out."),
    skipLastEmptyRows: dynamicFlag(false, "Has no effect: Excel files have no rows after the last one.", {
      ignored: true,
    }),
    skipRows: dynamicProperty("integer", "Number of rows to leave out before the header.", {
      default: 0,
      minimum: 0,
    }),
    dateTimeRender: dynamicChoice(
      ["UNFORMATTED_VALUE", "FORMATTED_STRING", "SERIAL_NUMBER"],
      "UNFORMATTED_VALUE",
      "Whether dates are ISO 8601 texts, or numbers of days with SERIAL_NUMBER.",
    ),
    valueRender: dynamicChoice(
      ["UNFORMATTED_VALUE", "FORMATTED_VALUE", "FORMULA"],
      "UNFORMATTED_VALUE",
      "Whether values keep their types, become texts, or are replaced by their formulas.",
    ),
    charset: { ...CHARSET, ignored: true },
  },
  outputs: {
    uris: {
      type: "map",
      description: "Storage URIs of the rows by the titles of their sheets.",
      items: { type: "string", description: "A storage URI." },
    },
    size: { type: "integer", description: "Number of rows." },
  },
  metrics: RECORDS,
  async run(context) {
    const { properties } = context;
    const { dateTimeRender, valueRender, sheetsTitle } = properties;
    const options = { dateTimeRender, valueRender } as unknown as ReaderOptions;
    const wanted = Array.isArray(sheetsTitle) ? sheetsTitle.map(String) : undefined;
    const source = await fetchSource(context);
    using workbook = await Workbook.open(source, options);
    const { sheets } = workbook;
    const missing = wanted?.find((title) => !sheets.some((sheet) => sheet.title === title));
    if (missing !== undefined) throw new Error(`Cannot read the sheet "${missing}": it does not exist`);
    const uris: [string, string][] = [];
    const budget = await outputBudget(source);
    let size = 0;
    for (const [index, { title, rows }] of sheets.entries()) {
      if (wanted && !wanted.includes(title)) continue;
      const path = `${await context.directory()}/sheet-${index + 1}.ion`;
      const count = () => size++;
      const lines = rowLines(namedRows(rows(), properties, count));
      await writePieces(path, lines, context.signal, budget);
      uris.push([title, await context.storeFile(path)]);
    }
    context.metric("records", size);
    return { uris: Object.fromEntries(uris), size };
  },
});

async function* namedRows(
  rows: AsyncIterable<JsonValue[]>,
  properties: JsonObject,
  count: () => void,
): AsyncGenerator<JsonValue> {
  const { header, skipEmptyRows, skipRows } = properties;
  let toSkip = Number(skipRows);
  let columns: readonly string[] | undefined;
  for await (const row of rows) {
    if (toSkip-- > 0) continue;
    if (header !== false && columns === undefined) {
      columns = row.map((name, index) => name === null ? `col_${index}` : String(name));
      continue;
    }
    if (skipEmptyRows === true && row.every((cell) => cell === null || cell === "")) continue;
    count();
    yield columns ? Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) : row;
  }
}
