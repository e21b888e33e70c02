/** Whose pair a task means. */
import type { JsonObject } from "../../base/json.ts";
import type { KvPairId } from "../../model/namespaces/kv_pair.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { requiredTextOf, textOf } from "../property_values.ts";

/** The namespace of pairs; that of the flow when none is given. */
export function kvNamespaceOf(properties: JsonObject, { namespace }: RunContext): string {
  return textOf(properties, "namespace") || namespace;
}

/** The pair that `key` and `namespace` name. @throws Error */
export function kvPairIdOf(properties: JsonObject, context: RunContext): KvPairId {
  return { namespace: kvNamespaceOf(properties, context), key: requiredTextOf(properties, "key") };
}

/** The error of a task that needs a pair which is not there. */
export function missingPair({ key, namespace }: KvPairId): Error {
  return new Error(
    `No value found for key '${key}' in namespace '${namespace}' and \`errorOnMissing\` is set to true`,
  );
}
