/** Encryption of small texts at rest: AES-256-GCM over WebCrypto. Owns no key and no store. */
import { type RandomBytes, systemRandomBytes } from "./id.ts";

/** Bytes of a key. */
export const CIPHER_KEY_BYTES = 32;

/** First byte of every ciphertext; another algorithm gets another one. */
const FORMAT_AES_GCM = 0x01;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encrypts and decrypts texts with one key. */
export class Cipher {
  readonly #key: CryptoKey;
  readonly #randomBytes: RandomBytes;

  private constructor(key: CryptoKey, randomBytes: RandomBytes) {
    this.#key = key;
    this.#randomBytes = randomBytes;
  }

  /** A cipher with that key. @throws Error when the key has not {@link CIPHER_KEY_BYTES} bytes */
  static async fromKey(bytes: Uint8Array, randomBytes: RandomBytes = systemRandomBytes): Promise<Cipher> {
    if (bytes.length !== CIPHER_KEY_BYTES) {
      throw new Error(
        `Cannot use the encryption key: it has ${bytes.length} bytes instead of ${CIPHER_KEY_BYTES}`,
      );
    }
    const raw = new Uint8Array(bytes);
    const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
    return new Cipher(key, randomBytes);
  }

  /** Format byte, nonce, ciphertext and tag. `context` is not stored; {@link decrypt} must be given the same one. */
  async encrypt(text: string, context: string): Promise<Uint8Array> {
    const iv = new Uint8Array(NONCE_BYTES);
    this.#randomBytes(iv);
    const additionalData = encoder.encode(context);
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData },
      this.#key,
      encoder.encode(text),
    );
    const bytes = new Uint8Array(1 + NONCE_BYTES + sealed.byteLength);
    bytes[0] = FORMAT_AES_GCM;
    bytes.set(iv, 1);
    bytes.set(new Uint8Array(sealed), 1 + NONCE_BYTES);
    return bytes;
  }

  /** The text, or `undefined` when the bytes were changed, or encrypted with another key or for another context. */
  async decrypt(bytes: Uint8Array, context: string): Promise<string | undefined> {
    if (bytes[0] !== FORMAT_AES_GCM || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) return undefined;
    const own = new Uint8Array(bytes);
    const iv = own.subarray(1, 1 + NONCE_BYTES);
    const additionalData = encoder.encode(context);
    try {
      const sealed = own.subarray(1 + NONCE_BYTES);
      const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, this.#key, sealed);
      return decoder.decode(text);
    } catch (error) {
      // WebCrypto says in this way alone that the tag does not fit.
      if (error instanceof DOMException && error.name === "OperationError") return undefined;
      throw error;
    }
  }
}
