/** The signature of a webhook call: an HMAC over its body, which only who knows a secret can make. */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../../base/clock.ts";
import { formatDuration, parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";

/** How the calls of a webhook are signed. */
interface SignatureRule {
  /** As written: a template, or the secret itself. */
  readonly secret: string;
  /** Header of the signature. */
  readonly header: string;
  readonly algorithm: string;
  /** Header of the time of the call, which is signed too; without it calls have no time. */
  readonly timestampHeader?: string;
  /** How far that time may be from now. */
  readonly toleranceMs: number;
}

/** What is signed, as it was sent. */
export interface SignedCall {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Header of a signature where the trigger names none. */
const DEFAULT_HEADER = "X-Signature";
const DEFAULT_ALGORITHM = "SHA256";
const DEFAULT_TOLERANCE_MS = 300_000;
/** What senders write before a signature. */
const PREFIX = /^(?:sha(?:1|256|512)|v\d)[=,]/i;
/** Unix times of up to eleven digits count seconds, longer ones milliseconds. */
const UNIX_SECONDS = /^\d{1,11}$/;
const UNIX_MS = /^\d{12,14}$/;

/** How the calls of a trigger are signed; `undefined` when they need not be. */
export function signatureRuleOf({ properties }: Trigger): SignatureRule | undefined {
  const given = ownProperty(properties, "signature");
  if (!isJsonObject(given)) return undefined;
  return {
    secret: textOf(given, "secret") ?? "",
    header: textOf(given, "header") ?? DEFAULT_HEADER,
    algorithm: textOf(given, "algorithm") ?? DEFAULT_ALGORITHM,
    timestampHeader: textOf(given, "timestampHeader"),
    toleranceMs: parseDuration(textOf(given, "tolerance") ?? "") ?? DEFAULT_TOLERANCE_MS,
  };
}

/** Refuses a call that is not signed with the secret, or not of this time. @throws DomainError forbidden */
export function checkSignature(
  rule: SignatureRule,
  { headers, body }: SignedCall,
  { secret, now }: { readonly secret: string; readonly now: Instant },
): void {
  const { header, algorithm, timestampHeader } = rule;
  const time = timestampHeader === undefined ? undefined : headers.get(timestampHeader)?.trim();
  if (timestampHeader !== undefined && !time) throw refused(`the header "${timestampHeader}" is missing`);
  const hmac = createHmac(algorithm.toLowerCase(), secret);
  if (time !== undefined) hmac.update(`${time}.`);
  const given = headers.get(header)?.trim();
  if (!given) throw refused(`the header "${header}" is missing`);
  if (!isEqual(hmac.update(body).digest(), given)) throw refused(`the signature in "${header}" is wrong`);
  if (time !== undefined) checkTime(time, rule, now);
}

function checkTime(time: string, { timestampHeader, toleranceMs }: SignatureRule, now: Instant): void {
  const at = UNIX_SECONDS.test(time)
    ? Number(time) * 1000
    : UNIX_MS.test(time)
    ? Number(time)
    : Date.parse(time);
  if (Math.abs(now - at) <= toleranceMs) return;
  throw refused(`the time in "${timestampHeader}" must be within ${formatDuration(toleranceMs)} from now`);
}

/** Hexadecimal or Base64, also behind the name of the algorithm or a version. */
function isEqual(expected: Buffer, text: string): boolean {
  const bare = text.replace(PREFIX, "");
  const isHex = bare.length === expected.length * 2 && /^[0-9a-f]+$/i.test(bare);
  const given = Buffer.from(bare, isHex ? "hex" : "base64");
  return given.length === expected.length && timingSafeEqual(expected, given);
}

function refused(reason: string): DomainError {
  return new DomainError("forbidden", `Forbidden: ${reason}`);
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = ownProperty(object, name) ?? null;
  return value === null ? undefined : String(value);
}
