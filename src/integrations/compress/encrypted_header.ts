/**
 * Heads of encrypted files. That of OpenSSL has a mark and a salt of 8 bytes. That of the authenticated format has a mark, a
 * version, the derivation of the key, a salt of 16 bytes, a nonce of 12 bytes, and the costs as big-endian numbers; the tag
 * of GCM is at the end of the file and covers the head, too.
 */
import { Buffer } from "node:buffer";
import { promisify } from "node:util";

/** How a key is made of a password. */
export type Derivation =
  | { readonly kind: "PBKDF2_SHA256" | "PBKDF2_SHA512"; readonly iterations: number }
  | { readonly kind: "SCRYPT"; readonly cost: number; readonly parallelism: number };

/** The head of a file. */
export interface SealedHeader {
  readonly derivation: Derivation;
  readonly salt: Uint8Array;
  /** Absent where it is derived from the password. */
  readonly nonce?: Uint8Array;
  readonly isAuthenticated: boolean;
  readonly bytes: Uint8Array;
}

/** Bytes of the tag at the end of an authenticated file. */
export const GCM_TAG_BYTES = 16;
const OPENSSL_MARK = Buffer.from("Salted__");
const OPENSSL_SALT_BYTES = 8;
/** As other servers of this language write it. */
const SEALED_MARK = Buffer.from("KESTRAENC");
const VERSION = 1;
const PBKDF2_ID = 2;
const ARGON2_ID = 3;
const SCRYPT_ID = 4;
const SCRYPT_BLOCK = 8;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const IV_BYTES = 16;
/** Greatest cost N of scrypt. It needs 128 · N · r bytes: 256 MiB, four times the default of FileEncrypt. */
export const MAX_SCRYPT_COST = 262_144;
/** Greatest product of N and p of scrypt: some 10 s. */
const MAX_SCRYPT_WORK = 1_048_576;
const MAX_ITERATIONS = 10_000_000;

/** A new head, with a random salt. */
export function headerOf(derivation: Derivation): SealedHeader {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  if (derivation.kind === "PBKDF2_SHA256") {
    const salt = random(OPENSSL_SALT_BYTES);
    return { derivation, salt, isAuthenticated: false, bytes: Buffer.concat([OPENSSL_MARK, salt]) };
  }
  const salt = random(SALT_BYTES), nonce = random(NONCE_BYTES);
  const { id, costs } = encoded(derivation);
  const bytes = Buffer.concat([SEALED_MARK, Buffer.from([VERSION, id]), salt, nonce, costs]);
  return { derivation, salt, nonce, isAuthenticated: true, bytes };
}

function encoded(derivation: Derivation): { readonly id: number; readonly costs: Uint8Array } {
  const costs = Buffer.alloc(derivation.kind === "SCRYPT" ? 6 : 4);
  if (derivation.kind !== "SCRYPT") {
    costs.writeUInt32BE(derivation.iterations);
    return { id: PBKDF2_ID, costs };
  }
  costs.writeUInt32BE(derivation.cost);
  costs.writeUInt8(SCRYPT_BLOCK, 4);
  costs.writeUInt8(derivation.parallelism, 5);
  return { id: SCRYPT_ID, costs };
}

/**
 * The head of a file by its first bytes; `iterations` is for the format of OpenSSL, whose head has none.
 * @throws Error the format is not known, or the costs are beyond the limits
 */
export function readHeader(first: Uint8Array, iterations: number): SealedHeader {
  const bytes = Buffer.from(first);
  if (startsWith(bytes, OPENSSL_MARK)) {
    const end = OPENSSL_MARK.length + OPENSSL_SALT_BYTES;
    return {
      derivation: { kind: "PBKDF2_SHA256", iterations },
      salt: whole(bytes.subarray(OPENSSL_MARK.length, end), OPENSSL_SALT_BYTES),
      isAuthenticated: false,
      bytes: bytes.subarray(0, end),
    };
  }
  if (startsWith(bytes, SEALED_MARK)) return readSealed(bytes);
  throw new Error("Cannot decrypt the file: it has neither the head of OpenSSL nor that of FileEncrypt");
}

function readSealed(bytes: Buffer): SealedHeader {
  const at = SEALED_MARK.length;
  if (bytes[at] !== VERSION) throw new Error(`Cannot decrypt the file: unknown version ${bytes[at]}`);
  const id = bytes[at + 1];
  const saltAt = at + 2, nonceAt = saltAt + SALT_BYTES, costsAt = nonceAt + NONCE_BYTES;
  const end = costsAt + (id === SCRYPT_ID ? 6 : 4);
  return {
    derivation: readDerivation(id, whole(bytes.subarray(costsAt, end), end - costsAt)),
    salt: bytes.subarray(saltAt, nonceAt),
    nonce: bytes.subarray(nonceAt, costsAt),
    isAuthenticated: true,
    bytes: bytes.subarray(0, end),
  };
}

function readDerivation(id: number | undefined, costs: Buffer): Derivation {
  const first = costs.readUInt32BE(0);
  if (id === PBKDF2_ID && first > 0 && first <= MAX_ITERATIONS) {
    return { kind: "PBKDF2_SHA512", iterations: first };
  }
  if (id === SCRYPT_ID && costs[4] === SCRYPT_BLOCK) {
    return { kind: "SCRYPT", cost: first, parallelism: costs[5] ?? 1 };
  }
  if (id === ARGON2_ID) throw new Error("Cannot decrypt the file: Argon2 is not supported");
  throw new Error("Cannot decrypt the file: its head is damaged");
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

function whole(part: Buffer, length: number): Buffer {
  if (part.length === length) return part;
  throw new Error("Cannot decrypt the file: it is incomplete");
}

/** Key and initialization vector. @throws Error the costs of scrypt are not possible, or too great */
export async function deriveKey(
  password: string,
  { derivation, salt, nonce = new Uint8Array() }: SealedHeader,
): Promise<{ readonly key: Uint8Array; readonly iv: Uint8Array }> {
  if (derivation.kind === "SCRYPT") return { key: await scryptKey(password, salt, derivation), iv: nonce };
  const { pbkdf2 } = await import("node:crypto");
  const derive = promisify(pbkdf2);
  const { kind, iterations } = derivation;
  if (kind === "PBKDF2_SHA512") {
    return { key: await derive(password, salt, iterations, KEY_BYTES, "sha512"), iv: nonce };
  }
  const material = await derive(password, salt, iterations, KEY_BYTES + IV_BYTES, "sha256");
  return { key: material.subarray(0, KEY_BYTES), iv: material.subarray(KEY_BYTES) };
}

async function scryptKey(
  password: string,
  salt: Uint8Array,
  { cost, parallelism }: Extract<Derivation, { kind: "SCRYPT" }>,
): Promise<Uint8Array> {
  if (cost > MAX_SCRYPT_COST) {
    throw new Error(
      `Cannot make the key: scrypt with N = ${cost} takes too much memory, N may be ${MAX_SCRYPT_COST}; encrypt the file again with less`,
    );
  }
  if (cost * parallelism > MAX_SCRYPT_WORK) {
    throw new Error(
      `Cannot make the key: scrypt with N = ${cost} and p = ${parallelism} takes too long, N · p may be ${MAX_SCRYPT_WORK}`,
    );
  }
  const { scrypt } = await import("node:crypto");
  const derive = promisify<string, Uint8Array, number, object, Uint8Array>(scrypt);
  return await derive(password, salt, KEY_BYTES, {
    N: cost,
    r: SCRYPT_BLOCK,
    p: parallelism,
    maxmem: 128 * SCRYPT_BLOCK * (cost + parallelism) + 1024 * 1024,
  });
}
