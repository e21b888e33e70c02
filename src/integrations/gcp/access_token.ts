/** Access tokens of Google Cloud. https://developers.google.com/identity/protocols/oauth2/service-account */
import { pemContent } from "../../base/crypto/pem_content.ts";
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, tryParseJson } from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
import { LruCache } from "../../base/lru.ts";
import { optionalText, type TaskResponse } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf, type Sender } from "../http_calls.ts";

/** What a token is asked for with. */
interface TokenRequest {
  /** JSON key of a service account, or of a user who has logged in by `gcloud`. */
  readonly key: string;
  readonly scopes: readonly string[];
  /** Mail address of a service account that the token shall be for. */
  readonly impersonated?: string;
}

/** A token of Google Cloud. */
export interface AccessToken {
  /** The text of the `Authorization` header after `Bearer`. */
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

const TOKEN_URL = "https://oauth2.googleapis.com/token";
const IMPERSONATION_URL = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts";
const LIFETIME_S = 3600;
/** A token is not used in its last minute. */
const SPARE_MS = 60_000;

/** Tokens by a hash of what they were asked for with, so that only who has the key gets one. */
const TOKENS = new LruCache<string, AccessToken>(200);

/** A token that is valid for at least a minute. @throws Error the key is malformed or refused; the message has nothing of it */
export async function accessToken(sender: Sender, request: TokenRequest): Promise<AccessToken> {
  const cacheKey = await hashOf(JSON.stringify(request));
  const known = TOKENS.get(cacheKey);
  if (known && known.expiresAt - SPARE_MS > systemClock.now()) return known;
  const own = await ownToken(sender, request);
  const token = request.impersonated === undefined ? own : await impersonatedToken(sender, request, own);
  TOKENS.set(cacheKey, token);
  return token;
}

/** The members of a key. @throws Error it is no JSON object */
export function readKey(text: string): JsonObject {
  const key = tryParseJson(text);
  if (key !== undefined && isJsonObject(key)) return key;
  throw new Error("Invalid serviceAccount: it must be the JSON key of a service account");
}

async function hashOf(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
}

async function ownToken(sender: Sender, { key: text, scopes }: TokenRequest): Promise<AccessToken> {
  const key = readKey(text);
  const url = optionalText(key.token_uri) ?? TOKEN_URL;
  const form = key.type === "authorized_user" ? refreshForm(key) : {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await assertionOf(key, { scopes, audience: url }),
  };
  const response = await callRepeatedly(sender, () => ({
    url,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  }), { isRepeatable: true });
  const body = tokenBody(response, { operation: "get an access token", url });
  const seconds = Number(body.expires_in ?? LIFETIME_S);
  return { text: String(body.access_token), expiresAt: systemClock.now() + seconds * 1000 };
}

function refreshForm(key: JsonObject): Record<string, string> {
  const { client_id, client_secret, refresh_token } = key;
  return {
    grant_type: "refresh_token",
    client_id: String(client_id),
    client_secret: String(client_secret),
    refresh_token: String(refresh_token),
  };
}

async function impersonatedToken(
  sender: Sender,
  { impersonated = "", scopes }: TokenRequest,
  own: AccessToken,
): Promise<AccessToken> {
  const url = `${IMPERSONATION_URL}/${encodeURIComponent(impersonated)}:generateAccessToken`;
  const response = await callRepeatedly(sender, () => ({
    url,
    headers: { Authorization: `Bearer ${own.text}` },
    json: { scope: scopes, lifetime: `${LIFETIME_S}s` },
  }), { isRepeatable: true });
  const body = tokenBody(response, { operation: `impersonate "${impersonated}"`, url });
  return { text: String(body.accessToken), expiresAt: Date.parse(String(body.expireTime)) };
}

/** Google describes errors of tokens by `error_description`, those of APIs by `error.message`. */
function tokenBody(
  { status, text }: TaskResponse,
  { operation, url }: { readonly operation: string; readonly url: string },
): JsonObject {
  const body = tryParseShortJson(text);
  const members = body !== undefined && isJsonObject(body) ? body : {};
  if (status < 400 && optionalText(members.access_token ?? members.accessToken)) return members;
  const { error } = members;
  const words = optionalText(members.error_description) ??
    optionalText(isJsonObject(error) ? error.message : error);
  throw refusalOf({ operation, url, status, words: words ?? "there is no token" });
}

interface Claims {
  readonly scopes: readonly string[];
  readonly audience: string;
}

/** A JWT that is signed by the key. */
async function assertionOf(key: JsonObject, { scopes, audience }: Claims): Promise<string> {
  const issuedAt = Math.floor(systemClock.now() / 1000);
  const parts = [
    { alg: "RS256", typ: "JWT", kid: key.private_key_id },
    {
      iss: key.client_email,
      scope: scopes.join(" "),
      aud: audience,
      iat: issuedAt,
      exp: issuedAt + LIFETIME_S,
    },
  ];
  const head = parts.map((part) => base64Url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign(
    "RSASSA-PKCS1-v1_5",
    await signingKey(key),
    new TextEncoder().encode(head),
  );
  return `${head}.${base64Url(new Uint8Array(signature))}`;
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** @throws Error no key in PEM; the cause is left out, since it may show parts of the key */
async function signingKey(key: JsonObject): Promise<CryptoKey> {
  const base64 = pemContent(String(key.private_key), "PRIVATE KEY");
  try {
    const bytes = Uint8Array.fromBase64(base64.replace(/\\n/g, ""));
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  } catch {
    throw new Error("Invalid serviceAccount: its private_key is no RSA key in PEM");
  }
}
