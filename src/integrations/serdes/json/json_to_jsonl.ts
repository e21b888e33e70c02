/** `serdes.json.JsonToJsonl`. */
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { readTextFile, rowLines } from "../../row_files.ts";
import { CHARSET, fetchSource, FROM, RECORDS, storePieces, URI_OUTPUT } from "../conversion.ts";
import { encodedTexts } from "../encoded_texts.ts";
import { jsonValues } from "./json_values.ts";

/** Each element of the list is a line. */
export const jsonToJsonl = defineTask({
  type: "serdes.json.JsonToJsonl",
  title: "Convert JSON to JSON Lines",
  description: "Writes each element of a list of JSON as a line of its own.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const charset = String(context.properties.charset);
    const source = await fetchSource(context);
    return await storePieces(context, {
      source,
      rows: jsonValues(readTextFile(source, charset), { isList: true }),
      name: "rows.jsonl",
      convert: (rows) => encodedTexts(rowLines(rows), charset),
    });
  },
});
