/** `crypto.openpgp.Decrypt`. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineMachineTask } from "../../model/tasks/machine_task.ts";
import { storeOpenPgp } from "./openpgp_evaluator.ts";

/** Output: `uri`. */
export const openpgpDecrypt = defineMachineTask({
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
    return { uri: await storeOpenPgp(context, "decrypt", "decrypted") };
  },
});
