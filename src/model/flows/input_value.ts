/** Values of inputs: as a caller sends them, and as they are kept encrypted. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";

/** A value before conversion to the type of its input: a form field, an uploaded and stored file, or a typed value. */
export type GivenValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly uri: string; readonly size: number }
  | { readonly kind: "value"; readonly value: JsonValue };

/** Type name that marks an encrypted value. */
export const ENCRYPTED_TYPE = "io.kestra.datatype:aes_encrypted";

/** `{type, value}` with the ciphertext in base64. */
export function encryptedValue(bytes: Uint8Array): JsonObject {
  return { type: ENCRYPTED_TYPE, value: Buffer.from(bytes).toString("base64") };
}

/** The ciphertext of an encrypted value; `undefined` for any other value. */
export function ciphertextOf(value: JsonValue | undefined): Uint8Array | undefined {
  if (!isJsonObject(value) || ownProperty(value, "type") !== ENCRYPTED_TYPE) return undefined;
  const text = ownProperty(value, "value");
  return typeof text === "string" ? Buffer.from(text, "base64") : undefined;
}

/** True if one of these outputs of a flow is encrypted. */
export function holdsEncrypted(outputs: JsonObject | undefined): boolean {
  return outputs !== undefined && Object.values(outputs).some((value) => ciphertextOf(value) !== undefined);
}
