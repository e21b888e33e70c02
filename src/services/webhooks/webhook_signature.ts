/** Verifies the signature of a webhook call: an HMAC over its body with a shared secret. */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../../base/time/clock.ts";
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";
import { SLACK_EVENTS_KIND } from "../../model/triggers/webhook_kinds.ts";

interface SignatureRule {
  /** As written: a template, or the secret itself. */
  readonly secret: string;
  /** Header of the signature. */
  readonly header: string;
  readonly algorithm: string;
  /** Header of the time of the call; the time is signed too. */
  readonly timestampHeader?: string;
  /** Largest difference between that time and now. */
  readonly toleranceMs: number;
  /** What is signed before the body. */
  readonly beginning: (time: string) => string;
}

/** The signed parts of a call, as they were sent. */
export interface SignedCall {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const DEFAULT_HEADER = "X-Signature";
const DEFAULT_ALGORITHM = "SHA256";
const DEFAULT_TOLERANCE_MS = 300_000;
/** Prefixes that senders write before a signature. */
const PREFIX = /^(?:sha(?:1|256|512)|v\d)[=,]/i;
/** Unix times of up to eleven digits count seconds, longer ones milliseconds. */
const UNIX_SECONDS = /^\d{1,11}$/;
const UNIX_MS = /^\d{12,14}$/;

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SLACK_RULE: Omit<SignatureRule, "secret"> = {
  header: "X-Slack-Signature",
  algorithm: DEFAULT_ALGORITHM,
  timestampHeader: "X-Slack-Request-Timestamp",
  toleranceMs: DEFAULT_TOLERANCE_MS,
  beginning: (time) => `v0:${time}:`,
};

/** The signature rule of a trigger; `undefined` if it requires no signature. */
export function signatureRuleOf({ kind, properties }: Trigger): SignatureRule | undefined {
  if (kind === SLACK_EVENTS_KIND) return { ...SLACK_RULE, secret: textOf(properties, "signingSecret") ?? "" };
  const given = ownProperty(properties, "signature");
  if (!isJsonObject(given)) return undefined;
  return {
    secret: textOf(given, "secret") ?? "",
    header: textOf(given, "header") ?? DEFAULT_HEADER,
    algorithm: textOf(given, "algorithm") ?? DEFAULT_ALGORITHM,
    timestampHeader: textOf(given, "timestampHeader"),
    toleranceMs: readDuration(ownProperty(given, "tolerance")) ?? DEFAULT_TOLERANCE_MS,
    beginning: (time) => `${time}.`,
  };
}

/** Refuses a call with a wrong signature or a time too far from now. @throws DomainError forbidden */
export function checkSignature(
  rule: SignatureRule,
  { headers, body }: SignedCall,
  { secret, now }: { readonly secret: string; readonly now: Instant },
): void {
  const { header, algorithm, timestampHeader } = rule;
  const time = timestampHeader === undefined ? undefined : headers.get(timestampHeader)?.trim();
  if (timestampHeader !== undefined && !time) throw refused(`the header "${timestampHeader}" is missing`);
  const hmac = createHmac(algorithm.toLowerCase(), secret);
  if (time !== undefined) hmac.update(rule.beginning(time));
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

/** The text is hexadecimal or Base64, with or without a {@link PREFIX}. */
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
