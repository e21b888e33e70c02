/** The types of Azure Blob Storage against a stub of its REST API (version 2021-12-02) that verifies signatures. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  blobCopy,
  blobDelete,
  blobDeleteList,
  blobUpload,
} from "../../../src/integrations/azure/blob/change.ts";
import {
  blobDownload,
  blobDownloads,
  blobList,
  blobTrigger,
} from "../../../src/integrations/azure/blob/read.ts";
import { adlsSharedAccess, blobSharedAccess } from "../../../src/integrations/azure/blob/shared_access.ts";
import { ACCOUNT, isShared, isSigned, KEY } from "./azure_signature.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";

function storageError(status: number, code: string, message: string): Response {
  return new Response(
    `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}\nRequestId:1</Message></Error>`,
    { status, headers: { "x-ms-error-code": code } },
  );
}

const HEADERS = {
  etag: '"0x1"',
  "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
  "content-type": "text/csv",
};

/** A container with blobs by name. */
class StorageStub extends ApiStub {
  readonly blobs: Map<string, string>;

  constructor(blobs: Readonly<Record<string, string>>, isAllowed = isSigned) {
    const stored = new Map(Object.entries(blobs));
    super((request) =>
      isAllowed(request)
        ? replyOf(stored, request)
        : storageError(403, "AuthenticationFailed", "Server failed to authenticate the request.")
    );
    this.blobs = stored;
  }
}

function replyOf(blobs: Map<string, string>, request: ApiRequest): ApiReply {
  const { method, path, query, headers, text } = request;
  if (query.comp === "list") return listing(blobs, query);
  const name = decodeURIComponent(path.replace(/^\/[^/]+\//, ""));
  const source = headers["x-ms-copy-source"];
  if (method === "PUT") {
    const from = source && decodeURIComponent(new URL(source).pathname.replace(/^\/[^/]+\//, ""));
    blobs.set(name, from ? blobs.get(from) ?? "" : text);
    return new Response("", {
      status: 201,
      headers: { ...HEADERS, ...source && { "x-ms-copy-status": "success" } },
    });
  }
  const content = blobs.get(name);
  if (content === undefined) return storageError(404, "BlobNotFound", "The specified blob does not exist.");
  if (method === "DELETE") {
    blobs.delete(name);
    return new Response("", { status: 202 });
  }
  return new Response(method === "HEAD" ? null : content, {
    headers: { ...HEADERS, "content-length": String(content.length) },
  });
}

/** Two blobs a page, of at most 1,000 that are asked for: the default of 5,000 may be too large to read. */
function listing(blobs: ReadonlyMap<string, string>, query: Readonly<Record<string, string>>): Response {
  if (query.maxresults !== "1000") return storageError(400, "OutOfRangeQueryParameterValue", "Too many.");
  const names = [...blobs.keys()].filter((name) => name.startsWith(query.prefix ?? ""));
  const at = Number(query.marker ?? 0);
  const entries = names.slice(at, at + 2).map((name) =>
    `<Blob><Name>${name}</Name><Properties><Content-Length>${
      blobs.get(name)?.length
    }</Content-Length><Etag>0x1</Etag>` +
    `<Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified></Properties></Blob>`
  );
  const folders = query.delimiter === "/" && at === 0 ? "<BlobPrefix><Name>d/sub/</Name></BlobPrefix>" : "";
  const next = at + 2 < names.length ? String(at + 2) : "";
  return new Response(
    `\ufeff<EnumerationResults><Blobs>${folders}${
      entries.join("")
    }</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
  );
}

function connection({ url }: ApiStub): JsonObject {
  return { connectionString: `AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${url}`, container: "c" };
}

const FILE = "kestra:///demo/data.csv";

Deno.test("Upload sends a file with its metadata and tags", async () => {
  await using stub = new StorageStub({});
  const { outputs, metrics } = await runDefinition(blobUpload, {
    ...connection(stub),
    from: FILE,
    name: "d/a b.csv",
    metadata: { a: "1" },
    tags: { t: "x y" },
    accessTier: "Cool",
  }, { files: { [FILE]: "a,b\n" } });
  assertEquals([outputs.blob, metrics], [{
    uri: `${stub.url}/c/d/a%20b.csv`,
    container: "c",
    name: "d/a b.csv",
    size: 4,
    eTag: "0x1",
    contentType: "text/csv",
    lastModified: "2026-01-01T00:00:00.000Z",
  }, { "file.size": 4 }]);
  const [put] = stub.requests;
  const { headers } = put ?? { headers: {} as Record<string, string> };
  assertEquals([
    headers["x-ms-blob-type"],
    headers["x-ms-meta-a"],
    headers["x-ms-tags"],
    headers["x-ms-access-tier"],
  ], [
    "BlockBlob",
    "1",
    "t=x+y",
    "Cool",
  ]);
  assertEquals(stub.blobs.get("d/a b.csv"), "a,b\n");
});

Deno.test("Upload of several files puts them into a folder", async () => {
  await using stub = new StorageStub({});
  const other = "kestra:///demo/other.csv";
  const { outputs } = await runDefinition(blobUpload, {
    ...connection(stub),
    from: [FILE, other],
    name: "d/",
  }, {
    files: { [FILE]: "1", [other]: "" },
  });
  assertEquals([...stub.blobs], [["d/data.csv", "1"], ["d/other.csv", ""]]);
  assertEquals((outputs.blobs as JsonObject[]).map(({ size }) => size), [1, 0]);
});

const NAMES = { "d/1.csv": "one", "d/2.csv": "two", "d/3.txt": "three" };

const LISTED: readonly (readonly [properties: JsonObject, names: string[]])[] = [
  [{}, ["d/1.csv", "d/2.csv", "d/3.txt"]],
  [{ maxFiles: 1 }, ["d/1.csv"]],
  [{ regexp: ".*\\.csv" }, ["d/1.csv", "d/2.csv"]],
  [{ filter: "BOTH", delimiter: "/", prefix: "d/" }, ["d/1.csv", "d/2.csv", "d/sub/", "d/3.txt"]],
  [{ filter: "DIRECTORY", delimiter: "/" }, ["d/sub/"]],
];

for (const [properties, names] of LISTED) {
  Deno.test(`List reads the pages of a container: ${JSON.stringify(properties)}`, async () => {
    await using stub = new StorageStub(NAMES);
    const { outputs } = await runDefinition(blobList, { ...connection(stub), ...properties });
    assertEquals((outputs.blobs as JsonObject[]).map(({ name }) => name), names);
    assertEquals(stub.requests[0]?.path, "/c");
  });
}

Deno.test("Download stores the content of a blob", async () => {
  await using stub = new StorageStub(NAMES);
  const { outputs, files } = await runDefinition(blobDownload, { ...connection(stub), name: "d/1.csv" });
  const { uri, size, name } = outputs.blob as JsonObject;
  assertEquals([files.get(String(uri)), size, name], ["one", 3, "d/1.csv"]);
});

Deno.test("Downloads moves what it has read, the trigger deletes it", async () => {
  await using stub = new StorageStub(NAMES);
  const properties = { ...connection(stub), prefix: "d/" };
  const { outputs, files } = await runDefinition(blobDownloads, {
    ...properties,
    regexp: ".*csv",
    action: "MOVE",
    moveTo: { name: "done" },
  });
  const stored = outputs.outputFiles as JsonObject;
  assertEquals(Object.entries(stored).map(([name, uri]) => [name, files.get(String(uri))]), [[
    "d/1.csv",
    "one",
  ], ["d/2.csv", "two"]]);
  assertEquals([...stub.blobs.keys()].sort(), ["d/3.txt", "done/1.csv", "done/2.csv"]);
  const found = await pollDefinition(blobTrigger, { ...properties, action: "DELETE" });
  const [blob] = found.outputs.blobs as JsonObject[];
  assertEquals([blob?.name, found.files.get(String(blob?.uri))], ["d/3.txt", "three"]);
  assertEquals((await pollDefinition(blobTrigger, { ...properties, action: "DELETE" })).isFound, false);
});

Deno.test("a response of Azure Storage with more than 16 MiB is refused", async () => {
  await using stub = new ApiStub(() => new Response(new Uint8Array(16 * 1024 * 1024 + 1)));
  await assertRejects(
    () => runDefinition(blobDeleteList, connection(stub)),
    Error,
    "the response is larger than 16777216 bytes",
  );
});

Deno.test("Copy, Delete and DeleteList change blobs", async () => {
  await using stub = new StorageStub(NAMES);
  const { outputs } = await runDefinition(blobCopy, {
    ...connection(stub),
    from: { container: "c", name: "d/1.csv" },
    to: { name: "e/1.csv" },
    delete: true,
  });
  assertEquals((outputs.blob as JsonObject).name, "e/1.csv");
  assertEquals(stub.blobs.get("e/1.csv"), "one");
  await runDefinition(blobDelete, { ...connection(stub), name: "d/2.csv" });
  assertEquals([...stub.blobs.keys()], ["d/3.txt", "e/1.csv"]);
  const list = await runDefinition(blobDeleteList, { ...connection(stub), prefix: "d/" });
  assertEquals([list.outputs, [...stub.blobs.keys()]], [{ count: 1, size: 5 }, ["e/1.csv"]]);
  await assertRejects(
    () => runDefinition(blobDeleteList, { ...connection(stub), prefix: "d/", errorOnEmpty: true }),
    Error,
    'Cannot delete blobs of the container "c": there are none',
  );
});

Deno.test("a shared access signature is sent with each request, and never shown", async () => {
  const SAS = "sv=2021-12-02&sp=rl&sig=c2VjcmV0";
  await using stub = new StorageStub(
    NAMES,
    ({ query, headers }) => query.sig === "c2VjcmV0" && !headers.authorization,
  );
  const properties = { endpoint: `${stub.url}/`, sasToken: `?${SAS}`, container: "c" };
  const { outputs } = await runDefinition(blobCopy, {
    ...properties,
    from: { container: "c", name: "d/1.csv" },
    to: { container: "c", name: "x" },
  });
  assertEquals((outputs.blob as JsonObject).uri, `${stub.url}/c/x`);
  assertEquals(stub.requests[0]?.headers["x-ms-copy-source"], `${stub.url}/c/d/1.csv?${SAS}`);
  const error = await assertRejects(
    () => runDefinition(blobDownload, { ...properties, name: "none" }),
    Error,
    `Cannot download "none" of the container "c" at "${stub.host}": the response was 404: The specified blob does not exist. (BlobNotFound)`,
  );
  assertEquals(error.message.includes("c2VjcmV0"), false);
});

const MISSING: readonly (readonly [properties: JsonObject, message: string])[] = [
  [{}, "Missing endpoint: neither it nor connectionString names the storage"],
  [{ endpoint: "http://127.0.0.1:1" }, "Missing credentials: give connectionString"],
  [
    { sharedKeyAccountName: "a", sharedKeyAccountAccessKey: "no key!" },
    "Invalid sharedKeyAccountAccessKey: it is no Base64",
  ],
];

for (const [properties, message] of MISSING) {
  Deno.test(`credentials are checked: ${message}`, async () => {
    await assertRejects(
      () => runDefinition(blobDownload, { container: "c", name: "n", ...properties }),
      Error,
      message,
    );
  });
}

Deno.test("a wrong key is refused in the words of the storage", async () => {
  await using stub = new StorageStub(NAMES);
  const properties = { ...connection(stub), sharedKeyAccountAccessKey: btoa("other") };
  await assertRejects(
    () => runDefinition(blobDelete, { ...properties, name: "d/1.csv" }),
    Error,
    `Cannot read "d/1.csv" of the container "c" at "${stub.host}": the response was 403: AuthenticationFailed`,
  );
});

const SHARED = {
  endpoint: "https://acme.dfs.core.windows.net",
  sharedKeyAccountName: ACCOUNT,
  sharedKeyAccountAccessKey: KEY,
  expirationDate: "2026-12-01T10:00:00.5+01:00",
};

Deno.test("SharedAccess signs an address of a blob with its permissions in order", async () => {
  const place = { ...SHARED, container: "c", name: "in put/1.csv", permissions: ["WRITE", "r"] };
  const { outputs } = await runDefinition(blobSharedAccess, place);
  const url = new URL(String(outputs.uri));
  assertEquals(url.origin + url.pathname, "https://acme.blob.core.windows.net/c/in%20put/1.csv");
  const { se, sp, sr } = Object.fromEntries(url.searchParams);
  assertEquals([se, sp, sr], ["2026-12-01T09:00:00Z", "rw", "b"]);
  assertEquals([isShared(url, "c/in put/1.csv"), isShared(url, "c/other.csv")], [true, false]);
});

Deno.test("SharedAccess of a file of Data Lake Storage is one of its blob", async () => {
  const place = { ...SHARED, fileSystem: "data", filePath: "/a/b.csv", permissions: ["READ"] };
  const { outputs } = await runDefinition(adlsSharedAccess, place);
  const url = new URL(String(outputs.uri));
  assertEquals(url.href.startsWith("https://acme.blob.core.windows.net/data/a/b.csv?"), true);
  assertEquals(isShared(url, "data/a/b.csv"), true);
});

Deno.test("SharedAccess needs the key of the account", async () => {
  const { sharedKeyAccountAccessKey: _, ...place } = {
    ...SHARED,
    container: "c",
    name: "n",
    permissions: ["READ"],
  };
  const run = runDefinition(blobSharedAccess, { ...place, sasToken: "sig=1" });
  await assertRejects(() => run, Error, "Missing key: an address is signed with the key of the account");
});
