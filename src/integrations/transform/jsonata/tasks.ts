/** `transform.jsonata.TransformValue` and `TransformItems`. */
import { type JsonValue, tryParseJson } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../../model/tasks/machine_task.ts";
import { evaluatedValue, itemOutputs, storedItems } from "../items.ts";
import { counters } from "../records.ts";
import type { EvaluationWork } from "./evaluation.ts";

const EXPRESSION: PropertySchemas = Object.freeze({
  expression: dynamicText(
    "JSONata expression. It has 10 seconds for a value, in a process with 128 MB; numbers are binary, with 15 digits.",
    { required: true },
  ),
  maxDepth: dynamicProperty("integer", "Most nested calls of the expression.", {
    default: 200,
    minimum: 1,
    maximum: 1_000,
  }),
});

function workOf(
  { properties: { expression, maxDepth }, startEvaluator }: MachineTaskContext,
): EvaluationWork {
  return {
    expression: { type: "jsonata", source: String(expression), maxDepth: Number(maxDepth) },
    operation: "evaluate the expression",
    startEvaluator,
  };
}

/** The result for one value. */
export const transformValue = defineMachineTask({
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
    return { value: await evaluatedValue(workOf(context), jsonOf(context.properties.from)) };
  },
});

function jsonOf(given: JsonValue | undefined): JsonValue {
  const value = typeof given === "string" ? tryParseJson(given) : given;
  if (value !== undefined) return value;
  throw new Error("Invalid from: it is not JSON");
}

/** The results for the values of a file. */
export const transformItems = defineMachineTask({
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
  outputs: itemOutputs("Storage URI of the results as Ion.", "Number of rows that were written."),
  metrics: counters({ records: "Rows that were written." }),
  examples: [{
    title: "Titles of a list of products",
    yaml: `id: titles
type: io.svc.plugin.transform.jsonata.TransformItems
from: "{{ outputs.download.uri }}"
expression: products.(title & ' by ' & brand)`,
  }],
  run: (context) => {
    const { explodeArray } = context.properties;
    const after = (result: JsonValue) => explodeArray && Array.isArray(result) ? result : [result];
    return storedItems(context, workOf(context), { after });
  },
});
