/** `crypto.openpgp.Decrypt`. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { UnpackedSize, UnpackRefusal } from "../compress/compression.ts";
import { writePieces } from "../row_files.ts";
import {
  belongsTo,
  loadOpenPgp,
  type PrivateKey,
  type PublicKey,
  readPrivateKeys,
  readPublicKeys,
  textsOf,
} from "./openpgp_keys.ts";

/** What is decrypted before its end is seen is stored only if the end is right. */
const STREAMED = { allowUnauthenticatedStream: true };
const ARMOR = "-----BEGIN PGP";

/** Output: `uri`. */
export const openpgpDecrypt = defineTask({
  type: "crypto.openpgp.Decrypt",
  title: "Decrypt a file by OpenPGP",
  description:
    "Decrypts a stored file, as `gpg --decrypt` does, from bytes or ASCII text. Signatures are checked if `requiredSignerUsers` is given.",
  properties: {
    from: dynamicText("Storage URI of the file.", { required: true }),
    privateKey: dynamicText(
      "Private key of a recipient, as `gpg --export-secret-keys -a` writes it; keep it as a secret.",
      { required: true },
    ),
    privateKeyPassphrase: dynamicText("Passphrase of that key; keep it as a secret."),
    signUsersKey: dynamicProperty(
      "list",
      "Public keys of those who sign, as `gpg --export -a` writes them.",
      { items: { type: "string", description: "Armored keys." } },
    ),
    requiredSignerUsers: dynamicProperty(
      "list",
      "Who must have signed the file, each of them: addresses, user ids, fingerprints or ids of these keys.",
      { items: { type: "string", description: "A user." } },
    ),
  },
  outputs: { uri: { type: "string", description: "Storage URI of the decrypted file." } },
  examples: [{
    title: "Decrypt a file and check who has signed it",
    yaml: `id: decrypt
type: io.svc.plugin.crypto.openpgp.Decrypt
from: "{{ outputs.download.uri }}"
privateKey: "{{ secret('PRIVATE_KEY') }}"
privateKeyPassphrase: "{{ secret('PASSPHRASE') }}"
signUsersKey: ["{{ secret('PARTNER_PUBLIC_KEY') }}"]
requiredSignerUsers: [files@example.com]`,
  }],
  async run(context) {
    const { properties } = context;
    const decryptionKeys = await readPrivateKeys(optionalText(properties.privateKey) ?? "", {
      passphrase: properties.privateKeyPassphrase,
      property: "privateKey",
      passphraseProperty: "privateKeyPassphrase",
    });
    const required = await requiredSigners(context);
    const source = await context.fetchFile(String(properties.from).trim());
    const path = `${await context.directory()}/decrypted`;
    const verificationKeys = [...required.values()].flat();
    const signatures = await decryptFile(context, { source, path, decryptionKeys, verificationKeys });
    await checkSigners(required, signatures);
    return { uri: await context.storeFile(path) };
  },
});

/** Keys by the users who must have signed. @throws Error there is no key of one */
async function requiredSigners({ properties }: TaskContext): Promise<ReadonlyMap<string, PublicKey[]>> {
  const users = textsOf(properties.requiredSignerUsers);
  const known = await readPublicKeys(textsOf(properties.signUsersKey), "signUsersKey");
  return new Map(users.map((user) => {
    const keys = known.filter((key) => belongsTo(key, user));
    if (keys.length > 0) return [user, keys];
    throw new Error(`Cannot check the signature of "${user}": signUsersKey has no key of this user`);
  }));
}

interface Decryption {
  readonly source: string;
  readonly path: string;
  readonly decryptionKeys: PrivateKey[];
  readonly verificationKeys: PublicKey[];
}

type Signatures = Awaited<ReturnType<typeof import("openpgp").decrypt>>["signatures"];

async function decryptFile(
  { signal }: TaskContext,
  { source, path, decryptionKeys, verificationKeys }: Decryption,
): Promise<Signatures> {
  const { decrypt } = await loadOpenPgp();
  const size = new UnpackedSize((await stat(source)).size);
  try {
    const message = await openMessage(source);
    const options = { message, decryptionKeys, verificationKeys, config: STREAMED };
    const { data, signatures } = await decrypt({ ...options, format: "binary" });
    await writePieces(path, counted(data as AsyncIterable<Uint8Array>, size), signal);
    return signatures;
  } catch (error) {
    if (error instanceof UnpackRefusal) throw error;
    signal.throwIfAborted();
    throw new Error(`Cannot decrypt the file: ${reasonOf(error as Error)}`);
  }
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

async function* counted(pieces: AsyncIterable<Uint8Array>, size: UnpackedSize): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    size.add(piece.length);
    yield piece;
  }
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
