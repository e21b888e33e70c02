/** Keys and messages that are made to occupy a server. Those that only OpenPGP.js can make are made of its objects. */
import { assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { constants, deflateRawSync } from "node:zlib";
import * as openpgp from "openpgp";
import type { JsonObject } from "../../../src/base/json.ts";
import { openpgpDecrypt } from "../../../src/integrations/crypto/openpgp_decrypt.ts";
import { type DefinitionRunOptions, runDefinition } from "../../support/flows/definition_run.ts";

const SOURCE = "kestra:///content";

/** What the types of the package leave out. */
// deno-lint-ignore no-explicit-any
type Untyped = any;

const { privateKey, publicKey } = await openpgp.generateKey({
  userIDs: [{ email: "ann@example.org" }],
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

Deno.test("Decrypt refuses a message that takes far too much memory", async () => {
  const packet = Uint8Array.from([0xfc, 0xff, 0x60, 0, 0, 0]); // Of 1.5 GiB.
  const file = await messageOf(packet, 1536);
  await assertRejects(
    () => decrypt(file, { privateKey: privateKey.armor() }),
    Error,
    "Cannot decrypt the file: its process ended with code 1: it takes more than 1024 MiB of memory",
  );
});
