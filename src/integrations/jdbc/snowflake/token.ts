/** How requests to Snowflake are authorised. https://docs.snowflake.com/en/developer-guide/sql-api/authenticating */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { systemClock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import type { HttpServer } from "../http/http_server.ts";

/** Snowflake accepts no more than an hour. */
const LIFETIME_S = 59 * 60;
/** The last part of names of hosts. */
const DOMAIN = /\.(?:privatelink\.)?snowflakecomputing\.(?:com|cn)$/i;

/** Headers with a signed token of `privateKey`, with `token`, or with a programmatic access token as the password. @throws Error none of them is given, or the key is invalid */
export function authorization(
  properties: JsonObject,
  { url, username, password }: Pick<HttpServer, "url" | "username" | "password">,
): Record<string, string> {
  const key = optionalText(properties.privateKey);
  const token = optionalText(properties.token);
  if (key !== undefined) {
    const account = (url.options.get("account") ?? url.host.replace(DOMAIN, "")).split(".")[0] ?? "";
    const signed = signedToken(keyOf(key, optionalText(properties.privateKeyPassword)), account, username);
    return headersOf("KEYPAIR_JWT", signed);
  }
  if (token !== undefined) {
    return headersOf(isAccessToken(token) ? "PROGRAMMATIC_ACCESS_TOKEN" : "OAUTH", token);
  }
  if (isAccessToken(password)) return headersOf("PROGRAMMATIC_ACCESS_TOKEN", password);
  throw new Error(
    "Cannot log in to Snowflake with a password: its SQL API accepts none; give `privateKey`, or a programmatic access " +
      "token as `password`, or an OAuth token as `token`",
  );
}

function headersOf(kind: string, token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "x-snowflake-authorization-token-type": kind };
}

/** A signed token that has no issuer of OAuth in it. */
function isAccessToken(text: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text) && !text.includes("=") && hasKeyId(text);
}

function hasKeyId(token: string): boolean {
  try {
    const [head = ""] = token.split(".");
    return "kid" in
      JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(head, { alphabet: "base64url" })));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** From PEM, or from the base64 text in it. */
function keyOf(text: string, passphrase: string | undefined): KeyObject {
  const kind = passphrase === undefined ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY";
  const pem = text.includes("-----BEGIN")
    ? text
    : `-----BEGIN ${kind}-----\n${
      text.replaceAll(/\s+/g, "").replaceAll(/(.{64})/g, "$1\n")
    }\n-----END ${kind}-----\n`;
  try {
    return createPrivateKey({ key: pem, format: "pem", passphrase });
  } catch (error) {
    // The message may quote the key.
    throw new Error(
      "Invalid privateKey: it must be a PKCS #8 key as PEM, with privateKeyPassword if it is encrypted",
      {
        cause: (error as Error).name,
      },
    );
  }
}

function signedToken(key: KeyObject, account: string, username: string): string {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const user = `${account.toUpperCase()}.${username.toUpperCase()}`;
  const issuedAt = Math.floor(systemClock.now() / 1000);
  const claims = {
    iss: `${user}.SHA256:${createHash("sha256").update(publicKey).digest("base64")}`,
    sub: user,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_S,
  };
  const content = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => encoded(JSON.stringify(part))).join(
    ".",
  );
  return `${content}.${sign("RSA-SHA256", new TextEncoder().encode(content), key).toString("base64url")}`;
}

function encoded(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}
