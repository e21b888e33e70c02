/** Keys for one purpose each, derived from a secret key (HKDF with SHA-256, RFC 5869). */
import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;
const NO_SALT = new Uint8Array();

/** 32 bytes; who knows the key of one purpose learns neither the secret nor the keys of other purposes. */
export function derivedKey(secret: Uint8Array, purpose: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdfSync("sha256", secret, NO_SALT, purpose, KEY_BYTES));
}
