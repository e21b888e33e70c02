/** `serdes.excel.IonToExcel`. */
import { stat } from "node:fs/promises";
import { isJsonObject, type JsonValue, tryParseJson } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { readRows, writePieces } from "../../row_files.ts";
import { CHARSET, counted, DATE_PROPERTIES, RECORDS } from "../conversion.ts";
import { type SheetRows, xlsxBytes } from "./xlsx_writer.ts";

/** Outputs: `uri` and `size`. */
export const ionToExcel = defineTask({
  type: "serdes.excel.IonToExcel",
  title: "Convert Ion to Excel",
  description:
    "Writes the rows of an Ion file as a sheet of Excel, or those of several files as a sheet each.",
  properties: {
    from: dynamicProperty("any", "Storage URI of the file, or a map of URIs by the titles of their sheets.", {
      required: true,
    }),
    header: dynamicFlag(true, "Whether the first row has the names of the columns."),
    styles: dynamicFlag(true, "Whether the names of the columns are bold."),
    sheetsTitle: dynamicText("Title of the sheet of a single file.", { default: "Sheet" }),
    charset: { ...CHARSET, ignored: true },
    ...DATE_PROPERTIES,
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    size: { type: "integer", description: "Bytes of the file." },
  },
  metrics: RECORDS,
  examples: [{
    title: "Write two files as two sheets",
    yaml: `id: excel
type: io.svc.plugin.serdes.excel.IonToExcel
from:
  Orders: "{{ outputs.orders.uri }}"
  Users: "{{ outputs.users.uri }}"`,
  }],
  async run(context) {
    const { header, styles } = context.properties;
    let records = 0;
    const sheets = await sheetsOf(context, () => records++);
    const path = `${await context.directory()}/rows.xlsx`;
    const bytes = xlsxBytes(sheets, { hasHeader: header !== false, hasStyles: styles !== false });
    await writePieces(path, bytes, context.signal);
    context.metric("records", records);
    return { uri: await context.storeFile(path), size: (await stat(path)).size };
  },
});

async function sheetsOf(context: TaskContext, count: () => void): Promise<SheetRows[]> {
  const { from, sheetsTitle } = context.properties;
  const value = mapOf(from);
  const given = isJsonObject(value) ? Object.entries(value) : [[String(sheetsTitle), value ?? null] as const];
  const sheets: SheetRows[] = [];
  for (const [title, uri] of given) {
    const path = await context.fetchFile(String(uri).trim());
    sheets.push({ title, rows: counted(readRows(path), count) });
  }
  return sheets;
}

function mapOf(from: JsonValue | undefined): JsonValue | undefined {
  return typeof from === "string" && from.trimStart().startsWith("{") ? tryParseJson(from) ?? from : from;
}
