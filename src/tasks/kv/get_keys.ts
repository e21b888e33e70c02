/** `core.kv.GetKeys`: lists the keys of a namespace. */
import { dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";
import { KV_NAMESPACE, kvNamespaceOf } from "./kv_pair_id.ts";

/** Output: `keys`. */
export const kvGetKeysTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.GetKeys",
  aliases: [],
  description: "Lists the keys of the key-value pairs of a namespace.",
  pure: false,
  properties: {
    prefix: dynamicText("Only keys that begin with this."),
    namespace: KV_NAMESPACE,
  },
  outputs: {
    keys: { type: "list", items: { type: "string", description: "A key." }, description: "The keys." },
  },
  async run(properties, context) {
    const prefix = textOf(properties, "prefix") ?? "";
    const namespace = await kvNamespaceOf(properties, context);
    const keys = await context.ports.kvPairs.keys(context.tenant, namespace);
    return { state: "SUCCESS", outputs: { keys: keys.filter((key) => key.startsWith(prefix)) } };
  },
};
