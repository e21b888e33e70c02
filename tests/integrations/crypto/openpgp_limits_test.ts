/** Keys and messages that are made to occupy a server. Those that only OpenPGP.js can make are made of its objects. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { constants, deflateRawSync } from "node:zlib";
import * as openpgp from "openpgp";
import type { JsonObject } from "../../../src/base/json.ts";
import { openpgpDecrypt } from "../../../src/integrations/crypto/openpgp_decrypt.ts";
import { openpgpEncrypt } from "../../../src/integrations/crypto/openpgp_encrypt.ts";
import { encryptedPieces } from "../../../src/integrations/crypto/openpgp_encryption.ts";
import { type DefinitionRunOptions, runDefinition } from "../../support/flows/definition_run.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const SOURCE = "kestra:///content";
const USER = "ann@example.org";
const PASSPHRASE = "correct horse battery staple";

/** What the types of the package leave out. */
// deno-lint-ignore no-explicit-any
type Untyped = any;

const { privateKey, publicKey } = await openpgp.generateKey({
  userIDs: [{ email: USER }],
  type: "ecc",
  format: "object",
});

async function decrypt(file: Uint8Array, properties: JsonObject, options?: DefinitionRunOptions) {
  const { outputs, files } = await runDefinition(
    openpgpDecrypt,
    { from: SOURCE, ...properties },
    { files: { [SOURCE]: file }, ...options },
  );
  return files.get(String(outputs.uri));
}

async function encrypt(properties: JsonObject): Promise<Uint8Array> {
  const { outputs, bytes } = await runDefinition(
    openpgpEncrypt,
    { from: SOURCE, key: publicKey.armor(), recipients: [USER], ...properties },
    { files: { [SOURCE]: "text" } },
  );
  return bytes.get(String(outputs.uri)) ?? new Uint8Array();
}

/** A message to the key, of compressed packets: `start`, then `MiB` of zeros. */
async function messageOf(start: Uint8Array, MiB = 0): Promise<Uint8Array> {
  const flushed = { finishFlush: constants.Z_FULL_FLUSH };
  const zeros = deflateRawSync(new Uint8Array(1024 ** 2), flushed);
  const parts = [deflateRawSync(start, flushed), ...Array(MiB).fill(zeros), deflateRawSync(new Uint8Array())];
  const compressed: Untyped = new openpgp.CompressedDataPacket();
  Object.assign(compressed, { algorithm: 1, compressed: new Uint8Array(Buffer.concat(parts)) });
  const list: Untyped = new openpgp.PacketList();
  list.push(Object.assign(compressed, { packets: new openpgp.PacketList() }));
  const Message: Untyped = (await openpgp.createMessage({ text: "" })).constructor;
  return (await new Message(list).encrypt([publicKey])).write();
}

/** Empty packets of a type that programs ignore if they do not know it. All together take 5 s. */
const IGNORED_PACKETS = new Uint8Array(400_000).map((_, index) => index % 2 === 0 ? 0xfc : 0);

Deno.test("Decrypt ends when it must stop, also while the package reads packets without a pause", async () => {
  const file = await messageOf(IGNORED_PACKETS);
  const decrypted = decrypt(file, { privateKey: privateKey.armor() }, { signal: AbortSignal.timeout(200) });
  await assertRejects(() => decrypted, DOMException, "due to timeout");
});

Deno.test("Decrypt refuses a message that takes too much memory", async () => {
  const packet = Uint8Array.from([0xfc, 0xff, 0x60, 0, 0, 0]); // Of 1.5 GiB.
  const file = await messageOf(packet, 1536);
  await assertRejects(
    () => decrypt(file, { privateKey: privateKey.armor() }),
    Error,
    "Cannot decrypt the file: its process ended with code 1: it takes more than 1024 MiB of memory",
  );
});

/** A key that is locked at little cost, and then says that it was locked at other costs. */
async function lockedKey(
  costs: { readonly t: number; readonly encodedM: number },
  subkeys = 1,
): Promise<string> {
  const made = await openpgp.generateKey({
    userIDs: [{ email: USER }],
    type: "ecc",
    subkeys: Array(subkeys).fill({}),
    format: "object",
  });
  const locked = await openpgp.encryptKey({
    privateKey: made.privateKey,
    passphrase: PASSPHRASE,
    config: { ...ARGON2, s2kArgon2Params: { passes: 1, parallelism: 1, memoryExponent: 4 } },
  });
  for (const { keyPacket } of locked.getKeys()) Object.assign((keyPacket as Untyped).s2k, costs);
  return locked.armor();
}

const ARGON2 = { s2kType: openpgp.enums.s2k.argon2, aeadProtect: true } as const;

const EXPENSIVE: readonly (readonly [name: string, key: () => Promise<string>, refusal: string])[] = [
  [
    "takes too many passes",
    () => lockedKey({ t: 5, encodedM: 16 }),
    "its passphrase takes Argon2 with t = 5 and m = 65536 KiB, m may be 65536 KiB and t · m 262144 KiB",
  ],
  [
    "takes too much memory",
    () => lockedKey({ t: 1, encodedM: 17 }),
    "its passphrase takes Argon2 with t = 1 and m = 131072 KiB",
  ],
  [
    "has too many parts",
    () => lockedKey({ t: 1, encodedM: 4 }, 32),
    "it has 33 locked keys and subkeys, at most 32 are unlocked",
  ],
];
for (const [name, key, refusal] of EXPENSIVE) {
  Deno.test(`a private key is refused if its passphrase ${name}`, async () => {
    const armored = await key();
    await assertRejects(
      () => decrypt(new Uint8Array(1), { privateKey: armored, privateKeyPassphrase: "wrong" }),
      Error,
      `Cannot use privateKey: ${refusal}`,
    );
    await assertRejects(
      () => encrypt({ signPrivateKey: armored, signPassphrase: "wrong" }),
      Error,
      `Cannot use signPrivateKey: ${refusal}`,
    );
  });
}

const USUAL: readonly (readonly [name: string, config: openpgp.PartialConfig])[] = [
  ["the most rounds of gpg", { s2kIterationCountByte: 255 }],
  ["the defaults of Argon2", ARGON2],
];
for (const [name, config] of USUAL) {
  Deno.test(`a private key is unlocked at ${name}`, async () => {
    const locked = await openpgp.encryptKey({ privateKey, passphrase: PASSPHRASE, config });
    const armored = locked.armor();
    const file = await encrypt({ signPrivateKey: armored, signPassphrase: PASSPHRASE });
    assertEquals(await decrypt(file, { privateKey: armored, privateKeyPassphrase: PASSPHRASE }), "text");
  });
}

Deno.test("Encrypt digests a file while it reads it, so that it keeps no more than some pieces", async () => {
  const prototype: Untyped = Object.getPrototypeOf(createHash("sha1"));
  const { update } = prototype, { TransformStream } = globalThis;
  let digested = 0, written = 0;
  prototype.update = function (bytes: Uint8Array) {
    digested += bytes.length;
    return update.call(this, bytes);
  };
  try {
    await withTempDir(async (folder) => {
      await Deno.writeFile(`${folder}/source`, new Uint8Array(8 * 1024 ** 2));
      const properties = { key: publicKey.armor(), recipients: [USER] };
      for await (const piece of encryptedPieces(`${folder}/source`, properties)) {
        written += piece.length;
        assert(digested > written - 1024 ** 2, `${digested} bytes are digested, ${written} are written`);
      }
    });
  } finally {
    Object.assign(prototype, { update });
    Object.assign(globalThis, { TransformStream });
  }
});

Deno.test("Encrypt unlocks the private key that signs, no other one", async () => {
  const other = await openpgp.generateKey({
    userIDs: [{ email: "bob@example.org" }],
    passphrase: "other",
    format: "object",
  });
  const list: Untyped = new openpgp.PacketList();
  list.push(...other.privateKey.toPacketList(), ...privateKey.toPacketList());
  const signPrivateKey = openpgp.armor(openpgp.enums.armor.privateKey, list.write()) as Untyped;
  const file = await encrypt({ signPrivateKey, signUser: USER });
  assertEquals(await decrypt(file, { privateKey: privateKey.armor() }), "text");
});

/** A key of which numbers are replaced; it can be read, but is of no use. */
async function keyWith(
  algorithm: openpgp.enums.publicKey,
  publicParams: Readonly<Record<string, number>>,
  privateParams?: Readonly<Record<string, number>>,
): Promise<string> {
  const numbers = (bits: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(bits).map(([name, count]) => [name, new Uint8Array(count / 8).fill(255)]),
    );
  const source = privateParams ? privateKey : publicKey;
  const key: Untyped = privateParams
    ? await openpgp.readPrivateKey({ armoredKey: source.armor() })
    : await openpgp.readKey({ armoredKey: source.armor() });
  Object.assign(key.keyPacket, { algorithm, publicParams: numbers(publicParams) });
  if (privateParams) Object.assign(key.keyPacket, { privateParams: numbers(privateParams) });
  return key.armor();
}

const { rsaEncryptSign, dsa, elgamal } = openpgp.enums.publicKey;
const LONG: readonly (readonly [name: string, bits: number, max: number, key: () => Promise<string>])[] = [
  ["n", 8_200, 8_192, () => keyWith(rsaEncryptSign, { n: 8_200, e: 24 })],
  ["e", 520, 512, () => keyWith(rsaEncryptSign, { n: 4_096, e: 520 })],
  ["p", 65_528, 4_096, () => keyWith(dsa, { p: 65_528, q: 256, g: 8, y: 8 })],
  ["q", 520, 512, () => keyWith(dsa, { p: 2_048, q: 520, g: 8, y: 8 })],
  ["p", 4_104, 4_096, () => keyWith(elgamal, { p: 4_104, g: 8, y: 8 })],
];
for (const [name, bits, max, key] of LONG) {
  Deno.test(`a public key is refused if its ${name} has ${bits} bits`, async () => {
    const armored = await key();
    const refusal = `its number ${name} has ${bits} bits, at most ${max} are allowed`;
    await assertRejects(() => encrypt({ key: armored }), Error, refusal);
    const signers = { signUsersKey: [armored], requiredSignerUsers: [USER] };
    await assertRejects(
      () => decrypt(new Uint8Array(1), { privateKey: privateKey.armor(), ...signers }),
      Error,
      refusal,
    );
  });
}

Deno.test("a private key is refused if a number of it is too long, public or private", async () => {
  for (
    const [name, bits, max, key] of [
      ["p", 65_528, 4_096, await keyWith(dsa, { p: 65_528, q: 256, g: 8, y: 8 }, { x: 256 })],
      ["d", 8_200, 8_192, await keyWith(rsaEncryptSign, { n: 4_096, e: 24 }, { d: 8_200, p: 8, q: 8, u: 8 })],
    ] as const
  ) {
    const refusal = `its number ${name} has ${bits} bits, at most ${max} are allowed`;
    await assertRejects(() => decrypt(new Uint8Array(1), { privateKey: key }), Error, refusal);
    await assertRejects(() => encrypt({ signPrivateKey: key }), Error, refusal);
  }
});
