/** Encrypts files by OpenPGP, in the thread of an evaluator. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { JsonObject } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { checkNumbers } from "./openpgp_costs.ts";
import {
  belongsTo,
  loadOpenPgp,
  type PrivateKey,
  type PublicKey,
  readPrivateKeys,
  readPublicKeys,
  textsOf,
  unlockKeys,
} from "./openpgp_keys.ts";

/** The encrypted content of a file, by the properties of the task. @throws Error the keys do not suffice */
export async function* encryptedPieces(
  source: string,
  properties: JsonObject,
): AsyncGenerator<Uint8Array | string> {
  const encryptionKeys = await recipientKeys(properties);
  checkNumbers(encryptionKeys);
  const signingKeys = await signers(properties);
  readAhead();
  const { createMessage, encrypt } = await loadOpenPgp();
  const binary = Readable.toWeb(createReadStream(source)) as ReadableStream<Uint8Array>;
  const options = { message: await createMessage({ binary }), encryptionKeys, signingKeys };
  const pieces =
    await (properties.armor === true
      ? encrypt({ ...options, format: "armored" })
      : encrypt({ ...options, format: "binary" })).catch((error: Error) => {
        throw new Error(`Cannot encrypt the file: ${error.message}`);
      });
  yield* pieces as AsyncIterable<string | Uint8Array>;
}

/**
 * Makes streams of this thread read a piece before it is requested. Node does that, Deno does not for what is piped into a
 * TransformStream; without it the package begins the digest of the content at its end, and keeps all of it until then.
 */
function readAhead(): void {
  const Lazy = globalThis.TransformStream;
  globalThis.TransformStream = class<I, O> extends Lazy<I, O> {
    constructor(
      transformer?: Transformer<I, O>,
      writable?: QueuingStrategy<I>,
      readable: QueuingStrategy<O> = { highWaterMark: 1 },
    ) {
      super(transformer, writable, readable);
    }
  };
}

async function recipientKeys(properties: JsonObject): Promise<PublicKey[]> {
  const known = [
    ...await readPublicKeys(textsOf(properties.key), "key"),
    ...await readPublicKeys(textsOf(properties.signPublicKey), "signPublicKey"),
  ];
  const recipients = textsOf(properties.recipients);
  if (recipients.length === 0) throw new Error("Missing recipients: no key could decrypt the file");
  return recipients.map((recipient) => {
    const key = known.find((each) => belongsTo(each, recipient));
    if (key) return key;
    throw new Error(
      `Cannot encrypt for "${recipient}": none of the given public keys belongs to this recipient`,
    );
  });
}

async function signers(properties: JsonObject): Promise<PrivateKey[]> {
  const armored = optionalText(properties.signPrivateKey);
  const user = optionalText(properties.signUser);
  if (armored === undefined) {
    if (user === undefined) return [];
    throw new Error(`Cannot sign as "${user}": signPrivateKey is missing`);
  }
  const keys = await readPrivateKeys(armored, "signPrivateKey");
  const key = user === undefined ? keys[0] : keys.find((each) => belongsTo(each, user));
  if (!key) throw new Error(`Cannot sign as "${user ?? ""}": signPrivateKey has no key of this user`);
  await unlockKeys([key], {
    passphrase: properties.signPassphrase,
    property: "signPrivateKey",
    passphraseProperty: "signPassphrase",
  });
  return [key];
}
