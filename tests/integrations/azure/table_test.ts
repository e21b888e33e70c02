/** The types of Azure Table Storage against a stub of its REST API that verifies signatures. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { tableBulk } from "../../../src/integrations/azure/table/bulk.ts";
import { tableDelete, tableGet, tableList } from "../../../src/integrations/azure/table/read.ts";
import { ACCOUNT, isSignedForTables, KEY } from "./azure_signature.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

function tableError(status: number, code: string, value: string): Response {
  const message = { lang: "en-US", value: `${value}\nRequestId:1\nTime:2026-01-01T00:00:00Z` };
  return Response.json({ "odata.error": { code, message } }, { status });
}

function tableStub(reply: (request: ApiRequest) => ApiReply): ApiStub {
  return new ApiStub((request) =>
    isSignedForTables(request)
      ? reply(request)
      : tableError(403, "AuthenticationFailed", "Server failed to authenticate the request.")
  );
}

function connection({ url }: ApiStub): JsonObject {
  return {
    connectionString: `AccountName=${ACCOUNT};AccountKey=${KEY};TableEndpoint=${url}`,
    table: "colors",
  };
}

function entity(row: string): JsonObject {
  return {
    "odata.etag": "W/\"datetime'2026'\"",
    PartitionKey: "color",
    RowKey: row,
    Timestamp: "2026-01-01T00:00:00Z",
    code: "00FF00",
    count: 3,
    "big@odata.type": "Edm.Int64",
    big: "9007199254740993",
    "at@odata.type": "Edm.DateTime",
    at: "2026-01-02T00:00:00Z",
  };
}

const TEXT = '{"partitionKey":"color","rowKey":"ROW","timestamp":"2026-01-01T00:00:00Z",' +
  '"etag":"W/\\"datetime\'2026\'\\"","properties":{"code":"00FF00","count":3,"big":9007199254740993,"at":"2026-01-02T00:00:00Z"}}\n';

/** Three entities on two pages, with an empty one between them. */
function pages({ query }: ApiRequest): ApiReply {
  const at = query.NextPartitionKey ?? "first";
  const found: Record<string, [string[], string?]> = {
    first: [["a", "b"], "empty"],
    empty: [[], "last"],
    last: [["c"]],
  };
  const [rows = [], next] = found[at] ?? [];
  const headers: Record<string, string> = next === undefined ? {} : {
    "x-ms-continuation-NextPartitionKey": next,
    "x-ms-continuation-NextRowKey": "r",
  };
  return Response.json({ value: rows.map(entity) }, { headers });
}

Deno.test("List stores the entities of all pages with their kinds of values", async () => {
  await using stub = tableStub(pages);
  const condition = { filter: "PartitionKey eq 'color'", select: ["code", "count"], top: 2 };
  const { outputs, files, metrics } = await runDefinition(tableList, { ...connection(stub), ...condition });
  assertEquals([...files.values()], [["a", "b", "c"].map((row) => TEXT.replace("ROW", row)).join("")]);
  assertEquals([outputs.count, metrics["records.count"]], [3, 3]);
  const [first, second] = stub.requests;
  assertEquals([first?.path, first?.query, first?.headers.accept], ["/colors()", {
    $filter: "PartitionKey eq 'color'",
    $select: "code,count",
    $top: "2",
  }, "application/json;odata=minimalmetadata"]);
  assertEquals([second?.query.NextPartitionKey, second?.query.NextRowKey], ["empty", "r"]);
  const limited = await runDefinition(tableList, { ...connection(stub), maxFiles: 2 });
  assertEquals([limited.outputs.count, limited.logs], [2, [
    'WARN The table "colors" has more than 2 entities: raise maxFiles',
  ]]);
});

Deno.test("Get and Delete address an entity by its keys", async () => {
  await using stub = tableStub(({ method }) =>
    method === "GET" ? entity("green") : new Response(null, { status: 204 })
  );
  const keys = { ...connection(stub), partitionKey: "it's", rowKey: "a/b ü" };
  const path = "/colors(PartitionKey='it%27%27s',RowKey='a%2Fb%20%C3%BC')";
  const { outputs } = await runDefinition(tableGet, keys);
  assertEquals((outputs.row as JsonObject).properties, {
    code: "00FF00",
    count: 3,
    big: 9007199254740993n,
    at: "2026-01-02T00:00:00Z",
  });
  await runDefinition(tableDelete, keys);
  assertEquals(stub.calls, [`GET ${path}`, `DELETE ${path}`]);
  assertEquals(stub.requests[1]?.headers["if-match"], "*");
});

Deno.test("Get reports a missing entity, Delete does not", async () => {
  await using stub = tableStub(() =>
    tableError(404, "ResourceNotFound", "The specified resource does not exist.")
  );
  const keys = { ...connection(stub), partitionKey: "a", rowKey: "b" };
  const error = await assertRejects(() => runDefinition(tableGet, keys), Error);
  assertEquals(
    error.message,
    `Cannot read the entity "a", "b" of the table "colors" at "${stub.host}": the response was 404: ` +
      "The specified resource does not exist. (ResourceNotFound)",
  );
  await runDefinition(tableDelete, keys);
});

/** The changes of a transaction: the first line, the conditional header and the body of each. */
function changesOf({ text, headers }: ApiRequest): string[][] {
  const [, batch] = /boundary=(batch_[\w-]+)$/.exec(headers["content-type"] ?? "") ?? [];
  const [, changeset] = /^Content-Type: multipart\/mixed; boundary=(changeset_[\w-]+)\r$/m.exec(text) ?? [];
  assertEquals([text.startsWith(`--${batch}\r\n`), text.endsWith(`--${changeset}--\r\n--${batch}--\r\n`)], [
    true,
    true,
  ]);
  return text.split(`--${changeset}\r\n`).slice(1).map((part) => {
    const [outer = "", head = "", body = ""] = part.split("\r\n\r\n");
    assertEquals(outer, "Content-Type: application/http\r\nContent-Transfer-Encoding: binary");
    return [head.split("\r\n")[0] ?? "", /If-Match: .*/.exec(head)?.[0] ?? "", body.split("\r\n")[0] ?? ""];
  });
}

function batchResponse(lines: string): Response {
  const part = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
  return new Response(
    `--batchresponse_1\r\n\r\n--changesetresponse_1\r\n${part}${lines}\r\n\r\n--batchresponse_1--`,
    {
      status: 202,
    },
  );
}

Deno.test("Bulk sends neighbours of a partition as one transaction, each with its type", async () => {
  await using stub = tableStub(() => batchResponse("HTTP/1.1 204 No Content"));
  const from: JsonObject[] = [
    { partitionKey: "p", rowKey: "1", properties: { a: "x", b: 5_000_000_000, c: null, d: true } },
    { partitionKey: "p", rowKey: "2", type: "CREATE", properties: { a: 1 } },
    { partitionKey: "p", rowKey: "3", type: "UPDATE_MERGE", properties: { a: 1 } },
    { partitionKey: "p", rowKey: "4", type: "DELETE" },
    { partitionKey: "q", rowKey: "5", type: "UPSERT_MERGE" },
  ];
  const { outputs, metrics } = await runDefinition(tableBulk, { ...connection(stub), from });
  assertEquals([outputs, metrics], [{ count: 5 }, { records: 5 }]);
  const at = (row: string, partition = "p") =>
    `${stub.url}/colors(PartitionKey='${partition}',RowKey='${row}') HTTP/1.1`;
  assertEquals(stub.calls, ["POST /$batch", "POST /$batch"]);
  assertEquals(stub.requests.map(changesOf), [[
    [
      `PUT ${at("1")}`,
      "",
      '{"PartitionKey":"p","RowKey":"1","a":"x","b":"5000000000","b@odata.type":"Edm.Int64","d":true}',
    ],
    [`POST ${stub.url}/colors HTTP/1.1`, "", '{"PartitionKey":"p","RowKey":"2","a":1}'],
    [`MERGE ${at("3")}`, "If-Match: *", '{"PartitionKey":"p","RowKey":"3","a":1}'],
    [`DELETE ${at("4")}`, "If-Match: *", ""],
  ], [[`MERGE ${at("5", "q")}`, "", '{"PartitionKey":"q","RowKey":"5"}']]]);
});

Deno.test("Bulk sends at most 100 entities of a file at once", async () => {
  await using stub = tableStub(() => batchResponse("HTTP/1.1 204 No Content"));
  const file = "kestra:///demo/rows.ion";
  const rows = Array.from({ length: 201 }, (_, n) => `{partitionKey:"p",rowKey:"${n}"}\n`).join("");
  const { outputs } = await runDefinition(tableBulk, { ...connection(stub), from: file }, {
    files: { [file]: rows },
  });
  assertEquals([outputs.count, stub.requests.map((request) => changesOf(request).length)], [201, [
    100,
    100,
    1,
  ]]);
});

/** What is given, the response, the error. */
const REFUSED: readonly (readonly [JsonObject, string, string])[] = [
  [
    { partitionKey: "p", rowKey: "1", type: "CREATE" },
    'HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n{"odata.error":{"code":"EntityAlreadyExists",' +
    '"message":{"lang":"en-US","value":"0:The specified entity already exists.\\nRequestId:1"}}}',
    'Cannot write 1 entities of the table "colors" at "HOST": the response was 409: ' +
    "0:The specified entity already exists. (EntityAlreadyExists)",
  ],
  [{ partitionKey: "p" }, "", "Missing rowKey: each entity needs it"],
  [{ partitionKey: "p", rowKey: "1", type: "MERGE" }, "", 'Invalid type "MERGE": it must be one of CREATE'],
  [
    { partitionKey: "p", rowKey: "1", properties: { a: [1] } },
    "",
    'Invalid property "a": it must be a text, a number or a boolean',
  ],
];

for (const [from, response, message] of REFUSED) {
  Deno.test(`Bulk refuses: ${message}`, async () => {
    await using stub = tableStub(() => batchResponse(response));
    const run = () => runDefinition(tableBulk, { ...connection(stub), from });
    const error = await assertRejects(run, Error);
    assertEquals(error.message.replace(stub.host, "HOST").startsWith(message), true, error.message);
  });
}

Deno.test("a wrong key is refused with the words of the storage, and is in no message", async () => {
  await using stub = tableStub(() => ({}));
  const wrong = { endpoint: stub.url, sharedKeyAccountName: ACCOUNT, sharedKeyAccountAccessKey: "b3RoZXI=" };
  const run = () => runDefinition(tableGet, { ...wrong, table: "colors", partitionKey: "a", rowKey: "b" });
  const { message } = await assertRejects(run, Error, "Server failed to authenticate the request.");
  assertEquals(message.includes("b3RoZXI="), false);
});

const HOST_PROPERTIES: readonly JsonObject[] = [
  { connectionString: `DefaultEndpointsProtocol=https;AccountName=${ACCOUNT};AccountKey=${KEY}` },
  {
    connectionString: `AccountName=${ACCOUNT};AccountKey=${KEY}`,
    endpoint: "https://acme.blob.core.windows.net/",
  },
];

for (const properties of HOST_PROPERTIES) {
  Deno.test(`the host of tables follows from ${Object.keys(properties)}`, async () => {
    await using stub = tableStub(() => entity("green"));
    const keys = { table: "colors", partitionKey: "color", rowKey: "green" };
    const origins = { "https://acme.table.core.windows.net": stub.url };
    const { outputs } = await runDefinition(tableGet, { ...properties, ...keys }, { origins });
    assertEquals((outputs.row as JsonObject).rowKey, "green");
  });
}
