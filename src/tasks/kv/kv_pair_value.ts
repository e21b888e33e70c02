/** Values of key-value pairs that tasks write. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { MAX_KV_VALUE_BYTES } from "../../model/limits.ts";
import type { KvPairId } from "../../model/namespaces/kv_pair.ts";
import type { RunContext } from "../../model/ports/run_context.ts";

/** `value`, rendered again to keep its type: a template that is a single expression may give a number. */
export async function givenKvValue(properties: JsonObject, context: RunContext): Promise<JsonValue> {
  const written = ownProperty(context.written, "value");
  if (typeof written === "string" && written.includes("{")) return await context.render(written);
  return ownProperty(properties, "value") ?? null;
}

/** @throws Error the value is too large for a pair */
export function checkKvSize({ key }: KvPairId, value: JsonValue): void {
  if (sizeOf(value, MAX_KV_VALUE_BYTES) <= MAX_KV_VALUE_BYTES) return;
  const reason = `it is larger than ${MAX_KV_VALUE_BYTES} bytes; write it to a file`;
  throw new Error(`Cannot set value for key "${key}": ${reason}`);
}
