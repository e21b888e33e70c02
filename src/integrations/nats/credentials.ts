/** Files of credentials of NATS: a JWT and the seed of an Ed25519 key, https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth. */
import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import type { JsonObject } from "../../base/json.ts";

const BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Two bytes of the kind, 32 of the seed, two of the checksum. */
const SEED_BYTES = 36;
/** Beginning of a private key of Ed25519 in PKCS #8, RFC 8410. */
const PKCS_8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** What the log-in has of a file of credentials: the JWT, and the signature of the server's nonce. @throws Error it is no such file */
export function credentialsOf(content: string, nonce: string): JsonObject {
  const parts = [...content.matchAll(/(?<!-)-{3,}BEGIN [^-]*-{3,}\s*([^\s-][^\s]*)\s*(?<!-)-{3,}END/g)].map((
    [, part = ""],
  ) => part);
  const jwt = parts.find((part) => part.includes(".")),
    seed = parts.find((part) => /^S[A-Z2-7]+$/.test(part));
  if (jwt === undefined || seed === undefined) {
    throw new Error("Invalid creds: it must be the content of a file with a JWT and a seed");
  }
  const bytes = base32(seed);
  if (bytes.length < SEED_BYTES) throw new Error("Invalid creds: its seed is too short");
  const key = createPrivateKey({
    key: Buffer.concat([PKCS_8, bytes.subarray(2, 34)]),
    format: "der",
    type: "pkcs8",
  });
  return { jwt, sig: sign(null, Buffer.from(nonce), key).toString("base64url") };
}

function base32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0, bits = 0;
  for (const character of text) {
    value = value << 5 & 0xfff | BASE_32.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(value >> bits & 255);
  }
  return Buffer.from(bytes);
}
