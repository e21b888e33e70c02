/** Salted scrypt hashes of passwords. */
import { timingSafeEqual } from "node:crypto";
import {
  type DerivePasswordKey,
  KEY_BYTES,
  type KeyWork,
  passwordKey,
} from "../../base/crypto/password_key.ts";
import type { RandomBytes } from "../../base/id.ts";

/** From the OWASP cheat sheet for password storage: scrypt with 32 MiB and three passes; 270 ms, off the main thread. */
const DEFAULT_HASH_WORK: KeyWork = { cost: 32_768, passes: 3 };

const SALT_BYTES = 16;

/** A hash as stored. */
interface StoredHash {
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  readonly work: KeyWork;
}

/** The hash of a password. */
export class PasswordHash {
  readonly #hash: Uint8Array;
  readonly #salt: Uint8Array;
  readonly #work: KeyWork;

  private constructor(hash: Uint8Array, salt: Uint8Array, work: KeyWork) {
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
    return new PasswordHash(await passwordKey({ password, salt, work }), salt, work);
  }

  /** The hash that {@link stored} gave. */
  static from({ hash, salt, work }: StoredHash): PasswordHash {
    return new PasswordHash(hash, salt, work);
  }

  /** A hash that no password matches. A check takes the same time as that of a hash with this work. */
  static unmatched(randomBytes: RandomBytes, work = DEFAULT_HASH_WORK): PasswordHash {
    const [hash, salt] = [new Uint8Array(KEY_BYTES), new Uint8Array(SALT_BYTES)];
    randomBytes(hash);
    randomBytes(salt);
    return new PasswordHash(hash, salt, work);
  }

  /** What must be stored to verify passwords later. */
  get stored(): StoredHash {
    return { hash: this.#hash, salt: this.#salt, work: this.#work };
  }

  /** True if the password matches; takes the same time if not. */
  async matches(password: string, derive: DerivePasswordKey = passwordKey): Promise<boolean> {
    const key = await derive({ password, salt: this.#salt, work: this.#work });
    return timingSafeEqual(key, this.#hash);
  }
}
