/** `serdes.json.JsonToIon`. */
import { dynamicFlag } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { readTextFile } from "../../row_files.ts";
import { CHARSET, fetchSource, FROM, RECORDS, storeRows, URI_OUTPUT } from "../conversion.ts";
import { jsonValues } from "./json_values.ts";

/** Values are read one after the other; a list is not held in memory. */
export const jsonToIon = defineTask({
  type: "serdes.json.JsonToIon",
  aliases: ["serdes.json.JsonReader"],
  title: "Convert JSON to Ion",
  description: "Reads a file of JSON and writes its values as rows of Ion.",
  properties: {
    from: FROM,
    newLine: dynamicFlag(
      true,
      "Whether the file has one value after the other, such as JSON Lines; else its list is read, each element a row.",
    ),
    charset: CHARSET,
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Read a list of JSON",
    yaml: `id: rows
type: io.svc.plugin.serdes.json.JsonToIon
from: "{{ outputs.download.uri }}"
newLine: false`,
  }],
  async run(context) {
    const { charset, newLine } = context.properties;
    const source = await fetchSource(context);
    const text = readTextFile(source, String(charset));
    return await storeRows(context, source, jsonValues(text, { isList: newLine === false }));
  },
});
