/** The types of Google Cloud Storage against a stub of its JSON API. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  gcsCreateBucket,
  gcsCreateBucketIamPolicy,
  gcsDeleteBucket,
  gcsUpdateBucket,
} from "../../../src/integrations/gcp/gcs/buckets.ts";
import { gcsCompose, gcsCopy } from "../../../src/integrations/gcp/gcs/copy.ts";
import { gcsDelete, gcsDeleteList } from "../../../src/integrations/gcp/gcs/delete.ts";
import { gcsDownload } from "../../../src/integrations/gcp/gcs/download.ts";
import { gcsDownloads, gcsTrigger } from "../../../src/integrations/gcp/gcs/downloads.ts";
import { gcsList } from "../../../src/integrations/gcp/gcs/list.ts";
import { gcsUpload } from "../../../src/integrations/gcp/gcs/upload.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import type { ApiReply, ApiRequest } from "../../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { callsOf, connection, gcpError, gcpStub } from "./gcp_stub.ts";

const FILE = "kestra:///demo/data.csv";

Deno.test("Upload opens a session and sends the file to its location", async () => {
  await using stub = gcpStub(({ method }, { url }) =>
    method === "POST"
      ? new Response("", { headers: { location: `${url}/session?upload_id=secret` } })
      : { name: "x", bucket: "my-bucket" }
  );
  const { outputs, metrics } = await runDefinition(gcsUpload, {
    ...connection(stub),
    from: FILE,
    to: "gs://my-bucket/dir/a b.csv",
    contentType: "text/csv",
    metadata: { a: "1" },
  }, { files: { [FILE]: "a,b\n" } });
  const [, open, send] = stub.requests;
  assertEquals([outputs, metrics], [{ uri: "gs://my-bucket/dir/a b.csv" }, { "file.size": 4 }]);
  assertEquals([open?.method, open?.path, open?.query], [
    "POST",
    "/upload/storage/v1/b/my-bucket/o",
    { uploadType: "resumable", name: "dir/a b.csv" },
  ]);
  assertEquals(open?.headers["x-upload-content-length"], "4");
  assertEquals(JSON.parse(open?.text ?? ""), { contentType: "text/csv", metadata: { a: "1" } });
  assertEquals([send?.method, send?.path, send?.headers["content-length"], send?.text], [
    "PUT",
    "/session",
    "4",
    "a,b\n",
  ]);
});

Deno.test("Download stores the content of the object", async () => {
  await using stub = gcpStub(() => new Response("content"));
  const { outputs, files } = await runDefinition(gcsDownload, {
    ...connection(stub),
    from: "gs://b/d/e.txt",
  });
  assertEquals([outputs.bucket, outputs.path, files.get(String(outputs.uri))], ["b", "d/e.txt", "content"]);
  assertEquals([callsOf(stub), stub.requests[1]?.query], [["GET /storage/v1/b/b/o/d%2Fe.txt"], {
    alt: "media",
  }]);
});

function object(name: string): JsonObject {
  return { bucket: "b", name, size: "3", contentType: "text/plain", updated: "2026-01-01T00:00:00.000Z" };
}

/** A bucket with objects in pages of two; deletes and copies succeed. */
function bucket(names: readonly string[]): (request: ApiRequest) => ApiReply {
  return ({ method, path, query }) => {
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (query.alt === "media") {
      return new Response(`content of ${decodeURIComponent(path.split("/").at(-1) ?? "")}`);
    }
    if (path.includes("/rewriteTo/")) {
      return query.rewriteToken ? { done: true, resource: {} } : { done: false, rewriteToken: "more" };
    }
    const at = Number(query.pageToken ?? 0);
    const nextPageToken = at + 2 < names.length ? String(at + 2) : undefined;
    return {
      prefixes: at === 0 && query.delimiter === "/" ? ["d/sub/"] : undefined,
      items: names.slice(at, at + 2).map(object),
      nextPageToken,
    };
  };
}

const NAMES = ["d/", "d/1.csv", "d/2.csv", "d/3.txt"];

const LISTED: readonly (readonly [properties: JsonObject, uris: string[]])[] = [
  [{}, ["gs://b/d/sub/", "gs://b/d/1.csv", "gs://b/d/2.csv", "gs://b/d/3.txt"]],
  [{ filter: "DIRECTORY" }, ["gs://b/d/sub/"]],
  [{ filter: "FILES", regExp: ".*\\.csv" }, ["gs://b/d/1.csv", "gs://b/d/2.csv"]],
  [{ regExp: "gs://b/d/3.*", listingType: "RECURSIVE" }, ["gs://b/d/3.txt"]],
];

for (const [properties, expected] of LISTED) {
  Deno.test(`List reads all pages: ${JSON.stringify(properties)}`, async () => {
    await using stub = gcpStub(bucket(NAMES));
    const { outputs } = await runDefinition(gcsList, {
      ...connection(stub),
      from: "gs://b/d/",
      ...properties,
    });
    assertEquals((outputs.blobs as JsonObject[]).map(({ uri }) => uri), expected);
    const [, first, second] = stub.requests;
    assertEquals([first?.path, first?.query.prefix, first?.query.delimiter, second?.query.pageToken], [
      "/storage/v1/b/b/o",
      "d/",
      properties.listingType === "RECURSIVE" ? undefined : "/",
      "2",
    ]);
  });
}

Deno.test("Downloads reads the objects, then moves each", async () => {
  await using stub = gcpStub(bucket(["d/1.csv", "d/2.csv", "d/3.csv"]));
  const { outputs, files } = await runDefinition(gcsDownloads, {
    ...connection(stub),
    from: "gs://b/d/",
    action: "MOVE",
    moveDirectory: "gs://done/old/",
    maxFiles: 2,
  });
  const blobs = outputs.blobs as JsonObject[];
  assertEquals(blobs.map(({ uri }) => files.get(String(uri))), ["content of d/1.csv", "content of d/2.csv"]);
  assertEquals(Object.keys(outputs.outputFiles as JsonObject), ["d/1.csv", "d/2.csv"]);
  const copy = "POST /storage/v1/b/b/o/d%2F1.csv/rewriteTo/b/done/o/old%2F1.csv";
  assertEquals(callsOf(stub).slice(3, 6), [copy, copy, "DELETE /storage/v1/b/b/o/d%2F1.csv"]);
});

Deno.test("Trigger finds objects, and nothing where there are none", async () => {
  await using full = gcpStub(bucket(["d/1.csv"]));
  const properties = { from: "gs://b/d/", action: "DELETE" };
  const found = await pollDefinition(gcsTrigger, { ...connection(full), ...properties });
  assertEquals((found.outputs.blobs as JsonObject[]).map(({ name }) => name), ["d/1.csv"]);
  assertEquals(callsOf(full).at(-1), "DELETE /storage/v1/b/b/o/d%2F1.csv");
  await using empty = gcpStub(bucket([]));
  assertEquals((await pollDefinition(gcsTrigger, { ...connection(empty), ...properties })).isFound, false);
});

Deno.test("Delete says whether there was an object", async () => {
  await using stub = gcpStub(({ path }) =>
    path.endsWith("here")
      ? new Response(null, { status: 204 })
      : gcpError(404, "No such object: b/gone", "notFound")
  );
  const run = (uri: string, further: JsonObject = {}) =>
    runDefinition(gcsDelete, { ...connection(stub), uri, ...further });
  assertEquals((await run("gs://b/here")).outputs, { uri: "gs://b/here", deleted: true });
  assertEquals((await run("gs://b/gone")).outputs, { uri: "gs://b/gone", deleted: false });
  await assertRejects(() => run("gs://b/gone", { errorOnMissing: true }), Error, "there is no such object");
});

Deno.test("DeleteList deletes what the listing finds", async () => {
  await using stub = gcpStub(bucket(NAMES));
  const { outputs } = await runDefinition(gcsDeleteList, {
    ...connection(stub),
    from: "gs://b/d/",
    regExp: ".*csv",
  });
  assertEquals(outputs, { count: 2, size: 6 });
  assertEquals(callsOf(stub).filter((call) => call.startsWith("DELETE")).length, 2);
});

Deno.test("Copy with delete moves the object; Compose joins objects by name", async () => {
  await using stub = gcpStub((request) => request.path.endsWith("/compose") ? {} : bucket(NAMES)(request));
  const copied = await runDefinition(gcsCopy, {
    ...connection(stub),
    from: "gs://b/a",
    to: "gs://c/d",
    delete: true,
  });
  assertEquals(copied.outputs, { bucket: "c", path: "d", uri: "gs://c/d" });
  assertEquals(callsOf(stub).at(-1), "DELETE /storage/v1/b/b/o/a");
  await runDefinition(gcsCompose, { ...connection(stub), list: { from: "gs://b/d/" }, to: "gs://b/all" });
  const compose = stub.requests.at(-1);
  assertEquals(compose?.path, "/storage/v1/b/b/o/all/compose");
  assertEquals(JSON.parse(compose?.text ?? "").sourceObjects, NAMES.slice(1).map((name) => ({ name })));
});

const TAKEN = () => gcpError(409, "You already own this bucket.", "conflict");

/** Type, properties, the reply to the first request, the calls, the last body and the outputs. */
const BUCKETS:
  readonly (readonly [TaskDefinition, JsonObject, () => ApiReply, string[], unknown, JsonObject])[] = [
    [
      gcsCreateBucket,
      { versioningEnabled: true, labels: { a: "b" }, location: "EU" },
      () => ({ location: "EU" }),
      ["POST /storage/v1/b"],
      { name: "n", location: "EU", labels: { a: "b" }, versioning: { enabled: true } },
      { bucket: "n", bucketUri: "gs://n", location: "EU", created: true, updated: false },
    ],
    [
      gcsCreateBucket,
      { ifExists: "SKIP" },
      TAKEN,
      ["POST /storage/v1/b", "GET /storage/v1/b/n"],
      undefined,
      { bucket: "n", bucketUri: "gs://n", location: "US", created: false, updated: false },
    ],
    [
      gcsCreateBucket,
      { ifExists: "UPDATE", storageClass: "COLDLINE", location: "EU" },
      TAKEN,
      ["POST /storage/v1/b", "PATCH /storage/v1/b/n"],
      { storageClass: "COLDLINE" },
      { bucket: "n", bucketUri: "gs://n", location: "US", created: false, updated: true },
    ],
    [
      gcsUpdateBucket,
      { labels: { a: "b" } },
      () => ({ location: "US" }),
      ["PATCH /storage/v1/b/n"],
      { labels: { a: "b" } },
      { bucket: "n", bucketUri: "gs://n", location: "US", created: false, updated: true },
    ],
    [
      gcsDeleteBucket,
      {},
      () => new Response(null, { status: 204 }),
      ["DELETE /storage/v1/b/n"],
      undefined,
      {},
    ],
    [
      gcsCreateBucketIamPolicy,
      { member: "a@b.c", role: "roles/viewer" },
      () => ({
        etag: "v1",
        bindings: [{ role: "roles/viewer", members: ["user:x"] }, { role: "other", members: [] }],
      }),
      ["GET /storage/v1/b/n/iam", "PUT /storage/v1/b/n/iam"],
      {
        etag: "v1",
        bindings: [
          { role: "other", members: [] },
          { role: "roles/viewer", members: ["user:x", "serviceAccount:a@b.c"] },
        ],
      },
      { created: true, bucket: "n", member: "serviceAccount:a@b.c", role: "roles/viewer" },
    ],
  ];

for (const [definition, properties, reply, calls, body, outputs] of BUCKETS) {
  Deno.test(`${definition.type} ${JSON.stringify(properties)}`, async () => {
    let count = 0;
    await using stub = gcpStub(() => count++ === 0 ? reply() : { location: "US" });
    const run = await runDefinition(definition, { ...connection(stub), name: "n", ...properties });
    const { text = "" } = stub.requests.at(-1) ?? {};
    assertEquals([callsOf(stub), text === "" ? undefined : JSON.parse(text), run.outputs], [
      calls,
      body,
      outputs,
    ]);
  });
}

Deno.test("CreateBucket fails if the bucket exists, with the words of Google", async () => {
  await using stub = gcpStub(TAKEN);
  const error = await assertRejects(
    () => runDefinition(gcsCreateBucket, { ...connection(stub), name: "n" }),
    Error,
  );
  assertEquals(
    error.message,
    `Cannot create the bucket "n" at "${stub.host}": the response was 409: You already own this bucket. (conflict)`,
  );
});

Deno.test("a request that may be repeated is repeated for overload, another one is not", async () => {
  let count = 0;
  await using stub = gcpStub(({ method }) => {
    if (method !== "GET") return gcpError(503, "Backend Error", "backendError");
    const isOver = ++count > 2;
    return isOver ? { items: [] } : new Response("{}", { status: 503, headers: { "Retry-After": "0" } });
  });
  await runDefinition(gcsList, { ...connection(stub), from: "gs://b/" });
  assertEquals(count, 3);
  await assertRejects(() => runDefinition(gcsCreateBucket, { ...connection(stub), name: "n" }), Error, "503");
  assertEquals(callsOf(stub).filter((call) => call.startsWith("POST")).length, 1);
});

Deno.test("errors name host, operation and the words of Google, and never the token or the session", async () => {
  await using stub = gcpStub(({ method }, { url }) =>
    method === "POST"
      ? new Response("", { headers: { location: `${url}/session?upload_id=secret` } })
      : gcpError(403, "robot does not have storage.objects.create access.", "forbidden")
  );
  const error = await assertRejects(
    () =>
      runDefinition(gcsUpload, { ...connection(stub), from: FILE, to: "gs://b/c" }, {
        files: { [FILE]: "x" },
      }),
    Error,
  );
  assertEquals(
    error.message,
    `Cannot upload "gs://b/c" at "${stub.host}": the response was 403: ` +
      "robot does not have storage.objects.create access. (forbidden)",
  );
});

const INVALID: readonly (readonly [TaskDefinition, JsonObject, string])[] = [
  [
    gcsDownload,
    { from: "http://b/c" },
    "Invalid from: it must be an address such as gs://bucket/folder/file",
  ],
  [gcsDownload, { from: "gs://b" }, 'Invalid from: "gs://b" names a bucket, and no object'],
  [gcsDownloads, { from: "gs://b/", action: "MOVE" }, "Missing moveDirectory: the action MOVE needs it"],
  [gcsCopy, { from: "gs://b/a", to: "gs://b/a" }, 'Cannot copy "gs://b/a": it is the target, too'],
];

for (const [definition, properties, message] of INVALID) {
  Deno.test(`${definition.type} refuses ${JSON.stringify(properties)}`, async () => {
    await using stub = gcpStub(() => undefined);
    const run = () => runDefinition(definition, { ...connection(stub), ...properties });
    assertEquals((await assertRejects(run, Error)).message, message);
  });
}
