/** Private keys in the forms that the package `ssh2` reads. */
import { pemContent } from "../../base/crypto/pem_content.ts";
import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { affordableKey } from "../key_derivation.ts";
import { parseSshKey } from "./ssh2.ts";

/** A key and its passphrase, if it has one. */
interface PrivateKey {
  readonly privateKey?: string;
  readonly passphrase?: string;
}

/** The derivation of the key from a passphrase stops the whole server, some 15 ms a round; `ssh-keygen` uses 16 by default. */
const MAX_ROUNDS = 100;
const MAGIC_BYTES = "openssh-key-v1\0".length;
/** Curves, and the bytes of their numbers; those of P-521 work as they are. */
const CURVES: ReadonlyMap<string, readonly [name: string, bytes: number]> = new Map([
  ["ecdsa-sha2-nistp256", ["P-256", 32]],
  ["ecdsa-sha2-nistp384", ["P-384", 48]],
]);
/** In DER: the version, and the tag of the private number that follows with its length. */
const VERSION_AND_TAG = Buffer.from([0x02, 0x01, 0x01, 0x04]);
const PEM = /-----BEGIN (?:(?:RSA|EC) |ENCRYPTED )?PRIVATE KEY-----/;

/** The package reads neither PKCS #8 nor encrypted PEM, and not all ECDSA keys. @throws Error it cannot be read; the message contains neither key nor passphrase */
export function readableKey({ privateKey, passphrase }: PrivateKey): PrivateKey {
  if (privateKey === undefined) return {};
  const rounds = roundsOf(privateKey);
  if (rounds > MAX_ROUNDS) {
    throw new Error(
      `Cannot parse privateKey: it has ${rounds} rounds of bcrypt, at most ${MAX_ROUNDS} are read`,
    );
  }
  if (PEM.test(privateKey)) return decryptedPem(privateKey, passphrase);
  return ecdsaPem(privateKey, passphrase) ?? { privateKey, passphrase };
}

/**
 * An ECDSA key of OpenSSH as PEM. OpenSSH writes the private number without leading zeros, or with one before a first bit that
 * is set. The package passes it on like this, and the platform refuses it unless it has as many bytes as the curve.
 */
function ecdsaPem(privateKey: string, passphrase: string | undefined): PrivateKey | undefined {
  if (!CURVES.has(typeOf(privateKey))) return undefined;
  const key = parseSshKey(privateKey, passphrase);
  const curve = key instanceof Error ? undefined : CURVES.get(key.type);
  if (key instanceof Error || !curve) return undefined; // The package says why when it connects.
  const [crv, bytes] = curve;
  const der = Buffer.from(key.getPrivatePEM().replace(/-----.*-----/g, ""), "base64");
  const start = der.indexOf(VERSION_AND_TAG) + VERSION_AND_TAG.length + 1;
  const number = Buffer.concat([Buffer.alloc(bytes), der.subarray(start, start + (der[start - 1] ?? 0))]);
  const point = Buffer.from(key.getPublicSSH().slice(-2 * bytes));
  const [x, y, d] = [point.subarray(0, bytes), point.subarray(bytes), number.subarray(-bytes)].map((part) =>
    part.toString("base64url")
  );
  return asPem({ format: "jwk", key: { kty: "EC", crv, x, y, d } });
}

function decryptedPem(privateKey: string, passphrase: string | undefined): PrivateKey {
  if (passphrase === undefined && /ENCRYPTED/.test(privateKey)) {
    throw new Error("Cannot parse privateKey: it is encrypted, but no passphrase given");
  }
  return asPem({ key: affordableKey(privateKey, "privateKey").trim(), format: "pem", passphrase });
}

function asPem(input: Parameters<typeof createPrivateKey>[0]): PrivateKey {
  const { key, text } = readAndWritten(input);
  if (key.asymmetricKeyDetails?.namedCurve === "secp521r1") {
    throw new Error(
      'Cannot parse privateKey: an ECDSA key of 521 bits is read only in OpenSSH form; "ssh-keygen -p -f <file>" converts it',
    );
  }
  return { privateKey: text };
}

function readAndWritten(input: Parameters<typeof createPrivateKey>[0]): { key: KeyObject; text: string } {
  try {
    const key = createPrivateKey(input);
    const type = key.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
    return { key, text: key.export({ format: "pem", type }).toString() };
  } catch {
    // Its words are those of a library for cryptography.
    throw new Error("Cannot parse privateKey: bad passphrase, or unsupported key format");
  }
}

/** Rounds of bcrypt that decrypt an OpenSSH key; 0 for other texts. */
function roundsOf(privateKey: string): number {
  const [options] = derivationIn(privateKey);
  const [, rounds] = textIn(options);
  return rounds.length >= 4 ? rounds.readUInt32BE(0) : 0;
}

/** The type of an OpenSSH key, which is not encrypted; empty for other texts. */
function typeOf(privateKey: string): string {
  const [, afterDerivation] = derivationIn(privateKey);
  const [publicKey] = textIn(afterDerivation.subarray(4)); // After the number of keys.
  return textIn(publicKey)[0].toString();
}

/** How the key of an OpenSSH key is derived from its passphrase, and what follows that. */
function derivationIn(privateKey: string): readonly [options: Buffer, rest: Buffer] {
  const bytes = Buffer.from(pemContent(privateKey, "OPENSSH PRIVATE KEY"), "base64").subarray(MAGIC_BYTES);
  const [, afterCipher] = textIn(bytes);
  const [, afterName] = textIn(afterCipher);
  return textIn(afterName);
}

/** A text with its length before it, and what follows it. */
function textIn(bytes: Buffer): readonly [text: Buffer, rest: Buffer] {
  const end = bytes.length < 4 ? 0 : 4 + bytes.readUInt32BE(0);
  return [bytes.subarray(4, end), bytes.subarray(end)];
}
