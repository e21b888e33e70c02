/** Salted scrypt hashes of passwords. */
import { scrypt, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../../base/id.ts";

/** Work of one hash: memory and time grow with `cost`, time with `passes`. */
export interface HashWork {
  /** A power of two; one hash takes 1 KiB of memory for each. */
  readonly cost: number;
  readonly passes: number;
}

/** From the OWASP cheat sheet for password storage: scrypt with 32 MiB and three passes; 270 ms, off the main thread. */
const DEFAULT_HASH_WORK: HashWork = { cost: 32_768, passes: 3 };

const BLOCK_SIZE = 8;
/** Runtimes compute `maxmem` in different ways; the bound only guards against mistakes. */
const MEMORY_MARGIN = 1_048_576;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** A hash as stored. */
interface StoredHash {
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  readonly work: HashWork;
}

/** The hash of a password. */
export class PasswordHash {
  readonly #hash: Uint8Array;
  readonly #salt: Uint8Array;
  readonly #work: HashWork;

  private constructor(hash: Uint8Array, salt: Uint8Array, work: HashWork) {
    this.#hash = hash;
    this.#salt = salt;
    this.#work = work;
  }

  /** Hashes a password with a new salt. */
  static async create(
    password: string,
    randomBytes: RandomBytes,
    work = DEFAULT_HASH_WORK,
  ): Promise<PasswordHash> {
    const salt = new Uint8Array(SALT_BYTES);
    randomBytes(salt);
    return new PasswordHash(await derive(password, salt, work), salt, work);
  }

  /** The hash that {@link stored} gave. */
  static from({ hash, salt, work }: StoredHash): PasswordHash {
    return new PasswordHash(hash, salt, work);
  }

  /** A hash that no password matches. A check takes the same time as that of a hash with this work. */
  static unmatched(randomBytes: RandomBytes, work = DEFAULT_HASH_WORK): PasswordHash {
    const [hash, salt] = [new Uint8Array(HASH_BYTES), new Uint8Array(SALT_BYTES)];
    randomBytes(hash);
    randomBytes(salt);
    return new PasswordHash(hash, salt, work);
  }

  /** What must be stored to verify passwords later. */
  get stored(): StoredHash {
    return { hash: this.#hash, salt: this.#salt, work: this.#work };
  }

  /** True if the password matches; takes the same time if not. */
  async matches(password: string): Promise<boolean> {
    return timingSafeEqual(await derive(password, this.#salt, this.#work), this.#hash);
  }
}

function derive(password: string, salt: Uint8Array, { cost, passes }: HashWork): Promise<Uint8Array> {
  const options = { N: cost, r: BLOCK_SIZE, p: passes, maxmem: cost * BLOCK_SIZE * 256 + MEMORY_MARGIN };
  return new Promise((resolve, reject) =>
    scrypt(password, salt, HASH_BYTES, options, (error, hash) => error ? reject(error) : resolve(hash))
  );
}
