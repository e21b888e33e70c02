/** `core.metric.Publish`: reports metrics. */
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { type Metric, METRIC_TYPES } from "../../model/executions/metric.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mapOf, oneOf, requiredTextOf, structureOf } from "../property_values.ts";
import { metricValue } from "./metric_value.ts";

const METRIC: PropertySchemas = Object.freeze({
  type: dynamicText("Type of the metric.", { required: true, values: METRIC_TYPES }),
  name: dynamicText("Name of the metric.", { required: true }),
  value: dynamicProperty("any", "A number; for a timer seconds, or a duration such as `PT10S`.", {
    required: true,
  }),
  description: dynamicText("What the metric is for.", { ignored: true }),
  tags: dynamicProperty("map", "Tags that distinguish metrics of the same name.", {
    items: { type: "string", description: "Value of the tag." },
  }),
});

/** Has no outputs. */
export const publishTask: RunnableTaskType = {
  form: "runnable",
  type: "core.metric.Publish",
  aliases: [],
  description: "Reports metrics of the execution.",
  pure: true,
  properties: {
    metrics: dynamicProperty("list", "The metrics.", {
      required: true,
      orText: true,
      items: dynamicProperty("object", "A metric.", { properties: METRIC }),
    }),
  },
  outputs: {},
  run(properties, context) {
    const given = structureOf(properties, "metrics") ?? [];
    if (!Array.isArray(given)) throw new Error("Invalid metrics: they must be a list");
    const metrics = given.map((item) => {
      if (isJsonObject(item)) return readMetric(item);
      throw new Error(`Invalid metric "${printValue(item)}": it must have a type, a name and a value`);
    });
    for (const metric of metrics) context.metric(metric);
    return { state: "SUCCESS", outputs: {} };
  },
};

function readMetric(given: JsonObject): Metric {
  const name = requiredTextOf(given, "name");
  const type = oneOf(METRIC_TYPES, requiredTextOf(given, "type"), "type");
  const tags = Object.entries(mapOf(given, "tags") ?? {}).map(([tag, value]) => [tag, printValue(value)]);
  return {
    name,
    type,
    value: metricValue(name, type, ownProperty(given, "value") ?? ""),
    tags: Object.fromEntries(tags),
  };
}
