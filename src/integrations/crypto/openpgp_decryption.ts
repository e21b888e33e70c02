/** Decrypts files by OpenPGP, in the thread of an evaluator. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { JsonObject } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { UnpackedSize, UnpackRefusal } from "../compress/compression.ts";
import { checkNumbers } from "./openpgp_costs.ts";
import {
  belongsTo,
  loadOpenPgp,
  type PublicKey,
  readPrivateKeys,
  readPublicKeys,
  textsOf,
  unlockKeys,
} from "./openpgp_keys.ts";

/** What is decrypted before its end is seen is stored only if the end is right. */
const STREAMED = { allowUnauthenticatedStream: true };
const ARMOR = "-----BEGIN PGP";

/** The content of a file, by the properties of the task. @throws Error it cannot be decrypted, or one who must have signed it has not */
export async function* decryptedPieces(source: string, properties: JsonObject): AsyncGenerator<Uint8Array> {
  const decryptionKeys = await readPrivateKeys(optionalText(properties.privateKey) ?? "", "privateKey");
  await unlockKeys(decryptionKeys, {
    passphrase: properties.privateKeyPassphrase,
    property: "privateKey",
    passphraseProperty: "privateKeyPassphrase",
  });
  const required = await requiredSigners(properties);
  const verificationKeys = [...required.values()].flat();
  checkNumbers(verificationKeys);
  const { decrypt } = await loadOpenPgp();
  const size = new UnpackedSize((await stat(source)).size);
  let signatures: Signatures;
  try {
    const decrypted = await decrypt({
      message: await openMessage(source),
      decryptionKeys,
      verificationKeys,
      config: STREAMED,
      format: "binary",
    });
    signatures = decrypted.signatures;
    for await (const piece of decrypted.data as AsyncIterable<Uint8Array>) {
      size.add(piece.length);
      yield piece;
    }
  } catch (error) {
    if (error instanceof UnpackRefusal) throw error;
    throw new Error(`Cannot decrypt the file: ${reasonOf(error as Error)}`);
  }
  await checkSigners(required, signatures);
}

type Signatures = Awaited<ReturnType<typeof import("openpgp").decrypt>>["signatures"];

/** Keys by the users who must have signed. @throws Error there is no key of one */
async function requiredSigners(properties: JsonObject): Promise<ReadonlyMap<string, PublicKey[]>> {
  const users = textsOf(properties.requiredSignerUsers);
  const known = await readPublicKeys(textsOf(properties.signUsersKey), "signUsersKey");
  return new Map(users.map((user) => {
    const keys = known.filter((key) => belongsTo(key, user));
    if (keys.length > 0) return [user, keys];
    throw new Error(`Cannot check the signature of "${user}": signUsersKey has no key of this user`);
  }));
}

async function openMessage(source: string) {
  const { readMessage } = await loadOpenPgp();
  const encoding = await isArmored(source) ? "latin1" : undefined;
  const stream = Readable.toWeb(createReadStream(source, { encoding })) as unknown;
  return encoding === undefined
    ? await readMessage({ binaryMessage: stream as ReadableStream<Uint8Array>, config: STREAMED })
    : await readMessage({ armoredMessage: stream as ReadableStream<string>, config: STREAMED });
}

async function isArmored(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(new Uint8Array(64), 0, 64, 0);
  return new TextDecoder("latin1").decode(buffer.subarray(0, bytesRead)).trimStart().startsWith(ARMOR);
}

/** The words of the package about a message; they hold no content. */
function reasonOf({ message }: Error): string {
  const text = message.replace(/^Error decrypting message: /, "");
  return /session key|no decryption key|decryption keys/i.test(text)
    ? "privateKey is not the key of a recipient"
    : `it is damaged, or no file of OpenPGP (${text})`;
}

type KeyIds = Signatures[number]["keyID"][];

/** @throws Error one has not signed, or the signature is wrong */
async function checkSigners(
  required: ReadonlyMap<string, PublicKey[]>,
  signatures: Signatures,
): Promise<void> {
  const valid: KeyIds = [];
  for (const { keyID, verified } of signatures) {
    if (await verified.catch(() => false)) valid.push(keyID);
  }
  for (const [user, keys] of required) {
    const signed = (ids: KeyIds) => ids.some((id) => keys.some((key) => key.getKeys(id).length > 0));
    if (signed(valid)) continue;
    throw new Error(
      signed(signatures.map(({ keyID }) => keyID))
        ? `Cannot accept the file: the signature of "${user}" is wrong`
        : `Cannot accept the file: "${user}" has not signed it`,
    );
  }
}
