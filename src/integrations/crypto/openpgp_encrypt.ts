/** `crypto.openpgp.Encrypt`. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
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

/** Output: `uri`. */
export const openpgpEncrypt = defineTask({
  type: "crypto.openpgp.Encrypt",
  title: "Encrypt a file by OpenPGP",
  description:
    "Encrypts a stored file for recipients, as `gpg --encrypt` does, and signs it if a private key is given.",
  properties: {
    from: dynamicText("Storage URI of the file.", { required: true }),
    key: dynamicText("Public keys of the recipients, as `gpg --export -a` writes them."),
    recipients: dynamicProperty(
      "list",
      "Who can decrypt the file: addresses, user ids, fingerprints or ids of these keys.",
      { required: true, items: { type: "string", description: "A recipient." } },
    ),
    signPrivateKey: dynamicText(
      "Private key that signs, as `gpg --export-secret-keys -a` writes it; keep it as a secret.",
    ),
    signPassphrase: dynamicText("Passphrase of that key; keep it as a secret."),
    signUser: dynamicText(
      "Which of several private keys signs: an address, a user id, a fingerprint or an id. Default is the first.",
    ),
    signPublicKey: dynamicText(
      "Public key of the one who signs; recipients are also looked for in it. The private key suffices to sign.",
    ),
    armor: dynamicFlag(false, "Writes ASCII text, as `gpg --armor` does, in place of bytes."),
  },
  outputs: { uri: { type: "string", description: "Storage URI of the encrypted file." } },
  examples: [{
    title: "Encrypt and sign a report",
    yaml: `id: encrypt
type: io.svc.plugin.crypto.openpgp.Encrypt
from: "{{ outputs.report.uri }}"
key: "{{ secret('PARTNER_PUBLIC_KEY') }}"
recipients: [files@example.com]
signPrivateKey: "{{ secret('SIGNING_KEY') }}"
signPassphrase: "{{ secret('SIGNING_PASSPHRASE') }}"`,
  }],
  async run(context) {
    const { properties, signal } = context;
    const encryptionKeys = await recipientKeys(context);
    const signingKeys = await signers(context);
    const source = await context.fetchFile(String(properties.from).trim());
    const { createMessage, encrypt } = await loadOpenPgp();
    const binary = Readable.toWeb(createReadStream(source)) as ReadableStream<Uint8Array>;
    const options = { message: await createMessage({ binary }), encryptionKeys, signingKeys };
    const isArmored = properties.armor === true;
    const pieces = await (isArmored
      ? encrypt({ ...options, format: "armored" })
      : encrypt({ ...options, format: "binary" })).catch((error: Error) => {
        throw new Error(`Cannot encrypt the file: ${error.message}`);
      });
    const path = `${await context.directory()}/encrypted.${isArmored ? "asc" : "pgp"}`;
    await writePieces(path, pieces as AsyncIterable<string | Uint8Array>, signal);
    return { uri: await context.storeFile(path) };
  },
});

async function recipientKeys({ properties }: TaskContext): Promise<PublicKey[]> {
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

async function signers({ properties }: TaskContext): Promise<PrivateKey[]> {
  const armored = optionalText(properties.signPrivateKey);
  const user = optionalText(properties.signUser);
  if (armored === undefined) {
    if (user === undefined) return [];
    throw new Error(`Cannot sign as "${user}": signPrivateKey is missing`);
  }
  const keys = await readPrivateKeys(armored, {
    passphrase: properties.signPassphrase,
    property: "signPrivateKey",
    passphraseProperty: "signPassphrase",
  });
  const key = user === undefined ? keys[0] : keys.find((each) => belongsTo(each, user));
  if (key) return [key];
  throw new Error(`Cannot sign as "${user ?? ""}": signPrivateKey has no key of this user`);
}
