/** `transform.jsonata.TransformValue` and `TransformItems`. */
import { type JsonValue, tryParseJson } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { readRows, rowLines, writePieces } from "../../row_files.ts";
import { counters } from "../records.ts";
import type { JsonataOptions } from "./evaluation.ts";

const EXPRESSION: PropertySchemas = Object.freeze({
  expression: dynamicText(
    "JSONata expression. It has 10 seconds for a value, in a thread with 128 MB; numbers are binary, with 15 digits.",
    { required: true },
  ),
  maxDepth: dynamicProperty("integer", "Most nested calls of the expression.", {
    default: 200,
    minimum: 1,
    maximum: 1_000,
  }),
});

function optionsOf({ properties: { expression, maxDepth }, signal }: TaskContext): JsonataOptions {
  return { expression: String(expression), maxDepth: Number(maxDepth), signal };
}

/** The result for one value. */
export const transformValue = defineTask({
  type: "transform.jsonata.TransformValue",
  title: "Transform a value with JSONata",
  description: "Evaluates an expression of [JSONata](https://jsonata.org) for a JSON value.",
  properties: {
    from: dynamicProperty("any", "The value, or its JSON text.", { required: true }),
    ...EXPRESSION,
  },
  outputs: { value: { type: "any", description: "Result; null if the expression has none." } },
  examples: [{
    title: "The total of an order",
    yaml: `id: total
type: io.svc.plugin.transform.jsonata.TransformValue
from: '{"name": "Ann", "items": [{"price": 2, "quantity": 3}]}'
expression: |
  {"customer": name, "total": $sum(items.(price * quantity))}`,
  }],
  async run(context) {
    const value = jsonOf(context.properties.from);
    const { withJsonata } = await import("./evaluation.ts");
    return await withJsonata(optionsOf(context), async (evaluator) => {
      for await (const result of evaluator.evaluate(single(value))) return { value: result };
    });
  },
});

function jsonOf(given: JsonValue | undefined): JsonValue {
  const value = typeof given === "string" ? tryParseJson(given) : given;
  if (value !== undefined) return value;
  throw new Error("Invalid from: it is not JSON");
}

async function* single(value: JsonValue): AsyncGenerator<JsonValue> {
  yield await Promise.resolve(value);
}

/** The results for the values of a file. */
export const transformItems = defineTask({
  type: "transform.jsonata.TransformItems",
  title: "Transform a file with JSONata",
  description:
    "Evaluates an expression of [JSONata](https://jsonata.org) for each value of a file of Ion or JSON, and stores the results.",
  properties: {
    from: dynamicText("Storage URI of the file.", { required: true }),
    ...EXPRESSION,
    explodeArray: dynamicFlag(
      true,
      "Whether each element of a list that results is a row; else the list is one.",
    ),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the results as Ion." },
    processedItemsTotal: { type: "integer", description: "Number of rows that were written." },
  },
  metrics: counters({ records: "Rows that were written." }),
  examples: [{
    title: "Titles of a list of products",
    yaml: `id: titles
type: io.svc.plugin.transform.jsonata.TransformItems
from: "{{ outputs.download.uri }}"
expression: products.(title & ' by ' & brand)`,
  }],
  async run(context) {
    const { from, explodeArray } = context.properties;
    const source = await context.fetchFile(String(from).trim());
    const target = `${await context.directory()}/rows.ion`;
    let count = 0;
    const { withJsonata } = await import("./evaluation.ts");
    await withJsonata(optionsOf(context), async (evaluator) => {
      const rows = async function* () {
        for await (const result of evaluator.evaluate(readRows(source))) {
          const items = explodeArray && Array.isArray(result) ? result : [result];
          count += items.length;
          yield* items;
        }
      };
      await writePieces(target, rowLines(rows()), context.signal);
    });
    context.metric("records", count);
    return { uri: await context.storeFile(target), processedItemsTotal: count };
  },
});
