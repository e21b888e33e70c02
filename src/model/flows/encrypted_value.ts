/** How an encrypted value stands in inputs and answers: its ciphertext under a type of its own. Knows no key. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";

/** The type that marks an encrypted value. */
export const ENCRYPTED_TYPE = "io.kestra.datatype:aes_encrypted";

/** `{type, value}`, the ciphertext in base64. */
export function encryptedValue(bytes: Uint8Array): JsonObject {
  return { type: ENCRYPTED_TYPE, value: Buffer.from(bytes).toString("base64") };
}

/** The ciphertext of an encrypted value; `undefined` for any other value. */
export function ciphertextOf(value: JsonValue | undefined): Uint8Array | undefined {
  if (!isJsonObject(value) || ownProperty(value, "type") !== ENCRYPTED_TYPE) return undefined;
  const text = ownProperty(value, "value");
  return typeof text === "string" ? Buffer.from(text, "base64") : undefined;
}
