/** Keys that scrypt derives from passwords (RFC 7914). */
import { scrypt, type ScryptOptions, scryptSync } from "node:crypto";

/** Work of one key: memory and time grow with `cost`, time with `passes`. */
export interface KeyWork {
  /** A power of two; one key takes 1 KiB of memory for each. */
  readonly cost: number;
  readonly passes: number;
}

/** What a key is derived from. */
export interface PasswordKeyInput {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly work: KeyWork;
}

/** Gives the key. */
export type DerivePasswordKey = (input: PasswordKeyInput) => Promise<Uint8Array>;

/** Length of a key. */
export const KEY_BYTES = 32;

const BLOCK_SIZE = 8;
/** Runtimes compute `maxmem` in different ways; the bound only guards against mistakes. */
const MEMORY_MARGIN = 1_048_576;

/** Derives a key while the calling thread goes on. */
export function passwordKey({ password, salt, work }: PasswordKeyInput): Promise<Uint8Array> {
  return new Promise((resolve, reject) =>
    scrypt(
      password,
      salt,
      KEY_BYTES,
      optionsOf(work),
      (error, key) => error ? reject(error) : resolve(key),
    )
  );
}

/** Derives a key in the calling thread. */
export function passwordKeyNow({ password, salt, work }: PasswordKeyInput): Uint8Array {
  return scryptSync(password, salt, KEY_BYTES, optionsOf(work));
}

function optionsOf({ cost, passes }: KeyWork): ScryptOptions {
  return { N: cost, r: BLOCK_SIZE, p: passes, maxmem: cost * BLOCK_SIZE * 256 + MEMORY_MARGIN };
}
