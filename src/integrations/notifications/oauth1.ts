/** Signatures of OAuth 1.0a, RFC 5849, with HMAC-SHA1. */
import { systemClock } from "../../base/time/clock.ts";

const NONCE_BYTES = 16;

/** The keys of an application and of one of its users. */
interface OAuth1Keys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly accessToken: string;
  readonly accessSecret: string;
}

interface SignedRequest {
  readonly method: string;
  /** With its query. The body must be no form. */
  readonly url: string;
}

type Parameter = readonly [name: string, value: string];

/** The `Authorization` header of a request. */
export async function oauth1Header(request: SignedRequest, keys: OAuth1Keys): Promise<string> {
  const parameters: readonly Parameter[] = [
    ["oauth_consumer_key", keys.consumerKey],
    ["oauth_nonce", crypto.getRandomValues(new Uint8Array(NONCE_BYTES)).toHex()],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", String(Math.floor(systemClock.now() / 1000))],
    ["oauth_token", keys.accessToken],
    ["oauth_version", "1.0"],
  ];
  const signature = await oauth1Signature(request, parameters, keys);
  const members = [...parameters, ["oauth_signature", signature] as const];
  return `OAuth ${members.map(([name, value]) => `${name}="${encoded(value)}"`).join(", ")}`;
}

/** The signature of a request with these parameters of the header. */
export async function oauth1Signature(
  { method, url }: SignedRequest,
  parameters: readonly Parameter[],
  { consumerSecret, accessSecret }: Pick<OAuth1Keys, "consumerSecret" | "accessSecret">,
): Promise<string> {
  const { origin, pathname, searchParams } = new URL(url);
  const pairs = [...parameters, ...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const base = [method, origin + pathname, pairs].map(encoded).join("&");
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(`${encoded(consumerSecret)}&${encoded(accessSecret)}`),
    { name: "HMAC", hash: "SHA-1" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(base))).toBase64();
}

/** Encoded as section 3.6 says. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
