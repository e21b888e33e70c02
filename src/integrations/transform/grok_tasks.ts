/** `transform.grok.TransformValue` and `TransformItems`. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { type GrokRules, matchQuickly } from "./grok/grok.ts";
import { evaluatedValue, itemOutputs, storedItems } from "./items.ts";
import type { EvaluationWork } from "./jsonata/evaluation.ts";
import { textFrom } from "./record_values.ts";
import { counters } from "./records.ts";

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

function rulesOf({ properties }: TaskContext): GrokRules {
  const { pattern, patterns, patternDefinitions, namedCapturesOnly, breakOnFirstMatch } = properties;
  const single = optionalText(pattern);
  const sources = single !== undefined ? [single] : Array.isArray(patterns) ? patterns.map(String) : [];
  if (sources.length === 0) throw new Error("Missing pattern: give pattern or patterns");
  const given = isJsonObject(patternDefinitions) ? Object.entries(patternDefinitions) : [];
  return {
    patterns: sources,
    definitions: new Map(given.map(([name, value]) => [name, String(value)])),
    namedOnly: namedCapturesOnly !== false,
    stopsAtFirst: breakOnFirstMatch !== false,
    keepsEmpty: properties.keepEmptyCaptures === true,
  };
}

function workOf(rules: GrokRules, { startEvaluator }: MachineTaskContext): EvaluationWork {
  const definitions = [...rules.definitions];
  const expression = { type: "grok", rules: { ...rules, definitions } } as const;
  return { expression, operation: "match the pattern", startEvaluator };
}

/** The fields of one text. */
export const grokValue = defineMachineTask({
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
  async run(context) {
    const rules = rulesOf(context), from = String(context.properties.from);
    return { value: matchQuickly(rules, from) ?? await evaluatedValue(workOf(rules, context), from) };
  },
});

/** The fields of the texts of a file. */
export const grokItems = defineMachineTask({
  type: "transform.grok.TransformItems",
  title: "Parse a file with grok",
  description:
    "Captures fields of each text of a file of Ion or JSON by a grok expression. Texts that do not match are left out.",
  properties: { from: dynamicText("Storage URI of the file.", { required: true }), ...PROPERTIES },
  outputs: itemOutputs(
    "Storage URI of the fields as Ion, a map for each text.",
    "Number of texts that matched.",
  ),
  metrics: counters({ records: "Texts that matched." }),
  examples: [{
    title: "The parts of the lines of a log",
    yaml: `id: parse
type: io.svc.plugin.transform.grok.TransformItems
pattern: "%{COMBINEDAPACHELOG}"
from: "{{ outputs.lines.uri }}"`,
  }],
  run: (context) =>
    storedItems(context, workOf(rulesOf(context), context), {
      before: textFrom,
      after: (fields) => Object.keys(fields as JsonObject).length === 0 ? [] : [fields],
    }),
});
