/** Keys of OpenPGP in properties. No message shows a part of a key or a passphrase, nor the words of the package about them. */
import type { JsonValue } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";

type OpenPgp = typeof import("openpgp");
/** A public key, or the public part of a private one. */
export type PublicKey = import("openpgp").Key;
/** A private key. */
export type PrivateKey = import("openpgp").PrivateKey;

/** The package. */
export async function loadOpenPgp(): Promise<OpenPgp> {
  return await import("openpgp");
}

/** The texts of a list, which may be one text. */
export function textsOf(value: JsonValue | undefined): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((each) => optionalText(each)?.trim() || []);
}

/** The keys of armored texts, each as `gpg --export -a` writes one or several. @throws Error one is malformed; names the property */
export async function readPublicKeys(texts: readonly string[], property: string): Promise<PublicKey[]> {
  const { readKeys } = await loadOpenPgp();
  const read = async (armoredKeys: string) => {
    try {
      return (await readKeys({ armoredKeys })).map((key) => key.toPublic());
    } catch {
      throw new Error(
        `Cannot read ${property}: it is no armored key of OpenPGP, as gpg --export -a writes it`,
      );
    }
  };
  return (await Promise.all(texts.map(read))).flat();
}

/** What unlocks private keys. */
interface Unlocking {
  readonly passphrase: JsonValue | undefined;
  /** Names of the properties, for messages. */
  readonly property: string;
  readonly passphraseProperty: string;
}

/** The private keys of an armored text, unlocked. @throws Error the text is malformed, or the passphrase is wrong */
export async function readPrivateKeys(armoredKeys: string, options: Unlocking): Promise<PrivateKey[]> {
  const { readPrivateKeys, decryptKey } = await loadOpenPgp();
  const { property, passphraseProperty } = options;
  const keys = await readPrivateKeys({ armoredKeys }).catch(() => {
    throw new Error(
      `Cannot read ${property}: it is no armored private key of OpenPGP, as gpg --export-secret-keys -a writes it`,
    );
  });
  const passphrase = optionalText(options.passphrase);
  return await Promise.all(keys.map(async (privateKey) => {
    if (privateKey.isDecrypted()) return privateKey;
    if (passphrase === undefined) throw new Error(`Cannot use ${property}: it needs ${passphraseProperty}`);
    return await decryptKey({ privateKey, passphrase }).catch(() => {
      throw new Error(`Cannot use ${property}: ${passphraseProperty} is wrong`);
    });
  }));
}

/** Whether a key belongs to a user: an address, a whole user id, a fingerprint or the id of a key. */
export function belongsTo(key: PublicKey, user: string): boolean {
  const wanted = user.trim().toLowerCase();
  const hex = wanted.replace(/^0x/, "").replace(/\s/g, "");
  const ids = key.getKeys().flatMap((each) => [each.getKeyID().toHex(), each.getFingerprint()]);
  const names = key.users.flatMap(({ userID }) => userID ? [userID.email, userID.userID] : []);
  return ids.includes(hex) || names.some((name) => name !== "" && name.toLowerCase() === wanted);
}
