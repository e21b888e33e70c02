/** `jdbc.snowflake.Upload`. Shapes are those of the open drivers: snowflake-connector-nodejs, lib/file_transfer_agent. */
import { createDecipheriv } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { taskOf } from "./stubbed_database.ts";

const STAGE_KEY = new Uint8Array(16).fill(7);
const MATERIAL = { queryStageMasterKey: STAGE_KEY.toBase64(), queryId: "q1", smkId: 5 };
const TEXT = "a,b\n".repeat(50_000);

/** Storages: what Snowflake says of them, the URL of the file, and headers with their prefix. */
const STORAGES: Readonly<Record<string, { readonly stage: JsonObject; readonly url: string }>> = {
  S3: {
    stage: {
      locationType: "S3",
      location: "bucket/stages/x/",
      region: "eu-west-1",
      creds: { AWS_KEY_ID: "AKIA", AWS_SECRET_KEY: "s", AWS_TOKEN: "session" },
    },
    url: "https://bucket.s3.eu-west-1.amazonaws.com/stages/x/r%20s.csv.gz",
  },
  AZURE: {
    stage: {
      locationType: "AZURE",
      location: "container/stages",
      storageAccount: "acc",
      endPoint: "blob.core.windows.net",
      creds: { AZURE_SAS_TOKEN: "?sig=a%2Fb" },
    },
    url: "https://acc.blob.core.windows.net/container/stages/r%20s.csv.gz?sig=a%2Fb",
  },
  GCS: {
    stage: { locationType: "GCS", location: "bucket/x", creds: { GCS_ACCESS_TOKEN: "g" } },
    url: "https://storage.googleapis.com/bucket/x/r%20s.csv.gz",
  },
};

function service(stage: JsonObject, reply: (request: ApiRequest) => ApiReply = () => undefined): ApiStub {
  return new ApiStub((request) => {
    const given = reply(request);
    if (given) return given;
    if (request.path === "/session/v1/login-request") return { success: true, data: { token: "T" } };
    if (request.path === "/session") return { success: true };
    if (request.path !== "/queries/v1/query-request") return new Response("");
    return { success: true, data: { command: "UPLOAD", stageInfo: stage, encryptionMaterial: MATERIAL } };
  });
}

function upload(stub: ApiStub, rest: JsonObject = {}, origin = "https://unused.example.com") {
  const given = {
    url: `jdbc:snowflake://${stub.host}/?ssl=off&account=acme&db=SALES`,
    username: "flows",
    password: "p4ss",
    warehouse: "SMALL",
    stageName: "s.imports",
    prefix: "/raw/it's/",
    fileName: "r s.csv",
    from: "kestra:///in.csv",
    ...rest,
  };
  const origins = { [origin]: stub.url };
  return runDefinition(taskOf("snowflake.Upload"), given, { files: { "kestra:///in.csv": TEXT }, origins });
}

/** The text of a file as a reader of the stage gets it. */
function opened(bytes: Uint8Array, { key, iv }: { readonly key: string; readonly iv: string }): string {
  const wrapped = createDecipheriv("aes-128-ecb", STAGE_KEY, null);
  const fileKey = [...wrapped.update(Uint8Array.fromBase64(key)), ...wrapped.final()];
  const content = createDecipheriv("aes-128-cbc", new Uint8Array(fileKey), Uint8Array.fromBase64(iv));
  return new TextDecoder().decode(gunzipSync(new Uint8Array([...content.update(bytes), ...content.final()])));
}

function sealed(kind: string, headers: Readonly<Record<string, string>>) {
  if (kind === "S3") {
    return { key: headers["x-amz-meta-x-amz-key"] ?? "", iv: headers["x-amz-meta-x-amz-iv"] ?? "" };
  }
  const name = kind === "AZURE" ? "x-ms-meta-encryptiondata" : "x-goog-meta-encryptiondata";
  const { WrappedContentKey, ContentEncryptionIV } = JSON.parse(headers[name] ?? "{}");
  return { key: WrappedContentKey.EncryptedKey, iv: ContentEncryptionIV };
}

for (const [kind, { stage, url }] of Object.entries(STORAGES)) {
  Deno.test(`jdbc.snowflake.Upload compresses, encrypts and sends a file to a stage on ${kind}`, async () => {
    await using stub = service(stage);
    const { origin, pathname, search } = new URL(url);
    const { outputs } = await upload(stub, {}, origin);
    assertEquals(outputs, { uri: "raw/it's/r s.csv.gz" });
    const [login, query, file, end] = stub.requests;
    assertEquals([login?.query.databaseName, login?.query.warehouse, end?.query.delete], [
      "SALES",
      "SMALL",
      "true",
    ]);
    assertMatch(
      login?.query.requestId ?? "",
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const { data } = JSON.parse(login?.text ?? "");
    assertEquals([data.ACCOUNT_NAME, data.LOGIN_NAME, data.PASSWORD, data.TOKEN], [
      "acme",
      "flows",
      "p4ss",
      undefined,
    ]);
    assertEquals(query?.headers.authorization, 'Snowflake Token="T"');
    assertEquals(
      JSON.parse(query?.text ?? "").sqlText,
      "PUT 'file:///tmp/placeholder' '@s.imports/raw/it''s' OVERWRITE = TRUE",
    );
    const { method, path, headers = {}, bytes = new Uint8Array() } = file ?? {};
    assertEquals([method, path, new URL(file?.url ?? "").search], ["PUT", pathname, search]);
    assertEquals(opened(bytes, sealed(kind, headers)), TEXT);
    const description = Object.entries(headers).find(([name]) => name.endsWith("matdesc"))?.[1] ?? "";
    assertEquals(JSON.parse(description), { smkId: "5", queryId: "q1", keySize: "128" });
    const credentials = {
      S3: [headers["x-amz-security-token"], headers.authorization?.slice(0, 33)],
      AZURE: [headers["x-ms-blob-type"], undefined],
      GCS: [undefined, headers.authorization],
    }[kind];
    assertEquals(
      credentials,
      {
        S3: ["session", "AWS4-HMAC-SHA256 Credential=AKIA/"],
        AZURE: ["BlockBlob", undefined],
        GCS: [undefined, "Bearer g"],
      }[kind],
    );
  });
}

Deno.test("jdbc.snowflake.Upload sends the file as it is to a stage without a key of its own", async () => {
  const stage = STORAGES.GCS?.stage ?? {};
  await using stub = service(
    stage,
    ({ path }) =>
      path === "/queries/v1/query-request"
        ? { success: true, data: { command: "UPLOAD", stageInfo: stage, encryptionMaterial: null } }
        : undefined,
  );
  const { outputs } = await upload(stub, { compress: false, prefix: "" }, "https://storage.googleapis.com");
  assertEquals([outputs.uri, stub.requests[2]?.text], ["r s.csv", TEXT]);
});

/** What the service responds, and the error. */
const FAILURES: readonly (readonly [path: string, reply: () => ApiReply, error: RegExp])[] = [
  [
    "/session/v1/login-request",
    () => ({ success: false, message: "Incorrect username or password was specified.", code: "390100" }),
    /^Cannot query "HOST": Incorrect username or password was specified\. \(390100\)$/,
  ],
  [
    "/queries/v1/query-request",
    () => ({ success: false, message: "Stage 'S.IMPORTS' does not exist", code: "002003" }),
    /^Cannot query "HOST": Stage 'S\.IMPORTS' does not exist \(002003\)$/,
  ],
  [
    "/queries/v1/query-request",
    () => ({ success: true, data: { command: "UPLOAD", stageInfo: { locationType: "LOCAL_FS" } } }),
    /^Cannot send the file to the stage: its storage is of the kind "LOCAL_FS"$/,
  ],
  [
    "/bucket/x/r%20s.csv.gz",
    () => new Response("AccessDenied", { status: 403 }),
    /^Cannot send "r s\.csv\.gz" to the stage at "storage\.googleapis\.com": the response was 403: AccessDenied$/,
  ],
];

for (const [path, reply, expected] of FAILURES) {
  Deno.test(`jdbc.snowflake.Upload reports ${expected.source}`, async () => {
    await using stub = service(
      STORAGES.GCS?.stage ?? {},
      (request) => request.path === path ? reply() : undefined,
    );
    const { message } = await assertRejects(() => upload(stub, {}, "https://storage.googleapis.com"), Error);
    assertMatch(message.replace(stub.host, "HOST"), expected);
    assertEquals(message.includes("p4ss"), false);
  });
}
