/** Properties that identify a key-value pair. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import type { KvPairId } from "../../model/namespaces/kv_pair.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { requiredTextOf, textOf } from "../property_values.ts";

/** `key` of a pair. */
export const KV_KEY: PropertySchema = dynamicText(
  "Name of the pair: letters, digits, `.`, `_` and `-`; begins with a letter or digit.",
  { required: true, pattern: "[a-zA-Z0-9][a-zA-Z0-9._-]*" },
);

/** `namespace` of a pair. */
export const KV_NAMESPACE: PropertySchema = dynamicText("Namespace of the pair.", {
  default: "{{ flow.namespace }}",
});

/** `errorOnMissing` of tasks that read or delete a pair. */
export const ERROR_ON_MISSING: PropertySchema = dynamicFlag(false, "Whether a missing pair is a failure.");

/** The namespace; default is that of the flow. @throws Error a namespace that is not above it does not exist */
export async function kvNamespaceOf(
  properties: JsonObject,
  { tenant, namespace: from, ports }: RunContext,
): Promise<string> {
  const namespace = textOf(properties, "namespace") || from;
  await ports.kvPairs.checkAccess(tenant, namespace, from);
  return namespace;
}

/** The id from `key` and `namespace`. @throws Error no key, or as {@link kvNamespaceOf} */
export async function kvPairIdOf(properties: JsonObject, context: RunContext): Promise<KvPairId> {
  const key = requiredTextOf(properties, "key");
  return { namespace: await kvNamespaceOf(properties, context), key };
}

/** Error for a missing pair. */
export function missingPair({ key, namespace }: KvPairId): Error {
  return new Error(
    `No value found for key '${key}' in namespace '${namespace}' and \`errorOnMissing\` is set to true`,
  );
}
