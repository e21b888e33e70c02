/** The types of S3 and MinIO against a server of npm; signatures and errors against a stub. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { AWS_TASKS, AWS_TRIGGERS } from "../../../src/integrations/aws/registry.ts";
import { uploadFile } from "../../../src/integrations/aws/s3/multipart_upload.ts";
import { S3Client } from "../../../src/integrations/aws/s3/objects.ts";
import type { MachineTaskContext } from "../../../src/model/tasks/machine_task.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../../src/model/triggers/trigger_definition.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { type DefinitionRun, pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { withS3Server } from "../../support/servers/s3_server.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { isSigned, KEYS } from "./aws_signature.ts";

const FILE = "kestra:///demo/data.csv";

function task(type: string): TaskDefinition {
  const found = AWS_TASKS.find((each) => each.type === type);
  if (found) return found;
  throw new Error(`There is no type ${type}`);
}

function trigger(type: string): TriggerDefinition {
  const found = AWS_TRIGGERS.find((each) => each.type === type);
  if (found) return found;
  throw new Error(`There is no trigger ${type}`);
}

/** A server with the bucket `demo`, and how types reach it. */
async function withServer(use: (connection: JsonObject) => Promise<void>): Promise<void> {
  await withTempDir((directory) =>
    withS3Server(directory, async (endpointOverride) => {
      const keys = { accessKeyId: "S3RVER", secretKeyId: "S3RVER", region: "us-east-1" };
      await use({ ...keys, endpointOverride, bucket: "demo" });
    })
  );
}

const KEY = "d/a b+ü(1)'*!.txt";

Deno.test("objects are uploaded, listed, read, copied and deleted", async () => {
  await withServer(async (connection) => {
    const run = (type: string, properties: JsonObject, content = ""): Promise<DefinitionRun> =>
      runDefinition(task(`aws.s3.${type}`), { ...connection, ...properties }, { files: { [FILE]: content } });
    const uploaded = await run("Upload", {
      from: FILE,
      key: KEY,
      contentType: "text/x-a",
      metadata: { A: "b" },
    }, "text");
    assertEquals([uploaded.outputs.key, uploaded.metrics], [KEY, { "file.size": 4 }]);
    assertMatch(String(uploaded.outputs.eTag), /^[0-9a-f]{32}$/);
    const read = await run("Download", { key: KEY });
    assertEquals(read.files.get(String(read.outputs.uri)), "text");
    const { contentLength, contentType, metadata, eTag } = read.outputs;
    assertEquals([contentLength, contentType, metadata, eTag], [
      4,
      "text/x-a",
      { a: "b" },
      uploaded.outputs.eTag ?? null,
    ]);
    await run("Delete", { key: KEY });
    await run("Upload", { from: FILE, key: "g" }, "four");
    await run("Copy", { from: { bucket: "demo", key: "g" }, to: { key: "e/2.csv" }, delete: true });
    await run("Upload", { from: FILE, key: "e/1.csv" }, "1");
    await run("Upload", { from: [FILE], key: "f" }, "12");
    const listed = async (properties: JsonObject) =>
      ((await run("List", properties)).outputs.objects as JsonObject[]).map(({ key, size }) =>
        `${key} ${size}`
      );
    assertEquals(await listed({}), ["e/1.csv 1", "e/2.csv 4", "f/data.csv 2"]);
    assertEquals(await listed({ prefix: "e/", regexp: ".*/2.*" }), ["e/2.csv 4"]);
    assertEquals(await listed({ delimiter: "/" }), ["e/ 0", "f/ 0"]);
    await run("Delete", { key: "f/data.csv" });
    assertEquals((await run("DeleteList", { prefix: "e/" })).outputs, { count: 2, size: 5 });
    assertEquals(await listed({}), []);
  });
});

Deno.test("MinIO has the same types, with an endpoint; a bucket is created", async () => {
  await withServer(async ({ endpointOverride: endpoint = "", ...connection }) => {
    const run = (type: string, properties: JsonObject) =>
      runDefinition(task(`minio.${type}`), { ...connection, endpoint, ...properties }, {
        files: { [FILE]: "x" },
      });
    assertEquals((await run("CreateBucket", { bucket: "second" })).outputs, {
      bucket: "second",
      region: "us-east-1",
    });
    await run("Upload", { bucket: "second", from: FILE, key: "x" });
    const { outputs } = await run("Downloads", { bucket: "second", action: "NONE" });
    assertEquals(Object.keys(outputs.outputFiles as JsonObject), ["x"]);
    await run("Copy", { from: { bucket: "second", key: "x" }, to: { bucket: "second", key: "a/y" } });
    const read = await run("Download", { bucket: "second", key: "a/y" });
    assertEquals(read.files.get(String(read.outputs.uri)), "x");
    await run("Delete", { bucket: "second", key: "x" });
    const polled = { ...connection, endpoint, bucket: "second", action: "NONE", interval: "PT1M" };
    const found = await pollDefinition(trigger("minio.Trigger"), polled);
    assertEquals((found.outputs.objects as JsonObject[]).map(({ key }) => key), ["a/y"]);
    assertEquals((await run("DeleteList", { bucket: "second" })).outputs, { count: 1, size: 1 });
    assertEquals((await run("List", { bucket: "second" })).outputs.objects, []);
  });
});

Deno.test("Trigger reads the objects and moves them; then it finds nothing", async () => {
  await withServer(async (connection) => {
    await runDefinition(task("aws.s3.Upload"), { ...connection, from: FILE, key: "in/1.csv" }, {
      files: { [FILE]: "content" },
    });
    const properties = { ...connection, prefix: "in/", action: "MOVE", moveTo: { key: "done" } };
    const found = await pollDefinition(trigger("aws.s3.Trigger"), properties);
    const [object] = found.outputs.objects as JsonObject[];
    assertEquals([object?.key, found.files.get(String(object?.uri))], ["in/1.csv", "content"]);
    assertEquals((await pollDefinition(trigger("aws.s3.Trigger"), properties)).isFound, false);
    const left = await runDefinition(task("aws.s3.List"), connection);
    assertEquals((left.outputs.objects as JsonObject[]).map(({ key }) => key), ["done/1.csv"]);
  });
});

Deno.test("a large file is sent in parts", async () => {
  await withServer(async (connection) => {
    const large = "0123456789".repeat(3);
    const uploading: TaskDefinition = {
      ...task("aws.s3.Upload"),
      async run(context) {
        const client = new S3Client(context);
        const body = await context.bodyOf(FILE);
        return {
          ...await uploadFile(context as MachineTaskContext, client, {
            bucket: "demo",
            key: "l",
            ...body,
            headers: {},
            maxSingleBytes: 10,
            partBytes: 8,
          }),
        };
      },
    };
    const { outputs } = await runDefinition(uploading, { ...connection, from: FILE }, {
      files: { [FILE]: large },
    });
    assertMatch(String(outputs.eTag), /^[0-9a-f]{32}/);
    const { files } = await runDefinition(task("aws.s3.Download"), { ...connection, key: "l" });
    assertEquals([...files.values()], [large]);
  });
});

function stubConnection({ url }: ApiStub): JsonObject {
  return { ...KEYS, region: "eu-central-1", endpointOverride: url, bucket: "demo" };
}

/** Only for requests that are signed. */
function signedStub(reply: (request: ApiRequest) => ApiReply): ApiStub {
  const refused =
    "<Error><Code>SignatureDoesNotMatch</Code><Message>The signature we calculated does not match.</Message></Error>";
  return new ApiStub((request) =>
    isSigned(request) ? reply(request) : new Response(refused, { status: 403 })
  );
}

Deno.test("a wrong key is an error with the words of the server and without the key", async () => {
  await using stub = signedStub(() => undefined);
  const error = await assertRejects(
    () => runDefinition(task("aws.s3.List"), { ...stubConnection(stub), secretKeyId: "hunter2" }),
    Error,
  );
  assertEquals(
    error.message,
    `Cannot list the bucket "demo" at "${stub.host}": the response was 403: ` +
      "The signature we calculated does not match. (SignatureDoesNotMatch)",
  );
});

Deno.test("keys and queries with all signs are signed as they are sent", async () => {
  await using stub = signedStub(() => new Response("<ListBucketResult/>", { headers: { ETag: '"t"' } }));
  const properties = stubConnection(stub);
  await runDefinition(task("aws.s3.Upload"), { ...properties, from: FILE, key: KEY }, {
    files: { [FILE]: "x" },
  });
  await runDefinition(task("aws.s3.List"), { ...properties, prefix: "a b/+ü(1)'*!~", delimiter: "/" });
  assertEquals(decodeURIComponent(stub.requests[0]?.path ?? ""), `/demo/${KEY}`);
  assertEquals(stub.requests[1]?.query, {
    "list-type": "2",
    prefix: "a b/+ü(1)'*!~",
    delimiter: "/",
    "max-keys": "1000",
  });
});

const XML = { "Content-Type": "application/xml" };

Deno.test("an error within a response of status 200 is an error", async () => {
  const reply =
    "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>";
  await using stub = signedStub(() => new Response(reply, { headers: XML }));
  const properties = {
    ...stubConnection(stub),
    from: { bucket: "a", key: "b" },
    to: { bucket: "c", key: "d" },
  };
  const error = await assertRejects(() => runDefinition(task("aws.s3.Copy"), properties), Error);
  assertEquals(
    error.message,
    'Cannot copy "b" of the bucket "a": We encountered an internal error. (InternalError)',
  );
  assertEquals(stub.requests[0]?.headers["x-amz-copy-source"], "/a/b");
});

const STARTED = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>";

/** Uploads a file in parts of two bytes. */
const UPLOADING: TaskDefinition = {
  ...task("aws.s3.Upload"),
  async run(context) {
    const body = await context.bodyOf(FILE);
    const options = { bucket: "demo", key: "l", headers: {}, maxSingleBytes: 1, partBytes: 2 };
    await uploadFile(context as MachineTaskContext, new S3Client(context), { ...options, ...body });
  },
};

for (const end of ["an error", "a stop"]) {
  const name = `parts that were sent are removed after ${end}`;
  // Connections of requests that were stopped are closed later.
  Deno.test({ name, sanitizeOps: false, sanitizeResources: false }, async () => {
    const stop = new AbortController(), over = Promise.withResolvers<void>();
    await using stub = signedStub(async ({ method, query }) => {
      if (method === "DELETE") return new Response(null, { status: 204 });
      if (query.uploads !== undefined) return new Response(STARTED);
      if (query.partNumber !== "2") return new Response("", { headers: { ETag: '"t"' } });
      if (end === "a stop") {
        stop.abort(new Error("The work was stopped"));
        await over.promise;
      }
      const refused = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
      return new Response(refused, { status: 403 });
    });
    const properties = { ...stubConnection(stub), from: FILE };
    const options = { files: { [FILE]: "12345" }, signal: stop.signal };
    const message = end === "a stop" ? "stopped" : "the response was 403: Access Denied (AccessDenied)";
    await assertRejects(() => runDefinition(UPLOADING, properties, options), Error, message);
    over.resolve();
    assertEquals([stub.calls.at(-1), stub.requests.at(-1)?.query], ["DELETE /demo/l", { uploadId: "u1" }]);
  });
}

Deno.test("some parts are sent at once, and one that is refused for overload is read and sent again", async () => {
  const all = Promise.withResolvers<void>();
  let underWay = 0, most = 0, refusals = 1;
  await using stub = new ApiStub(async ({ method, query, text }) => {
    if (query.uploads !== undefined) {
      return new Response(
        "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>",
      );
    }
    if (method === "POST") return new Response("<CompleteMultipartUploadResult/>");
    most = Math.max(most, ++underWay);
    // The fourth request shows that four are sent at once: none has a response before.
    if (underWay === 4) all.resolve();
    await all.promise;
    underWay--;
    if (query.partNumber === "2" && refusals-- > 0) {
      return new Response("", { status: 503, headers: { "Retry-After": "0" } });
    }
    return new Response("", { headers: { ETag: `"${query.partNumber}-${text}"` } });
  });
  await runDefinition(UPLOADING, { ...stubConnection(stub), from: FILE }, {
    files: { [FILE]: "12345678abc" },
  });
  assertEquals(most, 4);
  const parts = stub.requests.filter(({ method }) => method === "PUT").map(({ text }) => text);
  assertEquals(parts.sort(), ["12", "34", "34", "56", "78", "ab", "c"]);
  const tags = [...stub.requests.at(-1)?.text.matchAll(/<ETag>(?:"|&quot;)(.*?)(?:"|&quot;)<\/ETag>/g) ?? []];
  assertEquals(tags.map(([, tag]) => tag), ["1-12", "2-34", "3-56", "4-78", "5-ab", "6-c"]);
});

Deno.test("a region is named for a new bucket; headers name owner, class and tags", async () => {
  await using stub = signedStub(() => new Response("", { headers: { ETag: '"t"' } }));
  await runDefinition(task("aws.s3.CreateBucket"), { ...stubConnection(stub), acl: "private" });
  const [create] = stub.requests;
  assertEquals([create?.method, create?.path, create?.headers["x-amz-acl"]], ["PUT", "/demo/", "private"]);
  assertMatch(create?.text ?? "", /<LocationConstraint>eu-central-1<\/LocationConstraint>/);
  await runDefinition(task("aws.s3.Upload"), {
    ...stubConnection(stub),
    from: FILE,
    key: "k",
    storageClass: "STANDARD_IA",
    expectedBucketOwner: "1",
    tagging: { a: "b c" },
    sessionToken: "temporary",
  }, { files: { [FILE]: "x" } });
  const { headers = {}, text } = stub.requests[1] ?? {};
  const sent = ["x-amz-storage-class", "x-amz-expected-bucket-owner", "x-amz-tagging", "x-amz-security-token"]
    .map((name) => headers[name]);
  assertEquals([sent, text], [["STANDARD_IA", "1", "a=b+c", "temporary"], "x"]);
});

Deno.test("overload is tried again with a new signature; a redirection is not followed", async () => {
  let count = 0;
  await using stub = signedStub(() =>
    ++count < 3
      ? new Response("", { status: 503, headers: { "Retry-After": "0" } })
      : new Response("<Error><Code>PermanentRedirect</Code><Message>Use another endpoint</Message></Error>", {
        status: 301,
        headers: { location: "http://127.0.0.1:1/" },
      })
  );
  const error = await assertRejects(() => runDefinition(task("aws.s3.List"), stubConnection(stub)), Error);
  assertMatch(error.message, /the response was 301: Use another endpoint \(PermanentRedirect\)$/);
  assertEquals(count, 3);
});

Deno.test("a role is assumed once for all requests of an attempt", async () => {
  const list = "<ListBucketResult><NextContinuationToken>n</NextContinuationToken></ListBucketResult>";
  await using stub = new ApiStub(({ method, query }) => {
    if (method === "GET") {
      return new Response(query["continuation-token"] === undefined ? list : "<ListBucketResult/>");
    }
    return new Response(
      "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>" +
        "<SecretAccessKey>s</SecretAccessKey><SessionToken>token</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>",
    );
  });
  await runDefinition(task("aws.s3.List"), {
    ...stubConnection(stub),
    stsRoleArn: "arn:aws:iam::1:role/r",
    stsRoleExternalId: "x",
    stsEndpointOverride: `${stub.url}/sts`,
  });
  const [assume, first] = stub.requests;
  assertEquals([assume && isSigned(assume), stub.calls], [true, ["POST /sts", "GET /demo/", "GET /demo/"]]);
  assertEquals(Object.fromEntries(new URLSearchParams(assume?.text)), {
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: "arn:aws:iam::1:role/r",
    RoleSessionName: "sluice",
    DurationSeconds: "900",
    ExternalId: "x",
  });
  assertMatch(first?.headers.authorization ?? "", /Credential=ASIA\//);
  assertEquals(first?.headers["x-amz-security-token"], "token");
});

const REFUSED: readonly (readonly [type: string, properties: JsonObject, message: string])[] = [
  [
    "aws.s3.List",
    { accessKeyId: null },
    "Missing accessKeyId and secretKeyId: the credentials of the server are not used",
  ],
  [
    "aws.s3.Download",
    { key: "a/../b" },
    'Cannot address "a/../b": a key with the part "." or ".." has no URL',
  ],
  ["aws.s3.Downloads", { action: "MOVE" }, "Missing moveTo: the action MOVE needs it"],
  ["aws.s3.Upload", { from: [] }, "Invalid from: there are no files"],
];

for (const [type, properties, message] of REFUSED) {
  Deno.test(`${type} refuses ${JSON.stringify(properties)}`, async () => {
    await using stub = signedStub(() => undefined);
    const run = () => runDefinition(task(type), { ...stubConnection(stub), ...properties });
    assertEquals((await assertRejects(run, Error)).message, message);
  });
}
