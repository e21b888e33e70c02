/** `crypto.openpgp.Encrypt`. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineMachineTask } from "../../model/tasks/machine_task.ts";
import { storeOpenPgp } from "./openpgp_evaluator.ts";

/** Output: `uri`. */
export const openpgpEncrypt = defineMachineTask({
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
    const name = `encrypted.${context.properties.armor === true ? "asc" : "pgp"}`;
    return { uri: await storeOpenPgp(context, "encrypt", name) };
  },
});
