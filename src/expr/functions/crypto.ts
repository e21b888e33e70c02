/** `encrypt` and `decrypt`: AES-GCM, as base64 of a 12-byte nonce, the cipher text, and a 16-byte tag. */
import { decryptGcm, encryptGcm, GCM_NONCE_BYTES, GCM_TAG_BYTES, isGcmKeyLength } from "./aes_gcm.ts";
import { joinBytes } from "../../base/bytes.ts";
import { decodeBase64, encodeBase64, fail } from "../../languages/values/mod.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FunctionEntry, textArgument } from "../entry.ts";
import { randomBytes } from "./random.ts";

/** Characters that are encrypted in one step, as a power of two: with a key of 24 bytes 16 of them take 2 µs. */
const CIPHER_SHIFT = 3;

/** Functions that encrypt; null and the empty text stay as they are. */
export const CRYPTO_FUNCTIONS: readonly FunctionEntry[] = [
  ["encrypt", { parameters: ["key", "plaintext"], required: 2, call: encrypt }],
  ["decrypt", { parameters: ["key", "encrypted"], required: 2, call: decrypt }],
];

function keyOf(args: Arguments): Uint8Array {
  const key = decodeBase64(textArgument(args[0], "key"));
  if (isGcmKeyLength(key.length)) return key;
  return fail("argument", "Cannot use the key: it is not the base64 text of 16, 24 or 32 bytes");
}

function encrypt(args: Arguments, context: Context): string | null {
  if (args[1] === null || args[1] === "") return args[1];
  const key = keyOf(args);
  const plaintext = textArgument(args[1], "plaintext");
  context.spend(plaintext.length >>> CIPHER_SHIFT);
  const nonce = randomBytes(GCM_NONCE_BYTES, context);
  return encodeBase64(joinBytes([nonce, encryptGcm({ key, nonce }, new TextEncoder().encode(plaintext))]));
}

function decrypt(args: Arguments, context: Context): string | null {
  if (args[1] === null || args[1] === "") return args[1];
  const key = keyOf(args);
  const encrypted = textArgument(args[1], "encrypted");
  context.spend(encrypted.length >>> CIPHER_SHIFT);
  const bytes = decodeBase64(encrypted);
  if (bytes.length < GCM_NONCE_BYTES + GCM_TAG_BYTES) {
    return fail("argument", "Cannot decrypt the text: it is too short");
  }
  const nonce = bytes.subarray(0, GCM_NONCE_BYTES);
  const plain = decryptGcm({ key, nonce }, bytes.subarray(GCM_NONCE_BYTES));
  if (!plain) return fail("argument", "Cannot decrypt the text: it is not of that key");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain);
}
