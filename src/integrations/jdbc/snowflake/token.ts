/** How requests to Snowflake are authorised. https://docs.snowflake.com/en/developer-guide/sql-api/authenticating */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { systemClock } from "../../../base/time/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { affordableKey } from "../../key_derivation.ts";
import type { HttpServer } from "../http/http_server.ts";

/** Snowflake accepts no more than an hour. */
const LIFETIME_S = 59 * 60;
/** The last part of names of hosts. */
const DOMAIN = /\.(?:privatelink\.)?snowflakecomputing\.(?:com|cn)$/i;

/** A token and what it is. */
interface SnowflakeCredential {
  readonly kind: "KEYPAIR_JWT" | "OAUTH" | "PROGRAMMATIC_ACCESS_TOKEN";
  readonly token: string;
}

/** Headers with the token that {@link credentialOf} finds. @throws Error no credential is given, or the key is invalid */
export function authorization(properties: JsonObject, server: Login): Record<string, string> {
  const credential = credentialOf(properties, server);
  if (!credential) {
    throw new Error(
      "Cannot log in to Snowflake with a password: its SQL API accepts none; give `privateKey`, or a programmatic access " +
        "token as `password`, or an OAuth token as `token`",
    );
  }
  const { kind, token } = credential;
  return { authorization: `Bearer ${token}`, "x-snowflake-authorization-token-type": kind };
}

type Login = Pick<HttpServer, "url" | "username" | "password">;

/** A signed token of `privateKey`, `token`, or a programmatic access token as the password; `undefined` without one. @throws Error the key is invalid */
export function credentialOf(properties: JsonObject, server: Login): SnowflakeCredential | undefined {
  const key = optionalText(properties.privateKey);
  const token = optionalText(properties.token);
  if (key !== undefined) {
    const opened = keyOf(key, optionalText(properties.privateKeyPassword));
    const account = accountOf(server).split(".")[0] ?? "";
    return { kind: "KEYPAIR_JWT", token: signedToken(opened, account, server.username) };
  }
  if (token !== undefined) {
    return { kind: isAccessToken(token) ? "PROGRAMMATIC_ACCESS_TOKEN" : "OAUTH", token };
  }
  const { password } = server;
  return isAccessToken(password) ? { kind: "PROGRAMMATIC_ACCESS_TOKEN", token: password } : undefined;
}

/** The account that the url names. */
export function accountOf({ url }: Pick<HttpServer, "url">): string {
  return url.options.get("account") ?? url.host.replace(DOMAIN, "");
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
  affordableKey(pem, "privateKey");
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
