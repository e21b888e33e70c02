/** `kv()`: the value of a KV pair. */
import type { JsonValue } from "../../base/json.ts";
import { type HostCall, HostError, type HostFunctionTable, requiredOf, textOf } from "./host_function.ts";

/** Functions on KV pairs. */
export const KV_PAIR_FUNCTIONS: HostFunctionTable = [
  ["kv", { parameters: ["key", "namespace", "errorOnMissing"], call: readKvPair, isShared: true }],
];

/** A missing pair is null unless `errorOnMissing`: flows guard it with `??`, which does not catch errors. */
async function readKvPair({ args, caller, values }: HostCall): Promise<JsonValue> {
  const given = textOf(args, "namespace");
  const { tenant, namespace: from } = caller;
  const namespace = given ?? from;
  const isRequired = textOf(args, "errorOnMissing")?.toLowerCase() === "true";
  const key = requiredOf(args, "key");
  const value = await values.kvPair(tenant, { namespace, key, isExact: given !== undefined, from });
  if (value === undefined && isRequired) {
    throw new HostError(
      `The key '${key}' does not exist in the namespace '${namespace}'. Leave out errorOnMissing to get null`,
    );
  }
  return value ?? null;
}
