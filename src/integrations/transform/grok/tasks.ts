/** `transform.grok.TransformValue` and `TransformItems`. */
import { isJsonObject, type JsonObject, setOwnProperty } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { readRows, rowLines, writePieces } from "../../row_files.ts";
import { counters } from "../records.ts";
import { textFrom } from "../record_values.ts";
import { GrokPattern } from "./grok.ts";

const PROPERTIES: PropertySchemas = Object.freeze({
  pattern: dynamicText("Grok expression, such as `%{IP:client} %{WORD:method}`."),
  patterns: dynamicProperty("list", "Grok expressions that are tried in turn, in place of `pattern`.", {
    items: { type: "string", description: "A grok expression." },
  }),
  patternDefinitions: dynamicProperty("map", "Further patterns by name.", {
    items: { type: "string", description: "A pattern." },
  }),
  patternsDir: dynamicProperty("list", "Not supported: declare patterns in `patternDefinitions`.", {
    planned: true,
  }),
  namedCapturesOnly: dynamicFlag(true, "Whether only references with a field name are captured."),
  breakOnFirstMatch: dynamicFlag(true, "Whether the patterns after the first that matches are not tried."),
  keepEmptyCaptures: dynamicFlag(false, "Whether fields without a value are kept."),
});

/** Captures the fields of a text; without a match there are none. */
function matcher({ properties }: TaskContext): (text: string) => JsonObject {
  const { pattern, patterns, patternDefinitions, namedCapturesOnly } = properties;
  const single = optionalText(pattern);
  const sources = single !== undefined ? [single] : Array.isArray(patterns) ? patterns.map(String) : [];
  if (sources.length === 0) throw new Error("Missing pattern: give pattern or patterns");
  const given = isJsonObject(patternDefinitions) ? Object.entries(patternDefinitions) : [];
  const definitions = new Map(given.map(([name, value]) => [name, String(value)]));
  const compiled = sources.map((source) =>
    new GrokPattern(source, { definitions, namedOnly: namedCapturesOnly !== false })
  );
  return (text) => {
    const fields: JsonObject = {};
    for (const each of compiled) {
      const found = each.match(text);
      if (!found) continue;
      for (const [name, value] of Object.entries(found)) {
        const isEmpty = value === null || value === "";
        if (!isEmpty || properties.keepEmptyCaptures) setOwnProperty(fields, name, value);
      }
      if (properties.breakOnFirstMatch !== false) break;
    }
    return fields;
  };
}

/** The fields of one text. */
export const grokValue = defineTask({
  type: "transform.grok.TransformValue",
  title: "Parse a text with grok",
  description: "Captures fields of a text by a grok expression.",
  properties: { from: dynamicText("The text.", { required: true }), ...PROPERTIES },
  outputs: { value: { type: "map", description: "Captured fields; empty without a match." } },
  examples: [{
    title: "The parts of a line of a log",
    yaml: `id: parse
type: io.svc.plugin.transform.grok.TransformValue
pattern: "%{TIMESTAMP_ISO8601:logdate} %{LOGLEVEL:loglevel} %{GREEDYDATA:message}"
from: "{{ trigger.value }}"`,
  }],
  run: (context) => ({ value: matcher(context)(String(context.properties.from)) }),
});

/** The fields of the texts of a file. */
export const grokItems = defineTask({
  type: "transform.grok.TransformItems",
  title: "Parse a file with grok",
  description:
    "Captures fields of each text of a file of Ion or JSON by a grok expression. Texts that do not match are left out.",
  properties: { from: dynamicText("Storage URI of the file.", { required: true }), ...PROPERTIES },
  outputs: {
    uri: { type: "string", description: "Storage URI of the fields as Ion, a map for each text." },
    processedItemsTotal: { type: "integer", description: "Number of texts that matched." },
  },
  metrics: counters({ records: "Texts that matched." }),
  examples: [{
    title: "The parts of the lines of a log",
    yaml: `id: parse
type: io.svc.plugin.transform.grok.TransformItems
pattern: "%{COMBINEDAPACHELOG}"
from: "{{ outputs.lines.uri }}"`,
  }],
  async run(context) {
    const match = matcher(context);
    const source = await context.fetchFile(String(context.properties.from).trim());
    const target = `${await context.directory()}/rows.ion`;
    let count = 0;
    const rows = async function* () {
      for await (const value of readRows(source)) {
        const fields = match(textFrom(value));
        if (Object.keys(fields).length === 0) continue;
        count++;
        yield fields;
      }
    };
    await writePieces(target, rowLines(rows()), context.signal);
    context.metric("records", count);
    return { uri: await context.storeFile(target), processedItemsTotal: count };
  },
});
