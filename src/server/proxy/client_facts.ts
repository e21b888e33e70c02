/**
 * The facts of a client as a signed header. The key is derived from the encryption key, which all servers of a database share,
 * so that no client can write the header. The signature covers method and target, and ends after a minute.
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../../base/time/clock.ts";
import { derivedKey } from "../../base/crypto/derived_key.ts";
import type { ClientFacts } from "./carrier.ts";

/** Name of the header. */
export const CLIENT_FACTS_HEADER = "x-sluice-client";

const PURPOSE = "sluice forwarded client";
/** Largest difference between the clocks of two servers, and the longest time that a header is valid. */
const MAX_AGE_MS = 60_000;

/** What a signature covers beside the facts. */
interface SignedRequest {
  readonly method: string;
  readonly target: string;
}

/** Facts that a server of this database has stated. */
interface StatedFacts extends ClientFacts {
  /** Epoch of the leader that the request was sent to. */
  readonly epoch: number;
}

/** Writes and reads the header. */
export class ClientFactsHeader {
  readonly #keys: readonly Uint8Array[];

  /** Signs with the key derived from the first secret; accepts those of all, for the change of the secret. */
  constructor(...secrets: readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = secrets.map((secret) => derivedKey(secret, PURPOSE));
  }

  /** The value of the header. */
  write(request: SignedRequest, facts: StatedFacts, now: Instant): string {
    const { epoch, host, scheme, remoteAddress } = facts;
    const text = JSON.stringify({ at: now, epoch, host, scheme, remoteAddress });
    const payload = Buffer.from(text).toString("base64url");
    return `${payload}.${signature(this.#keys[0] as Uint8Array, request, payload).toString("base64url")}`;
  }

  /** The facts; `undefined` if the header is not signed for this request by a server of this database, or is too old. */
  read(value: string, request: SignedRequest, now: Instant): StatedFacts | undefined {
    const [payload = "", signed = ""] = value.split(".", 2);
    const given = Buffer.from(signed, "base64url");
    const isSigned = this.#keys.some((key) => isEqual(given, signature(key, request, payload)));
    if (!isSigned) return undefined;
    const { at, ...facts } = JSON.parse(Buffer.from(payload, "base64url").toString());
    return Math.abs(now - at) <= MAX_AGE_MS ? facts : undefined;
  }
}

function signature(key: Uint8Array, { method, target }: SignedRequest, payload: string): Buffer {
  return createHmac("sha256", key).update(`${method} ${target}\n${payload}`).digest();
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
