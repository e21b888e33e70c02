/** How types of Google Cloud get access tokens. */
import { assertEquals, assertRejects } from "@std/assert";
import { oauthAccessToken } from "../../../src/integrations/gcp/oauth_access_token.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { gcpStub, PUBLIC_KEY, serviceAccount, TOKEN } from "./gcp_stub.ts";

function decoded(part: string | undefined): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part ?? "", { alphabet: "base64url" })));
}

Deno.test("a service account gets a token for a JWT that its key has signed", async () => {
  await using stub = gcpStub(() => undefined);
  const key = serviceAccount(stub);
  const { outputs } = await runDefinition(oauthAccessToken, { serviceAccount: key });
  const [request] = stub.requests;
  const form = new URLSearchParams(request?.text);
  const [head, claims, signature = ""] = form.get("assertion")?.split(".") ?? [];
  assertEquals([request?.method, request?.path, request?.headers["content-type"], form.get("grant_type")], [
    "POST",
    "/token",
    "application/x-www-form-urlencoded",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ]);
  assertEquals(decoded(head), { alg: "RS256", typ: "JWT", kid: "key-1" });
  const { iat, exp, ...others } = decoded(claims);
  assertEquals(Number(exp) - Number(iat), 3600);
  assertEquals(others, {
    iss: JSON.parse(key).client_email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: `${stub.url}/token`,
  });
  const isSigned = await crypto.subtle.verify(
    "RSASSA-PKCS1-v1_5",
    PUBLIC_KEY,
    Uint8Array.fromBase64(signature, { alphabet: "base64url" }),
    new TextEncoder().encode(`${head}.${claims}`),
  );
  assertEquals([isSigned, (outputs.accessToken as { tokenValue?: string }).tokenValue], [true, TOKEN]);
});

Deno.test("a token is used again for the same key and scopes only", async () => {
  await using stub = gcpStub(() => undefined);
  const key = serviceAccount(stub);
  await runDefinition(oauthAccessToken, { serviceAccount: key });
  await runDefinition(oauthAccessToken, { serviceAccount: key });
  assertEquals(stub.requests.length, 1);
  await runDefinition(oauthAccessToken, { serviceAccount: key, scopes: ["other"] });
  await runDefinition(oauthAccessToken, { serviceAccount: serviceAccount(stub) });
  assertEquals(stub.requests.length, 3);
});

Deno.test("a user key is refreshed", async () => {
  await using stub = gcpStub(() => undefined);
  const key = { type: "authorized_user", client_id: "i", client_secret: "s", refresh_token: "r" };
  await runDefinition(oauthAccessToken, { serviceAccount: serviceAccount(stub, key) });
  assertEquals(Object.fromEntries(new URLSearchParams(stub.requests[0]?.text)), {
    grant_type: "refresh_token",
    client_id: "i",
    client_secret: "s",
    refresh_token: "r",
  });
});

Deno.test("a refused, malformed or missing key is an error that does not show it", async () => {
  await using stub = new ApiStub(() =>
    Response.json({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, { status: 400 })
  );
  const cases: readonly (readonly [key: string | undefined, error: string])[] = [
    [
      serviceAccount(stub),
      `Cannot get an access token at "${stub.host}": the response was 400: Invalid JWT Signature.`,
    ],
    ["hunter2", "Invalid serviceAccount: it must be the JSON key of a service account"],
    [
      serviceAccount(stub, { private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }),
      "Invalid serviceAccount: its private_key is no RSA key in PEM",
    ],
    [
      undefined,
      "Missing serviceAccount: give the JSON key of a service account; the credentials of the server are not used",
    ],
  ];
  for (const [key = null, expected] of cases) {
    const error = await assertRejects(() => runDefinition(oauthAccessToken, { serviceAccount: key }), Error);
    assertEquals(error.message, expected);
  }
});
