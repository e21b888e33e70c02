/** Encryption of texts at rest: AES-256-GCM. Synchronous, because expressions decrypt while they render. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { joinBytes } from "../bytes.ts";
import { type RandomBytes, systemRandomBytes } from "../id.ts";

/** Bytes of a key. */
export const CIPHER_KEY_BYTES = 32;

const ALGORITHM = "aes-256-gcm";
/** First byte of every ciphertext; identifies the algorithm. */
const FORMAT_AES_GCM = 0x01;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Encrypts and decrypts texts with one key. */
export class Cipher {
  readonly #key: Uint8Array;
  readonly #randomBytes: RandomBytes;

  private constructor(key: Uint8Array, randomBytes: RandomBytes) {
    this.#key = key;
    this.#randomBytes = randomBytes;
  }

  /** @throws Error when the key does not have {@link CIPHER_KEY_BYTES} bytes */
  static fromKey(bytes: Uint8Array, randomBytes: RandomBytes = systemRandomBytes): Cipher {
    if (bytes.length !== CIPHER_KEY_BYTES) {
      throw new Error(
        `Cannot use the encryption key: it has ${bytes.length} bytes instead of ${CIPHER_KEY_BYTES}`,
      );
    }
    return new Cipher(bytes.slice(), randomBytes);
  }

  /** Format byte, nonce, ciphertext and tag. `context` is authenticated, not stored: {@link decrypt} needs the same one. */
  encrypt(text: string, context: string): Uint8Array {
    const nonce = new Uint8Array(NONCE_BYTES);
    this.#randomBytes(nonce);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    cipher.setAAD(encoder.encode(context));
    const body = cipher.update(encoder.encode(text));
    const rest = cipher.final();
    return joinBytes([Uint8Array.of(FORMAT_AES_GCM), nonce, body, rest, cipher.getAuthTag()]);
  }

  /** The text, or `undefined` when the bytes were changed, or encrypted with another key or for another context. */
  decrypt(bytes: Uint8Array, context: string): string | undefined {
    if (bytes[0] !== FORMAT_AES_GCM || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(1, HEAD_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce);
    decipher.setAAD(encoder.encode(context));
    decipher.setAuthTag(bytes.slice(-TAG_BYTES));
    const body = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return undefined; // The platform reports a wrong tag only by throwing.
    }
    return decoder.decode(body);
  }
}
