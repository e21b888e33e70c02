/** What keys of OpenPGP may cost: the package derives what their owners have chosen, and computes with numbers of any length. */

type Key = import("openpgp").Key;
type KeyPacket = Key["keyPacket"];

/** Memory of Argon2: the second recommendation of RFC 9106, and the default of OpenPGP.js. */
const MAX_MEMORY_KIB = 65_536;
/** Of all passes of Argon2: some 0.6 s. */
const MAX_PASSES_KIB = 4 * MAX_MEMORY_KIB;
/** Each takes 0.1 to 0.7 s with the most rounds of gpg. */
const MAX_LOCKED = 32;
/**
 * Bits of the public numbers: n and e of RSA, p and q of DSA and ElGamal. gpg makes 4,096, and 8,192 of RSA if it is asked to. A
 * signature by DSA of 65,000 bits takes three minutes.
 */
const MAX_PUBLIC_BITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ n: 8_192, e: 512, p: 4_096, q: 512 }),
);
const MAX_PRIVATE_BITS = 8_192;

type LockedPacket = import("openpgp").SecretKeyPacket & {
  /** What the types of the package leave out. */
  readonly s2k?: { readonly type: string; readonly t: number; readonly encodedM: number } | null;
};

/** Refuses locked keys whose passphrase takes too long, or too much memory. @throws Error names the property */
export function checkDerivations(keys: readonly Key[], property: string): void {
  const packets = keys.flatMap((key) => key.getKeys()).map(({ keyPacket }) => keyPacket as LockedPacket);
  const locked = packets.filter((packet) => !packet.isDummy());
  if (locked.length > MAX_LOCKED) {
    throw new Error(
      `Cannot use ${property}: it has ${locked.length} locked keys and subkeys, at most ${MAX_LOCKED} are unlocked; give the needed ones`,
    );
  }
  for (const { s2k } of locked) {
    if (s2k?.type !== "argon2") continue; // The others hash 62 MiB at most.
    const kib = 2 ** s2k.encodedM;
    if (kib <= MAX_MEMORY_KIB && s2k.t * kib <= MAX_PASSES_KIB) continue;
    throw new Error(
      `Cannot use ${property}: its passphrase takes Argon2 with t = ${s2k.t} and m = ${kib} KiB, m may be ${MAX_MEMORY_KIB} KiB ` +
        `and t · m ${MAX_PASSES_KIB} KiB; set the passphrase again with less`,
    );
  }
}

/** Refuses keys with longer numbers than programs make, as far as they are unlocked. @throws Error names the key */
export function checkNumbers(keys: readonly Key[]): void {
  for (const key of keys.flatMap((each) => each.getKeys())) {
    const { publicParams, privateParams } = key.keyPacket as KeyPacket & {
      readonly privateParams?: object | null;
    };
    const numbers = [
      ...Object.entries(publicParams).map(([name, value]) =>
        [name, value, MAX_PUBLIC_BITS.get(name)] as const
      ),
      ...Object.entries(privateParams ?? {}).map(([name, value]) => [name, value, MAX_PRIVATE_BITS] as const),
    ];
    for (const [name, value, max = Infinity] of numbers) {
      const bits = value instanceof Uint8Array ? value.length * 8 : 0;
      if (bits <= max) continue;
      throw new Error(
        `Cannot use the key ${key.getKeyID().toHex()}: its number ${name} has ${bits} bits, at most ${max} are allowed; use a shorter key`,
      );
    }
  }
}
