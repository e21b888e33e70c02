/** A stub of Google Cloud that grants tokens, and a service account for it. */
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";

const PAIR = await crypto.subtle.generateKey(
  {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
  true,
  ["sign", "verify"],
);

/** Public key of the service account. */
export const PUBLIC_KEY: CryptoKey = PAIR.publicKey;

const PEM = `-----BEGIN PRIVATE KEY-----\n${
  new Uint8Array(await crypto.subtle.exportKey("pkcs8", PAIR.privateKey)).toBase64()
}\n-----END PRIVATE KEY-----\n`;

/** Text of the token that the stub grants. */
export const TOKEN = "ya29.granted";

let accountCount = 0;

/** The JSON key of a new service account that gets its tokens from the stub. */
export function serviceAccount({ url }: ApiStub, further: object = {}): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "my-project",
    private_key_id: "key-1",
    private_key: PEM,
    client_email: `robot-${++accountCount}@my-project.iam.gserviceaccount.com`,
    token_uri: `${url}/token`,
    ...further,
  });
}

/** A stub whose requests, but for those of tokens, are given to `reply`. */
export function gcpStub(
  reply: (request: ApiRequest, stub: ApiStub) => ApiReply | Promise<ApiReply>,
): ApiStub {
  return new ApiStub((request, stub) => {
    if (request.path === "/token") return { access_token: TOKEN, expires_in: 3600, token_type: "Bearer" };
    if (request.headers.authorization === `Bearer ${TOKEN}`) return reply(request, stub);
    return gcpError(401, "Request had invalid authentication credentials.", "authError");
  });
}

/** An error as Google's APIs report it. */
export function gcpError(code: number, message: string, reason: string): Response {
  return Response.json({ error: { code, message, errors: [{ reason, message, domain: "global" }] } }, {
    status: code,
  });
}

/** Properties that connect a task to the stub. */
export function connection(
  stub: ApiStub,
): { readonly serviceAccount: string; readonly endpointOverride: string } {
  return { serviceAccount: serviceAccount(stub), endpointOverride: stub.url };
}

/** The calls of a stub without those for tokens. */
export function callsOf(stub: ApiStub): string[] {
  return stub.calls.filter((call) => call !== "POST /token");
}
