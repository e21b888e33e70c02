import { assertEquals, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { DomainError } from "../../../src/model/errors.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Trigger } from "../../../src/model/flows/flow.ts";
import { checkSignature, signatureRuleOf } from "../../../src/services/webhooks/webhook_signature.ts";

const SECRET = "It's a Secret to Everybody";
const BODY = new TextEncoder().encode("Hello, World!");
/** The example of a sender's documentation. */
const DOCUMENTED = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Case {
  readonly name: string;
  readonly signature?: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** Why it is refused; absent for a valid call. */
  readonly refusal?: string;
}

function signed(text: string, algorithm = "sha256", encoding: "hex" | "base64" = "hex"): string {
  return createHmac(algorithm, SECRET).update(text).digest(encoding);
}

function at(time: string | number): Readonly<Record<string, string>> {
  return { "x-time": String(time), "x-signature": signed(`${time}.Hello, World!`) };
}

const TIMED = { timestampHeader: "X-Time" };
const WRONG = 'Forbidden: the signature in "X-Signature" is wrong';
const TOO_FAR = 'Forbidden: the time in "X-Time" must be within PT5M from now';

const CASES: readonly Case[] = [
  { name: "hexadecimal", headers: { "x-signature": DOCUMENTED } },
  { name: "hexadecimal in capitals", headers: { "x-signature": DOCUMENTED.toUpperCase() } },
  { name: "behind its algorithm", headers: { "x-signature": `sha256=${DOCUMENTED}` } },
  {
    name: "behind a version",
    headers: { "x-signature": `v1,${signed("Hello, World!", "sha256", "base64")}` },
  },
  { name: "Base64", headers: { "x-signature": signed("Hello, World!", "sha256", "base64") } },
  {
    name: "in another header",
    signature: { header: "X-Hub-Signature-256" },
    headers: { "x-hub-signature-256": `sha256=${DOCUMENTED}` },
  },
  {
    name: "by SHA512",
    signature: { algorithm: "SHA512" },
    headers: { "x-signature": signed("Hello, World!", "sha512") },
  },
  {
    name: "by SHA1",
    signature: { algorithm: "SHA1" },
    headers: { "x-signature": `sha1=${signed("Hello, World!", "sha1")}` },
  },
  { name: "missing", headers: {}, refusal: 'Forbidden: the header "X-Signature" is missing' },
  {
    name: "empty",
    headers: { "x-signature": "" },
    refusal: 'Forbidden: the header "X-Signature" is missing',
  },
  { name: "of another body", headers: { "x-signature": signed("Hello") }, refusal: WRONG },
  { name: "cut", headers: { "x-signature": DOCUMENTED.slice(0, -2) }, refusal: WRONG },
  {
    name: "of another algorithm",
    headers: { "x-signature": signed("Hello, World!", "sha1") },
    refusal: WRONG,
  },
  { name: "with its time in seconds", signature: TIMED, headers: at(NOW / 1000 - 299) },
  { name: "with its time in milliseconds", signature: TIMED, headers: at(NOW + 299_000) },
  { name: "with its time as a text", signature: TIMED, headers: at("2026-01-02T03:00:00Z") },
  { name: "too old", signature: TIMED, headers: at(NOW / 1000 - 301), refusal: TOO_FAR },
  { name: "of the future", signature: TIMED, headers: at(NOW / 1000 + 301), refusal: TOO_FAR },
  { name: "with a time that is none", signature: TIMED, headers: at("soon"), refusal: TOO_FAR },
  {
    name: "of another time",
    signature: TIMED,
    headers: { ...at(NOW / 1000), "x-time": String(NOW / 1000 + 1) },
    refusal: WRONG,
  },
  {
    name: "without its time",
    signature: TIMED,
    headers: { "x-signature": DOCUMENTED },
    refusal: 'Forbidden: the header "X-Time" is missing',
  },
  {
    name: "older than its own tolerance",
    signature: { ...TIMED, tolerance: "PT10S" },
    headers: at(NOW / 1000 - 11),
    refusal: 'Forbidden: the time in "X-Time" must be within PT10S from now',
  },
];

for (const { name, signature, headers, refusal } of CASES) {
  Deno.test(`checkSignature() of one ${name}`, () => {
    const properties = { signature: { secret: SECRET, ...signature } };
    const rule = signatureRuleOf({ properties } as unknown as Trigger);
    if (!rule) throw new Error("There is a rule");
    const check = () =>
      checkSignature(rule, { headers: new Headers(headers), body: BODY }, { secret: SECRET, now: NOW });
    if (refusal === undefined) return check();
    const error = assertThrows(check, DomainError);
    assertEquals([error.code, error.message], ["forbidden", refusal]);
  });
}

Deno.test("signatureRuleOf() is undefined for a trigger without a signature", () => {
  assertEquals(signatureRuleOf({ properties: { signature: null } } as unknown as Trigger), undefined);
  assertEquals(signatureRuleOf({ properties: {} } as unknown as Trigger), undefined);
});
