/** Private keys in the forms that the package `ssh2` reads. */
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";

/** A key and its passphrase, if it has one. */
interface PrivateKey {
  readonly privateKey?: string;
  readonly passphrase?: string;
}

/** The derivation of the key from a passphrase stops the whole server, some 15 ms a round; `ssh-keygen` uses 16 by default. */
const MAX_ROUNDS = 100;
const MAGIC_BYTES = "openssh-key-v1\0".length;
const OPENSSH = /-----BEGIN OPENSSH PRIVATE KEY-----\r?\n([^]+)\r?\n-----END OPENSSH PRIVATE KEY-----/;
const PEM = /-----BEGIN (?:(?:RSA|EC) |ENCRYPTED )?PRIVATE KEY-----/;

/** The package reads neither PKCS #8 nor encrypted PEM. @throws Error it can not be read; the message has nothing of key and passphrase */
export function readableKey({ privateKey, passphrase }: PrivateKey): PrivateKey {
  if (privateKey === undefined) return {};
  const rounds = roundsOf(privateKey);
  if (rounds > MAX_ROUNDS) {
    throw new Error(
      `Cannot parse privateKey: it has ${rounds} rounds of bcrypt, at most ${MAX_ROUNDS} are read`,
    );
  }
  return PEM.test(privateKey) ? decryptedPem(privateKey, passphrase) : { privateKey, passphrase };
}

function decryptedPem(privateKey: string, passphrase: string | undefined): PrivateKey {
  if (passphrase === undefined && /ENCRYPTED/.test(privateKey)) {
    throw new Error("Cannot parse privateKey: it is encrypted, but no passphrase given");
  }
  try {
    const key = createPrivateKey({ key: privateKey.trim(), format: "pem", passphrase });
    const type = key.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
    return { privateKey: key.export({ format: "pem", type }).toString() };
  } catch {
    // Its words are those of a library for cryptography.
    throw new Error("Cannot parse privateKey: bad passphrase, or unsupported key format");
  }
}

/** Rounds of bcrypt that decrypt an OpenSSH key; 0 for other texts. */
function roundsOf(privateKey: string): number {
  const bytes = Buffer.from(OPENSSH.exec(privateKey)?.[1] ?? "", "base64").subarray(MAGIC_BYTES);
  const [, afterCipher] = textIn(bytes);
  const [, afterName] = textIn(afterCipher);
  const [options] = textIn(afterName);
  const [, rounds] = textIn(options);
  return rounds.length >= 4 ? rounds.readUInt32BE(0) : 0;
}

/** A text with its length before it, and what follows it. */
function textIn(bytes: Buffer): readonly [text: Buffer, rest: Buffer] {
  const end = bytes.length < 4 ? 0 : 4 + bytes.readUInt32BE(0);
  return [bytes.subarray(4, end), bytes.subarray(end)];
}
