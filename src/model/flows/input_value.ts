/** Values of inputs: as a caller sends them, and as they are kept encrypted. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";

/** One sent value: the text of a form field, an uploaded file that is stored already, or a value of a program. */
export type GivenValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly uri: string; readonly size: number }
  | { readonly kind: "value"; readonly value: JsonValue };

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
