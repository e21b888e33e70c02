/** Keys that are derived from passphrases: how many steps that may take, and that they are derived one after the other. */
import { Buffer } from "node:buffer";
import { pemContent } from "../base/crypto/pem_content.ts";
import { FairSlots } from "../base/fair_slots.ts";

/** Of a PEM key; they stop the whole server. Some 1.4 s. OpenSSL takes 2,048 by default. */
const MAX_STEPS = 2_000_000;
/** Sequences within each other down to the parameters of the derivation. */
const MAX_DEPTH = 8;
const [INTEGER, OCTETS, SEQUENCE] = [2, 4, 16];
/** A tag without its class and its form. */
const TAG = 0x1f;
/** A derivation takes a processor, up to 256 MiB, and cannot be stopped. */
const slots = new FairSlots(1);

/**
 * Derives a key when no other one is derived; owners take turns. Keys of PEM, which are derived in the thread of the server, need
 * no turn. @throws the reason of the signal, if it is aborted before
 */
export async function inTurn<T>(owner: string, signal: AbortSignal, derive: () => Promise<T>): Promise<T> {
  const release = await slots.acquire(owner, signal);
  if (!release) throw signal.reason;
  try {
    return await derive();
  } finally {
    release();
  }
}

/** Returns the key. @throws Error its owner has chosen more steps than are allowed; `name` is the property */
export function affordableKey<Key extends string | undefined>(key: Key, name: string): Key {
  const der = Buffer.from(pemContent(key ?? "", "ENCRYPTED PRIVATE KEY"), "base64");
  const steps = stepsOf(der, MAX_DEPTH);
  if (steps <= MAX_STEPS) return key;
  throw new Error(
    `Cannot parse ${name}: its passphrase needs ${steps} steps, at most ${MAX_STEPS} are allowed`,
  );
}

/**
 * The product of the costs after a salt, in the first place in DER that has them: iterations of PBKDF2 and its length of keys
 * (RFC 8018, A.2), or N, r and p of scrypt (RFC 7914, 7); else 0.
 */
function stepsOf(der: Buffer, depth: number): number {
  if (depth === 0) return 0;
  const parts = partsOf(der);
  if (parts[0]?.tag === OCTETS && parts[1]?.tag === INTEGER) {
    const [count = 0, ...more] = parts.filter(({ tag }) => tag === INTEGER).map(({ content }) =>
      Number(`0x0${content.toString("hex")}`)
    );
    return more.length < 2 ? count : more.slice(0, 2).reduce((product, cost) => product * cost, count);
  }
  for (const { tag, content } of parts) {
    const steps = tag === SEQUENCE ? stepsOf(content, depth - 1) : 0;
    if (steps > 0) return steps;
  }
  return 0;
}

interface Part {
  readonly tag: number;
  readonly content: Buffer;
}

function partsOf(der: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at + 2 <= der.length;) {
    const first = der[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : Number(`0x0${der.toString("hex", at + 2, start)}`);
    parts.push({ tag: (der[at] ?? 0) & TAG, content: der.subarray(start, start + length) });
    at = start + length;
  }
  return parts;
}
