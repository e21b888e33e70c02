/**
 * AES-GCM with keys of 16, 24 or 32 bytes, synchronous. The platform has no `aes-192-gcm`: for 24 bytes it is built from
 * its AES-CTR and the GHASH of NIST SP 800-38D.
 */
import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";
import { joinBytes } from "../../base/bytes.ts";

/** Bytes of a nonce. */
export const GCM_NONCE_BYTES = 12;
/** Bytes of a tag. */
export const GCM_TAG_BYTES = 16;

const BLOCK_BYTES = 16;
const ALGORITHMS = new Map([[16, "aes-128-gcm" as const], [32, "aes-256-gcm" as const]]);
const BUILT_KEY_BYTES = 24;
const ZEROS = new Uint8Array(BLOCK_BYTES);

/** A key and the nonce of one message. */
interface GcmKey {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
}

/** True for a number of bytes that a key may have. */
export function isGcmKeyLength(bytes: number): boolean {
  return bytes === BUILT_KEY_BYTES || ALGORITHMS.has(bytes);
}

/** The ciphertext, and after it the tag. @throws Error the key has another length than {@link isGcmKeyLength} allows */
export function encryptGcm({ key, nonce }: GcmKey, plain: Uint8Array): Uint8Array {
  if (key.length === BUILT_KEY_BYTES) {
    const { body, mask } = counterMode({ key, nonce }, plain);
    return joinBytes([body, tagOf(key, body, mask)]);
  }
  const cipher = createCipheriv(algorithmOf(key), key, nonce);
  return joinBytes([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The plain bytes; `undefined` for bytes that were changed, or encrypted with another key. @throws as {@link encryptGcm} */
export function decryptGcm({ key, nonce }: GcmKey, bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < GCM_TAG_BYTES) return undefined;
  const body = bytes.subarray(0, -GCM_TAG_BYTES), tag = bytes.slice(-GCM_TAG_BYTES);
  if (key.length === BUILT_KEY_BYTES) {
    const { body: plain, mask } = counterMode({ key, nonce }, body);
    return timingSafeEqual(tag, tagOf(key, body, mask)) ? plain : undefined;
  }
  const decipher = createDecipheriv(algorithmOf(key), key, nonce);
  decipher.setAuthTag(tag);
  const plain = decipher.update(body);
  try {
    return joinBytes([plain, decipher.final()]);
  } catch {
    return undefined; // The platform reports a wrong tag only by throwing.
  }
}

function algorithmOf(key: Uint8Array): "aes-128-gcm" | "aes-256-gcm" {
  const algorithm = ALGORITHMS.get(key.length);
  if (!algorithm) throw new Error(`Cannot use the key: it has ${key.length} bytes instead of 16, 24 or 32`);
  return algorithm;
}

/** The first block of the key stream masks the tag, the others the data. */
function counterMode({ key, nonce }: GcmKey, data: Uint8Array): { body: Uint8Array; mask: Uint8Array } {
  const counter = joinBytes([nonce, Uint8Array.of(0, 0, 0, 1)]);
  const bytes = keyStream(key, counter, joinBytes([ZEROS, data]));
  return { body: bytes.subarray(BLOCK_BYTES), mask: bytes.subarray(0, BLOCK_BYTES) };
}

function keyStream(key: Uint8Array, counter: Uint8Array, data: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-192-ctr", key, counter);
  return joinBytes([cipher.update(data), cipher.final()]); // `final` frees the cipher of the platform.
}

function tagOf(key: Uint8Array, body: Uint8Array, mask: Uint8Array): Uint8Array {
  return ghash(keyStream(key, ZEROS, ZEROS), body).map((byte, index) => byte ^ (mask[index] as number));
}

/** GHASH of the ciphertext and its length, without further authenticated data. Some 2 µs a block. */
function ghash(hashKey: Uint8Array, body: Uint8Array): Uint8Array {
  const factor = wordsOf(hashKey, 0), sum = new Uint32Array(4);
  for (let at = 0; at < body.length; at += BLOCK_BYTES) addBlock(sum, wordsOf(body, at), factor);
  const bits = body.length * 8;
  addBlock(sum, Uint32Array.of(0, 0, Math.floor(bits / 2 ** 32), bits >>> 0), factor);
  const bytes = new DataView(new ArrayBuffer(BLOCK_BYTES));
  sum.forEach((word, index) => bytes.setUint32(index * 4, word));
  return new Uint8Array(bytes.buffer);
}

/** The 16 bytes from an offset as big-endian words; bytes beyond the end are zero. */
function wordsOf(bytes: Uint8Array, offset: number): Uint32Array {
  const words = new Uint32Array(4);
  const end = Math.min(bytes.length, offset + BLOCK_BYTES);
  for (let at = offset; at < end; at++) {
    const index = at - offset;
    words[index >>> 2] = (words[index >>> 2] as number) | (bytes[at] as number) << (24 - (index & 3) * 8);
  }
  return words;
}

/** `sum` becomes (sum + block) · factor in GF(2^128), bits in the order of GCM. No branch depends on a secret bit. */
function addBlock(sum: Uint32Array, block: Uint32Array, factor: Uint32Array): void {
  const x = sum.map((word, index) => word ^ (block[index] as number));
  let [v0 = 0, v1 = 0, v2 = 0, v3 = 0] = factor;
  let z0 = 0, z1 = 0, z2 = 0, z3 = 0;
  for (let bit = 0; bit < 128; bit++) {
    const taken = -((x[bit >>> 5] as number) >>> (31 - (bit & 31)) & 1);
    z0 ^= v0 & taken, z1 ^= v1 & taken, z2 ^= v2 & taken, z3 ^= v3 & taken;
    const reduced = -(v3 & 1) & 0xe1000000;
    v3 = v3 >>> 1 | v2 << 31, v2 = v2 >>> 1 | v1 << 31, v1 = v1 >>> 1 | v0 << 31;
    v0 = v0 >>> 1 ^ reduced;
  }
  sum.set([z0, z1, z2, z3]);
}
