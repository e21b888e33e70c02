/** `serdes.json.IonToJson`. */
import { type JsonValue, stringifyJson } from "../../../base/json.ts";
import { dynamicFlag } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { rowLines } from "../../row_files.ts";
import { CHARSET, convertRows, DATE_PROPERTIES, FROM, RECORDS, URI_OUTPUT } from "../conversion.ts";
import { encodedTexts } from "../encoded_texts.ts";

/** One value a line, or one list. */
export const ionToJson = defineTask({
  type: "serdes.json.IonToJson",
  aliases: ["serdes.json.JsonWriter"],
  title: "Convert Ion to JSON",
  description: "Writes the rows of an Ion file as JSON.",
  properties: {
    from: FROM,
    newLine: dynamicFlag(true, "Whether each row is a line of its own; else the file is one list."),
    charset: CHARSET,
    shouldKeepAnnotations: dynamicFlag(false, "Has no effect: annotations of Ion are not kept.", {
      ignored: true,
    }),
    ...DATE_PROPERTIES,
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const { charset, newLine } = context.properties;
    const isList = newLine === false;
    return await convertRows(
      context,
      isList ? "rows.json" : "rows.jsonl",
      (rows) => encodedTexts(isList ? listText(rows) : rowLines(rows), String(charset)),
    );
  },
});

async function* listText(rows: AsyncIterable<JsonValue>): AsyncGenerator<string> {
  let separator = "[";
  for await (const row of rows) {
    yield separator + stringifyJson(row);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}
