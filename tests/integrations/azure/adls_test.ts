/**
 * The types of Azure Data Lake Storage against a stub of its REST API that verifies signatures.
 * https://learn.microsoft.com/en-us/rest/api/storageservices/datalakestoragegen2/path
 */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  adlsDelete,
  adlsDeleteFiles,
  adlsList,
  adlsRead,
  adlsReads,
  adlsTrigger,
  adlsUpload,
} from "../../../src/integrations/azure/adls/types.ts";
import { adlsAppend, adlsLease, adlsSetAccessControl } from "../../../src/integrations/azure/adls/update.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { ACCOUNT, isSigned, KEY } from "./azure_signature.ts";

function lakeError(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message: `${message}\nRequestId:1` } }, {
    status,
    headers: { "x-ms-error-code": code },
  });
}

const CHANGED = "Thu, 01 Jan 2026 00:00:00 GMT";

/** A file system `data` with files by path. What is appended is a part of a file once it is flushed. */
class LakeStub extends ApiStub {
  readonly files: Map<string, string>;

  constructor(files: Readonly<Record<string, string>>) {
    const stored = new Map(Object.entries(files)), appended = new Map<string, string>();
    super((request) =>
      isSigned(request)
        ? replyOf({ stored, appended }, request)
        : lakeError(403, "AuthenticationFailed", "Server failed to authenticate the request.")
    );
    this.files = stored;
  }
}

interface Lake {
  readonly stored: Map<string, string>;
  readonly appended: Map<string, string>;
}

function replyOf({ stored, appended }: Lake, request: ApiRequest): ApiReply {
  const { method, query, headers, text } = request;
  if (query.resource === "filesystem") return listing(stored, query);
  const path = decodeURIComponent(request.path.replace(/^\/data\//, ""));
  const source = headers["x-ms-rename-source"];
  if (method === "PUT") {
    const from = source && decodeURIComponent(source.replace(/^\/data\//, ""));
    stored.set(path, from ? stored.get(from) ?? "" : "");
    if (from) stored.delete(from);
    return new Response("", { status: 201 });
  }
  const content = stored.get(path);
  if (method === "POST" && content !== undefined) return leased(headers);
  if (content === undefined) return lakeError(404, "PathNotFound", "The specified path does not exist.");
  if (method === "PATCH") {
    if (query.action === "setAccessControl") return new Response("");
    if (query.action === "append") appended.set(path, content.slice(0, Number(query.position)) + text);
    else if (Number(query.position) === (appended.get(path) ?? "").length) {
      stored.set(path, appended.get(path) ?? "");
    } else return lakeError(400, "InvalidFlushPosition", "The uploaded data is not contiguous.");
    return new Response("", { status: query.action === "append" ? 202 : 200 });
  }
  if (method === "DELETE") stored.delete(path);
  return new Response(method === "GET" ? content : null, {
    headers: {
      etag: '"0x1"',
      "last-modified": CHANGED,
      "content-type": "text/csv",
      "content-length": String(content.length),
      "x-ms-resource-type": "file",
    },
  });
}

/** A file with the lease `l1`. A new one gets the id that its request proposes. */
function leased(headers: Readonly<Record<string, string>>): Response {
  const { "x-ms-lease-action": action, "x-ms-lease-id": id, "x-ms-proposed-lease-id": proposed } = headers;
  if (action === "acquire") {
    return /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(proposed ?? "")
      ? new Response("", { status: 201, headers: { "x-ms-lease-id": String(proposed) } })
      : lakeError(
        400,
        "InvalidHeaderValue",
        "The value for one of the HTTP headers is not in the correct format.",
      );
  }
  if (id === "l1") return new Response("", { headers: action === "renew" ? { "x-ms-lease-id": "l1" } : {} });
  return lakeError(409, "LeaseIdMismatchWithLeaseOperation", "The lease ID did not match.");
}

/** Two entries a page, a folder after the files. */
function listing(stored: ReadonlyMap<string, string>, query: Readonly<Record<string, string>>): Response {
  const prefix = query.directory === undefined ? "" : `${query.directory}/`;
  const inside = [...stored.keys()].filter((path) => path.startsWith(prefix));
  const files = inside.filter((path) => !path.slice(prefix.length).includes("/"));
  const facts = { lastModified: CHANGED, etag: "0x1" };
  const entries = [
    ...files.map((name) => ({ ...facts, name, contentLength: String(stored.get(name)?.length) })),
    ...files.length < inside.length ? [{ ...facts, name: `${prefix}deeper`, isDirectory: "true" }] : [],
  ];
  const at = Number(query.continuation ?? 0);
  const headers: Record<string, string> = at + 2 < entries.length
    ? { "x-ms-continuation": String(at + 2) }
    : {};
  return Response.json({ paths: entries.slice(at, at + 2) }, { headers });
}

function connection({ url }: ApiStub): JsonObject {
  const account = `AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${url}`;
  return { connectionString: account, fileSystem: "data" };
}

const FILE = "kestra:///demo/data.csv";
const FACTS = { size: 3, lastModified: "2026-01-01T00:00:00.000Z", eTag: "0x1", isDirectory: false };

for (const content of ["a,b\n1,2\n", ""]) {
  Deno.test(`Upload creates, appends and flushes ${content.length} bytes`, async () => {
    await using stub = new LakeStub({});
    const { outputs, metrics } = await runDefinition(adlsUpload, {
      ...connection(stub),
      from: FILE,
      filePath: "/in put/a.csv",
    }, { files: { [FILE]: content } });
    assertEquals([...stub.files], [["in put/a.csv", content]]);
    const path = "/data/in%20put/a.csv", size = String(content.length);
    assertEquals(stub.calls, [
      `PUT ${path}`,
      ...content === "" ? [] : [`PATCH ${path}`],
      `PATCH ${path}`,
      `HEAD ${path}`,
    ]);
    assertEquals(stub.requests.map(({ query }) => query), [
      { resource: "file" },
      ...content === "" ? [] : [{ action: "append", position: "0" }],
      { action: "flush", position: size, close: "true" },
      {},
    ]);
    assertEquals([(outputs.file as JsonObject).name, metrics["file.size"]], ["in put/a.csv", content.length]);
  });
}

Deno.test("List gives files and folders of one level, Reads the files with their content", async () => {
  await using stub = new LakeStub({
    "in/a.csv": "aaa",
    "in/b.csv": "bbb",
    "in/deeper/c.csv": "c",
    "d.csv": "d",
  });
  const folder = { ...connection(stub), directoryPath: "in/" };
  const listed = await runDefinition(adlsList, folder);
  const files = listed.outputs.files as JsonObject[];
  assertEquals(files.map(({ name, isDirectory }) => [name, isDirectory]), [
    ["in/a.csv", false],
    ["in/b.csv", false],
    ["in/deeper", true],
  ]);
  assertEquals(files[0], {
    uri: `${stub.url}/data/in/a.csv`,
    fileSystem: "data",
    name: "in/a.csv",
    fileName: "a.csv",
    ...FACTS,
  });
  assertEquals(stub.requests[1]?.query, {
    resource: "filesystem",
    recursive: "false",
    directory: "in",
    continuation: "2",
  });
  const read = await runDefinition(adlsReads, folder);
  assertEquals([...read.files.values()], ["aaa", "bbb"]);
  assertEquals(Object.keys(read.outputs.outputFiles as JsonObject), ["in/a.csv", "in/b.csv"]);
  const limited = await runDefinition(adlsReads, { ...folder, maxFiles: 1 });
  assertEquals([...limited.files.values()], ["aaa"]);
});

Deno.test("Read stores a file, Delete removes one, DeleteFiles those of a folder", async () => {
  await using stub = new LakeStub({
    "in/a.csv": "aaa",
    "in/b.csv": "bbb",
    "in/deeper/c.csv": "c",
    "d.csv": "d",
  });
  const place = connection(stub);
  const read = await runDefinition(adlsRead, { ...place, filePath: "in/a.csv" });
  const [[uri, text] = []] = [...read.files];
  assertEquals(text, "aaa");
  assertEquals(read.outputs.file, {
    uri: String(uri),
    fileSystem: "data",
    name: "in/a.csv",
    fileName: "a.csv",
    contentType: "text/csv",
    ...FACTS,
  });
  await runDefinition(adlsDelete, { ...place, filePath: "d.csv" });
  const deleted = await runDefinition(adlsDeleteFiles, { ...place, directoryPath: "in" });
  assertEquals([deleted.outputs, deleted.metrics], [
    { count: 2, size: 6 },
    { "files.count": 2, "files.size": 6 },
  ]);
  assertEquals([...stub.files.keys()], ["in/deeper/c.csv"]);
  const none = { ...place, directoryPath: "in", errorOnEmpty: true };
  await assertRejects(() => runDefinition(adlsDeleteFiles, none), Error, "there are none");
});

for (const [action, left] of [["DELETE", []], ["MOVE", ["done/a.csv"]], ["NONE", ["in/a.csv"]]] as const) {
  Deno.test(`the trigger starts with the files of a folder, and then does ${action}`, async () => {
    await using stub = new LakeStub({ "in/a.csv": "aaa" });
    const moveTo = { directoryPath: "done" };
    const watched = { ...connection(stub), directoryPath: "in", action, ...action === "MOVE" && { moveTo } };
    const { outputs, files } = await pollDefinition(adlsTrigger, watched);
    assertEquals([...files.values()], ["aaa"]);
    assertEquals((outputs.files as JsonObject[]).map(({ name }) => name), ["in/a.csv"]);
    assertEquals([...stub.files.keys()], [...left]);
    if (action === "MOVE") {
      assertEquals(stub.requests.at(-1)?.headers["x-ms-rename-source"], "/data/in/a.csv");
    }
  });
}

/** Properties of the trigger, the error. */
const REFUSED_MOVES: readonly (readonly [JsonObject, string])[] = [
  [{}, "Missing moveTo"],
  [{ moveTo: { directoryPath: "/in/" } }, 'Invalid moveTo: "in" is the folder that is watched'],
];

for (const [properties, message] of REFUSED_MOVES) {
  Deno.test(`the trigger refuses: ${message}`, async () => {
    await using stub = new LakeStub({ "in/a.csv": "aaa" });
    const watched = { ...connection(stub), directoryPath: "in", action: "MOVE", ...properties };
    await assertRejects(() => pollDefinition(adlsTrigger, watched), Error, message);
  });
}

Deno.test("Append writes to the end of a file", async () => {
  await using stub = new LakeStub({ "a.csv": "aaa" });
  const { metrics } = await runDefinition(adlsAppend, {
    ...connection(stub),
    filePath: "a.csv",
    data: "bb\n",
  });
  assertEquals([...stub.files], [["a.csv", "aaabb\n"]]);
  assertEquals(metrics, { "file.size": 3, "data.size": 3 });
  const missing = runDefinition(adlsAppend, { ...connection(stub), filePath: "b.csv", data: "b" });
  await assertRejects(() => missing, Error, 'Cannot read "b.csv"');
});

Deno.test("Lease acquires a lease with an own id, and renews, releases and breaks one by its id", async () => {
  await using stub = new LakeStub({ "a.csv": "aaa" });
  const run = (further: JsonObject) =>
    runDefinition(adlsLease, { ...connection(stub), filePath: "a.csv", ...further });
  const { outputs } = await run({ leaseDuration: 20 });
  const [{ headers = {} } = {}] = stub.requests;
  assertEquals([outputs.id, headers["x-ms-lease-duration"]], [headers["x-ms-proposed-lease-id"], "20"]);
  for (const action of ["RENEW", "RELEASE", "BREAK"]) {
    assertEquals((await run({ action, leaseId: "l1" })).outputs, { id: "l1" });
    assertEquals(stub.requests.at(-1)?.headers["x-ms-lease-action"], action.toLowerCase());
  }
  await assertRejects(() => run({ action: "RENEW" }), Error, "Missing leaseId: the action RENEW needs it");
  await assertRejects(
    () => run({ action: "BREAK", leaseId: "l2" }),
    Error,
    "(LeaseIdMismatchWithLeaseOperation)",
  );
});

Deno.test("SetAccessControl sets the rights of owner, group and others", async () => {
  await using stub = new LakeStub({ "a.csv": "aaa" });
  const { logs } = await runDefinition(adlsSetAccessControl, {
    ...connection(stub),
    filePath: "a.csv",
    ownerPermissions: { readPermission: true, writePermission: true, executePermission: true },
    groupPermissions: { readPermissions: true },
  });
  const [{ method = "", query = {}, headers = {} } = {}] = stub.requests;
  assertEquals([method, query, headers["x-ms-permissions"]], [
    "PATCH",
    { action: "setAccessControl" },
    "rwxr-----",
  ]);
  assertEquals(logs, ['INFO The rights of "a.csv" are rwxr-----']);
});

Deno.test("a missing file and a wrong key are errors with the words of the storage", async () => {
  await using stub = new LakeStub({});
  const run = (properties: JsonObject) =>
    runDefinition(adlsRead, { ...connection(stub), filePath: "a.csv", ...properties });
  const error = await assertRejects(() => run({}), Error);
  assertEquals(
    error.message,
    `Cannot read "a.csv" of the file system "data" at "${stub.host}": the response was 404: ` +
      "The specified path does not exist. (PathNotFound)",
  );
  await assertRejects(() => run({ sharedKeyAccountAccessKey: "b3RoZXI=" }), Error, "(AuthenticationFailed)");
  await assertRejects(() => run({ filePath: "../a.csv" }), Error, "has no URL");
});
