/** `encrypt` and `decrypt`: AES-GCM, as base64 of a 12-byte nonce, the cipher text, and a 16-byte tag. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { Buffer } from "node:buffer";
import { decodeBase64, encodeBase64, fail } from "../../languages/values/mod.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FunctionEntry, textArgument } from "../entry.ts";
import { randomBytes } from "./random.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters that are encrypted in one step, as a power of two. */
const CIPHER_SHIFT = 5;
const ALGORITHMS = new Map([[16, "aes-128-gcm" as const], [24, "aes-192-gcm" as const], [
  32,
  "aes-256-gcm" as const,
]]);

/** Functions that encrypt; null stays null. */
export const CRYPTO_FUNCTIONS: readonly FunctionEntry[] = [
  ["encrypt", { parameters: ["key", "plaintext"], required: 2, call: encrypt }],
  ["decrypt", { parameters: ["key", "encrypted"], required: 2, call: decrypt }],
];

function keyOf(args: Arguments) {
  const key = decodeBase64(textArgument(args[0], "key"));
  const algorithm = ALGORITHMS.get(key.length);
  return algorithm
    ? { key, algorithm }
    : fail("argument", "Cannot use the key: it is not of 16, 24 or 32 bytes");
}

function encrypt(args: Arguments, context: Context): string | null {
  if (args[1] === null) return null;
  const { key, algorithm } = keyOf(args);
  const plaintext = textArgument(args[1], "plaintext");
  context.spend(plaintext.length >>> CIPHER_SHIFT);
  const nonce = randomBytes(NONCE_BYTES, context);
  const cipher = createCipheriv(algorithm, key, nonce);
  const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
  return encodeBase64(Buffer.concat([nonce, body, cipher.getAuthTag()]));
}

function decrypt(args: Arguments, context: Context): string | null {
  if (args[1] === null) return null;
  const { key, algorithm } = keyOf(args);
  const encrypted = textArgument(args[1], "encrypted");
  context.spend(encrypted.length >>> CIPHER_SHIFT);
  const bytes = decodeBase64(encrypted);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) {
    return fail("argument", "Cannot decrypt the text: it is too short");
  }
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([body, decipher.final()]).toString("utf8");
  } catch {
    return fail("argument", "Cannot decrypt the text: it is not of that key");
  }
}
