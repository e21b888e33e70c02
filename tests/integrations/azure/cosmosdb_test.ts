/** The types of Azure Cosmos DB against a stub of its REST API that verifies signatures and tokens. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  cosmosBatch,
  cosmosCreateItem,
  cosmosDelete,
} from "../../../src/integrations/azure/cosmosdb/items.ts";
import { partitionHeader, partitionValues } from "../../../src/integrations/azure/cosmosdb/cosmos_client.ts";
import { cosmosQueries, cosmosQuery } from "../../../src/integrations/azure/cosmosdb/queries.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { type DefinitionRun, runDefinition } from "../../support/flows/definition_run.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";

const KEY_BYTES = new TextEncoder().encode("a key of the account");
const KEY = KEY_BYTES.toBase64();
const CONTAINER = "/dbs/shop/colls/or%20ders";
const DOCS = `${CONTAINER}/docs`;
const PLACE = { databaseId: "shop", containerId: "or ders" };
const CHARGE = { "x-ms-request-charge": "5.5", "x-ms-activity-id": "a1", "x-ms-session-token": "0:1" };
const CHARGED = { requestCharge: 5.5, activityId: "a1", sessionToken: "0:1" };

/** https://learn.microsoft.com/en-us/rest/api/cosmos-db/access-control-on-cosmosdb-resources */
async function isSigned({ method, path, headers }: ApiRequest): Promise<boolean> {
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const isFeed = parts.length % 2 === 1;
  const type = isFeed ? parts.at(-1) : parts.at(-2);
  const link = (isFeed ? parts.slice(0, -1) : parts).join("/");
  const text = `${method.toLowerCase()}\n${type}\n${link}\n${headers["x-ms-date"]?.toLowerCase()}\n\n`;
  const key = await crypto.subtle.importKey("raw", KEY_BYTES, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  const [, sig = ""] = decodeURIComponent(headers.authorization ?? "").split("type=master&ver=1.0&sig=");
  return await crypto.subtle.verify("HMAC", key, Uint8Array.fromBase64(sig), new TextEncoder().encode(text));
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code, message: `${message}\r\nActivityId: 1, Microsoft.Azure.Documents` }, {
    status,
  });
}

/** A container that is partitioned by the region. */
function cosmos(reply: (request: ApiRequest) => ApiReply, paths = ["/region"]): ApiStub {
  return new ApiStub(async (request) => {
    if (request.headers["x-ms-version"] !== "2018-12-31" || !await isSigned(request)) {
      return refusal(401, "Unauthorized", "The input authorization token can't serve the request.");
    }
    return request.path === CONTAINER
      ? { id: "or ders", partitionKey: { paths, kind: "Hash" } }
      : reply(request);
  });
}

function run(stub: ApiStub, task: TaskDefinition, properties: JsonObject): Promise<DefinitionRun> {
  const connectionString = `AccountEndpoint=${stub.url}/;AccountKey=${KEY};`;
  return runDefinition(task, { connectionString, ...PLACE, ...properties });
}

const ITEM = { id: "1", region: "süd", n: 2 };

Deno.test("CreateItem names the partition of the item", async () => {
  await using stub = cosmos(({ text }) =>
    Response.json({ ...JSON.parse(text), _rid: "r" }, { status: 201, headers: { ...CHARGE, etag: '"e"' } })
  );
  const { outputs } = await run(stub, cosmosCreateItem, { item: ITEM });
  assertEquals(outputs, { item: { ...ITEM, _rid: "r" }, eTag: '"e"', statusCode: 201, ...CHARGED });
  assertEquals(stub.calls, [`GET ${CONTAINER}`, `POST ${DOCS}`]);
  const { headers, text } = stub.requests[1] as ApiRequest;
  assertEquals([headers["x-ms-documentdb-partitionkey"], JSON.parse(text)], ['["s\\u00fcd"]', ITEM]);
});

Deno.test("a response of Cosmos DB with more than 16 MiB is refused", async () => {
  await using stub = cosmos(() => new Response(new Uint8Array(16 * 1024 * 1024 + 1)));
  await assertRejects(
    () => run(stub, cosmosCreateItem, { item: ITEM }),
    Error,
    "the response is larger than 16777216 bytes",
  );
});

Deno.test("CreateItem is sent once, and a conflict has the words of Azure", async () => {
  await using stub = cosmos(() => refusal(409, "Conflict", "Entity with the specified id already exists."));
  await assertRejects(
    () => run(stub, cosmosCreateItem, { item: ITEM }),
    Error,
    `Cannot create the item "1" at "${stub.host}": the response was 409: Entity with the specified id already exists.`,
  );
  await using failing = cosmos(() => refusal(503, "ServiceUnavailable", "Try later."));
  await assertRejects(() => run(failing, cosmosCreateItem, { item: ITEM }), Error, "503: Try later.");
  assertEquals(failing.calls.filter((call) => call.startsWith("POST")).length, 1);
  await assertRejects(
    () => run(stub, cosmosCreateItem, { item: { n: 1 } }),
    Error,
    "it must be a map with an id",
  );
});

Deno.test("Delete succeeds for an item that is gone", async () => {
  const statuses = [204, 404];
  await using stub = cosmos(() => new Response(null, { status: statuses.shift() ?? 500, headers: CHARGE }));
  const item = { id: "a/1", region: "eu" };
  assertEquals((await run(stub, cosmosDelete, { item })).outputs, { statusCode: 204, ...CHARGED });
  assertEquals((await run(stub, cosmosDelete, { item })).outputs.statusCode, 404);
  assertEquals(stub.calls[1], `DELETE ${DOCS}/a%2F1`);
});

Deno.test("Batch creates all items of a partition, or none", async () => {
  let results: JsonObject[] = [{ statusCode: 201, eTag: "e1", resourceBody: { id: "1" } }];
  await using stub = cosmos(() =>
    Response.json(results, { status: results.length > 1 ? 207 : 200, headers: CHARGE })
  );
  const one = { partitionKeyValue: "eu", items: [{ id: "1", region: "eu" }] };
  assertEquals((await run(stub, cosmosBatch, one)).outputs, {
    results: [{ statusCode: 201, eTag: "e1", item: { id: "1" } }],
    successStatusCode: true,
    statusCode: 200,
    ...CHARGED,
  });
  const { headers, text } = stub.requests[0] as ApiRequest;
  assertEquals(JSON.parse(text), [{ operationType: "Create", resourceBody: { id: "1", region: "eu" } }]);
  assertEquals([headers["x-ms-cosmos-batch-atomic"], headers["x-ms-documentdb-partitionkey"]], [
    "True",
    '["eu"]',
  ]);
  results = [{ statusCode: 424 }, { statusCode: 409 }];
  const two = { ...one, items: [{ id: "1" }, { id: "2" }] };
  await assertRejects(() => run(stub, cosmosBatch, two), Error, 'the response for the item "2" was 409');
  await assertRejects(
    () => run(stub, cosmosBatch, { ...one, items: [] }),
    Error,
    "Invalid items: there are none",
  );
  const many = Array.from({ length: 101 }, (_each, index) => ({ id: String(index) }));
  await assertRejects(() => run(stub, cosmosBatch, { ...one, items: many }), Error, "at most 100");
});

/** Two pages. */
function pages({ headers }: ApiRequest): ApiReply {
  if (headers["content-type"] !== "application/query+json" || headers["x-ms-documentdb-isquery"] !== "True") {
    return undefined;
  }
  return headers["x-ms-continuation"] === "next"
    ? { Documents: [{ id: "2" }], _count: 1 }
    : Response.json({ Documents: [{ id: "1" }], _count: 1 }, { headers: { "x-ms-continuation": "next" } });
}

Deno.test("Query reads all pages of all partitions, or of the one that is named", async () => {
  await using stub = cosmos(pages);
  const { outputs, metrics } = await run(stub, cosmosQuery, { query: "SELECT * FROM c" });
  assertEquals([outputs, metrics], [{ queryResults: [{ id: "1" }, { id: "2" }] }, { "records.count": 2 }]);
  const [first] = stub.requests;
  assertEquals(JSON.parse(first?.text ?? ""), { query: "SELECT * FROM c", parameters: [] });
  assertEquals(first?.headers["x-ms-documentdb-query-enablecrosspartition"], "True");
  const named = {
    query: "SELECT * FROM c",
    partitionKey: { region: "eu" },
    partitionKeyDefinition: { paths: ["/region"], kind: "HASH", version: "V2" },
  };
  await run(stub, cosmosQuery, named);
  assertEquals(stub.requests.at(-1)?.headers["x-ms-documentdb-partitionkey"], '["eu"]');
  const { partitionKeyDefinition: _paths, ...unclear } = named;
  await assertRejects(() => run(stub, cosmosQuery, unclear), Error, "Missing partitionKeyDefinition");
});

Deno.test("Queries gives the results by name; a refusal names the query", async () => {
  await using stub = cosmos((request) =>
    request.text.includes("wrong") ? refusal(400, "BadRequest", "Syntax error near 'wrong'.") : pages(request)
  );
  const queries = { all: { query: "SELECT * FROM c" }, constructor: { query: "SELECT 1" } };
  const { outputs } = await run(stub, cosmosQueries, { queries });
  const both = [{ id: "1" }, { id: "2" }];
  assertEquals(outputs.results, { all: both, constructor: both });
  await assertRejects(
    () => run(stub, cosmosQueries, { queries: { bad: { query: "wrong" } } }),
    Error,
    `Cannot run the query "bad" at "${stub.host}": the response was 400: Syntax error near 'wrong'.`,
  );
});

Deno.test("an application gets one token for all requests; errors never have its secret", async () => {
  await using login = new ApiStub(({ path, text }) => {
    const form = new URLSearchParams(text);
    if (path !== "/t1/oauth2/v2.0/token" || form.get("grant_type") !== "client_credentials") return undefined;
    if (form.get("client_secret") === "hidden") return { access_token: "T0KEN", scope: form.get("scope") };
    return Response.json({ error: "invalid_client", error_description: "AADSTS7000215: Invalid secret." }, {
      status: 401,
    });
  });
  await using stub = new ApiStub((request) =>
    decodeURIComponent(request.headers.authorization ?? "") === "type=aad&ver=1.0&sig=T0KEN"
      ? pages(request)
      : refusal(401, "Unauthorized", "no")
  );
  const origins = { "https://login.microsoftonline.com": login.url };
  const connect = (clientSecret: string) =>
    runDefinition(cosmosQuery, {
      ...{ endpoint: stub.url, tenantId: "t1", clientId: "c1", clientSecret },
      ...PLACE,
      query: "SELECT * FROM c",
    }, { origins });
  assertEquals((await connect("hidden")).outputs.queryResults, [{ id: "1" }, { id: "2" }]);
  assertEquals(login.calls.length, 1);
  assertEquals(new URLSearchParams(login.requests[0]?.text).get("scope"), `${stub.url}/.default`);
  const { message } = await assertRejects(() => connect("wr0ng"), Error);
  assertEquals([message.includes("AADSTS7000215: Invalid secret."), message.includes("wr0ng")], [
    true,
    false,
  ]);
});

Deno.test("an account without address or credentials is refused, and a wrong key with the words of Azure", async () => {
  const query = { ...PLACE, query: "SELECT 1" };
  await assertRejects(() => runDefinition(cosmosQuery, query), Error, "Missing endpoint");
  await assertRejects(
    () => runDefinition(cosmosQuery, { ...query, endpoint: "https://x" }),
    Error,
    "Missing credentials",
  );
  await using stub = cosmos(pages);
  const given = (key: string) => ({
    ...query,
    connectionString: `AccountEndpoint=${stub.url};AccountKey=${key}`,
  });
  await assertRejects(() => runDefinition(cosmosQuery, given("d3Jvbmc=")), Error, "can't serve the request.");
  await assertRejects(() => runDefinition(cosmosQuery, given("*")), Error, "its AccountKey is no Base64");
});

Deno.test("partitionValues() follows paths; partitionHeader() is ASCII", () => {
  const item = { a: { b: 1 }, "c d": null };
  assertEquals(partitionValues(item, ["/a/b", '/"c d"', "/none/x"]), [1, null, {}]);
  assertEquals(partitionHeader(["é\n"]), { "x-ms-documentdb-partitionkey": '["\\u00e9\\n"]' });
});
