/** Keys of OpenPGP in properties. No message shows a part of a key or a passphrase, nor the words of the package about them. */
import type { JsonValue } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { checkDerivations, checkNumbers } from "./openpgp_costs.ts";

type OpenPgp = typeof import("openpgp");
/** A public key, or the public part of a private one. */
export type PublicKey = import("openpgp").Key;
/** A private key. */
export type PrivateKey = import("openpgp").PrivateKey;
type SecretKeyPacket = import("openpgp").SecretKeyPacket;

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

/** The private keys of an armored text, locked or not. @throws Error it is malformed; names the property */
export async function readPrivateKeys(armoredKeys: string, property: string): Promise<PrivateKey[]> {
  const { readPrivateKeys } = await loadOpenPgp();
  return await readPrivateKeys({ armoredKeys }).catch(() => {
    throw new Error(
      `Cannot read ${property}: it is no armored private key of OpenPGP, as gpg --export-secret-keys -a writes it`,
    );
  });
}

/** What unlocks private keys. */
interface Unlocking {
  readonly passphrase: JsonValue | undefined;
  /** Names of the properties, for messages. */
  readonly property: string;
  readonly passphraseProperty: string;
}

/** Unlocks private keys, one part after the other. @throws Error the passphrase is wrong, or takes too long */
export async function unlockKeys(
  keys: readonly PrivateKey[],
  { passphrase, property, passphraseProperty }: Unlocking,
): Promise<void> {
  const locked = keys.filter((key) => !key.isDecrypted()), text = optionalText(passphrase);
  checkDerivations(locked, property);
  checkNumbers(keys);
  const fail = () => {
    throw new Error(`Cannot use ${property}: ${passphraseProperty} is wrong`);
  };
  for (const key of locked) {
    if (text === undefined) throw new Error(`Cannot use ${property}: it needs ${passphraseProperty}`);
    await decryptPackets(key, text).catch(fail);
    checkNumbers([key]);
    await (key as unknown as Validated).validate().catch(fail);
  }
}

/** What the types of the package leave out. */
interface Validated {
  validate(): Promise<void>;
}

/** The package does it with all at once, each of which may take 62 MiB. */
async function decryptPackets(key: PrivateKey, passphrase: string): Promise<void> {
  for (const { keyPacket } of key.getKeys()) await (keyPacket as SecretKeyPacket).decrypt(passphrase);
}

/** Whether a key belongs to a user: an address, a whole user id, a fingerprint or the id of a key. */
export function belongsTo(key: PublicKey, user: string): boolean {
  const wanted = user.trim().toLowerCase();
  const hex = wanted.replace(/^0x/, "").replace(/\s/g, "");
  const ids = key.getKeys().flatMap((each) => [each.getKeyID().toHex(), each.getFingerprint()]);
  const names = key.users.flatMap(({ userID }) => userID ? [userID.email, userID.userID] : []);
  return ids.includes(hex) || names.some((name) => name !== "" && name.toLowerCase() === wanted);
}
