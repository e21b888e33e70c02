/** `core.execution.Labels`: adds labels to the execution. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { isSystemLabel, type Label, systemLabelMessage } from "../../model/flows/label.ts";
import { dynamicProperty } from "../../model/flows/schema.ts";
import { MAX_LABEL_LENGTH, MAX_LABELS } from "../../model/limits.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { structureOf } from "../property_values.ts";

/** Has no outputs. */
export const labelsTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Labels",
  aliases: ["core.tasks.executions.Labels"],
  description: "Adds labels to the execution; a label of the same key is replaced.",
  pure: true,
  properties: {
    labels: dynamicProperty(
      "map",
      "Labels: a map, a list of `key` and `value`, or a JSON text of one of them.",
      { required: true, orList: true, orText: true },
    ),
  },
  outputs: {},
  run(properties, context) {
    const labels = readPairs(structureOf(properties, "labels") ?? null).map(checkLabel);
    const keys = new Set([...context.labels, ...labels].map(({ key }) => key));
    if (keys.size > MAX_LABELS) throw new Error(`Too many labels: an execution has at most ${MAX_LABELS}`);
    return { state: "SUCCESS", outputs: {}, effects: { labels } };
  },
};

function readPairs(value: JsonValue): (readonly [key: JsonValue, value: JsonValue])[] {
  if (isJsonObject(value)) return Object.entries(value);
  if (!Array.isArray(value)) {
    throw new Error(`Invalid labels: they must be a map or a list, but received "${printValue(value)}"`);
  }
  return value.map((item) => {
    if (isJsonObject(item)) return [item.key ?? null, item.value ?? null] as const;
    throw new Error(`Invalid label "${printValue(item)}": it must have a key and a value`);
  });
}

function checkLabel([name, content]: readonly [JsonValue, JsonValue]): Label {
  const key = name === null ? "" : printValue(name);
  const value = content === null ? "" : printValue(content);
  if (key === "" || value === "") {
    throw new Error(`Invalid label "${key}:${value}": key and value must not be empty`);
  }
  if (key.length > MAX_LABEL_LENGTH || value.length > MAX_LABEL_LENGTH) {
    throw new Error(`Invalid label "${key.slice(0, 50)}": it is longer than ${MAX_LABEL_LENGTH} characters`);
  }
  if (!isSystemLabel(key)) return { key, value };
  throw new Error(systemLabelMessage(key, value));
}
