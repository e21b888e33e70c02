import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../src/base/json.ts";
import { OPERATION_NAMES } from "../../../../src/http/openapi/operation_names.ts";
import { operationKey, OPERATIONS } from "../../../../src/http/openapi/operations.ts";
import { operationId, parametersOf, pathTemplates } from "../../../../src/http/openapi/path_template.ts";
import { tagOf } from "../../../../src/http/openapi/tags.ts";
import { Harness } from "../../../support/harness.ts";
import { ADMIN, basicHeader } from "../../app_under_test.ts";
import { schemaProblems } from "../../json_schema_check.ts";
import { startProduct } from "../../product_app.ts";
import { json } from "../../../support/flows/request_bodies.ts";

const METHODS = ["get", "put", "post", "delete", "patch"];

async function describe(server: Harness): Promise<JsonObject> {
  return await server.json("GET", "/openapi.json") as JsonObject;
}

function objectAt(value: JsonValue | undefined, ...names: readonly string[]): JsonObject {
  let found = value;
  for (const name of names) found = isJsonObject(found) ? found[name] : undefined;
  assert(isJsonObject(found), `there is no object at ${names.join(".")}`);
  return found;
}

/** Every operation of a description with its path and method. */
function operationsOf(document: JsonObject): { path: string; method: string; operation: JsonObject }[] {
  return Object.keys(objectAt(document, "paths")).flatMap((path) => {
    const item = objectAt(document, "paths", path);
    return Object.keys(item).map((method) => ({ path, method, operation: objectAt(item, method) }));
  });
}

/** Every `$ref` below a value. */
function refsIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "$ref" ? [String(member)] : refsIn(member)
  );
}

Deno.test("GET /openapi.json is a description of the form OpenAPI 3.1", async () => {
  await using server = await Harness.start();
  const document = await describe(server);
  assertEquals([document.openapi, objectAt(document, "info").version], ["3.1.0", "0.0.0"]);
  const ids = new Set<string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const place = `${method} ${path}`;
    assert(path.startsWith("/"), place);
    assert(METHODS.includes(method), place);
    ids.add(String(operation.operationId));
    assert(typeof operation.summary === "string" && !operation.summary.endsWith("."), place);
    const parameters = (operation.parameters ?? []) as JsonObject[];
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    assertEquals(inPath.map(({ name }) => name), parametersOf(path), place);
    assert(inPath.every(({ required }) => required === true), place);
    // Generated functions take all of them by name.
    const names = parameters.map(({ name }) => name);
    assertEquals(names.length, new Set(names).size, place);
    assert(parameters.every(({ schema }) => isJsonObject(schema)), place);
    const statuses = Object.keys(objectAt(operation, "responses"));
    assert(/^[23]\d\d$/.test(statuses[0] ?? "") && statuses.at(-1) === "default", place);
  }
  assertEquals(ids.size, operationsOf(document).length, "an id is given twice");
});

Deno.test("GET /openapi.json has no two paths of one shape, and every $ref is there", async () => {
  await using server = await Harness.start();
  const document = await describe(server);
  const shapes = Object.keys(objectAt(document, "paths")).map((path) => path.replace(/\{[^}]+\}/g, "{}"));
  assertEquals(shapes.length, new Set(shapes).size);
  for (const ref of new Set(refsIn(document))) {
    objectAt(document, ...ref.replace("#/", "").split("/"));
  }
});

Deno.test("GET /openapi.json has every mounted route but pages", async () => {
  await using server = await startProduct();
  const response = await server.send("/openapi.json", { headers: basicHeader(ADMIN) });
  const paths = objectAt(await response.json() as JsonObject, "paths");
  for (const { method, path } of server.app.routes) {
    if (path === "/ui" || path.startsWith("/ui/")) continue;
    for (const template of pathTemplates(path)) objectAt(paths, template, method.toLowerCase());
  }
});

Deno.test("OPERATIONS describes every operation of the server, and no other", async () => {
  await using server = await Harness.start();
  const found = operationsOf(await describe(server));
  const keys = found.map(({ path, method }) => operationKey(method.toUpperCase(), path));
  assertEquals([...new Set(keys)].sort(), [...OPERATIONS.keys()].sort());
});

/** Operations with their request headers and successful responses. */
const TOLD: readonly (readonly [operation: string, headers: string, statuses: string])[] = [
  ["POST /executions/{namespace}/{flowId}", "Idempotency-Key", "200"],
  ["POST /executions/trigger/{namespace}/{flowId}", "Idempotency-Key", "200"],
  ["GET /executions/{id}/follow", "Last-Event-ID", "200"],
  ["GET /executions/{id}/file", "", "200 301"],
  ["GET /executions/{id}/file/metas", "", "200 301"],
  ["GET /executions/{id}/file/preview", "", "200 301"],
  ["GET /executions/webhook/{namespace}/{flowId}/{key}", "Idempotency-Key", "200 204"],
  ["POST /executions/webhook/{namespace}/{flowId}/{key}/{path}", "Idempotency-Key", "200 204"],
  ["PUT /namespaces/{namespace}/kv/{key}", "ttl description", "200"],
  ["PUT /flows/{namespace}/{flowId}", "If-Match", "200"],
  ["DELETE /flows/{namespace}/{flowId}", "", "204"],
];
for (const [told, headers, statuses] of TOLD) {
  Deno.test(`GET /openapi.json describes the headers and responses of ${told}`, async () => {
    await using server = await Harness.start();
    const [method = "", path = ""] = told.split(" ");
    const document = await describe(server);
    const operation = objectAt(document, "paths", `/api/v1/{tenant}${path}`, method.toLowerCase());
    const parameters = (operation.parameters ?? []) as JsonObject[];
    const inHeader = parameters.filter((parameter) => parameter.in === "header");
    assertEquals(inHeader.map(({ name }) => name).join(" "), headers);
    assertEquals(Object.keys(objectAt(operation, "responses")).join(" "), `${statuses} default`);
  });
}

Deno.test("GET /openapi.json names operations as OPERATION_NAMES does, and gives each a described tag", async () => {
  await using server = await Harness.start();
  const document = await describe(server);
  const tags = (document.tags as JsonObject[]).map(({ name }) => name);
  const names = new Map<string, string>();
  for (const { path, method, operation } of operationsOf(document)) {
    names.set(operationKey(method.toUpperCase(), path), String(operation.operationId));
    const [tag, ...others] = operation.tags as JsonValue[];
    assert(tags.includes(tag ?? "") && others.length === 0, `${method} ${path}: ${tag}`);
  }
  for (const [key, name] of OPERATION_NAMES) assertEquals(names.get(key), name, key);
});

Deno.test("GET /openapi.json has no component whose name generators give to an inline object or enumeration of another", async () => {
  await using server = await Harness.start();
  const document = await describe(server);
  const schemas = objectAt(document, "components", "schemas");
  const components = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
  for (const name of Object.keys(schemas)) {
    const { properties = {} } = objectAt(schemas, name);
    for (const member of Object.keys(properties as JsonObject)) {
      const { type, enum: values } = objectAt(properties as JsonObject, member);
      const isNamed = type === "object" || values !== undefined;
      assert(!isNamed || !components.has((name + member).toLowerCase()), `${name}.${member}`);
    }
  }
});

for (
  const [key, tag] of [
    ["GET /flows/search", "Flows"],
    ["GET /namespaces/{namespace}/dependencies", "Flows"],
    ["GET /namespaces/{namespace}/kv/{key}", "KV"],
    ["GET /namespaces/{namespace}/inherited-secrets", "Secrets"],
    ["GET /namespaces/{namespace}/files/search", "Files"],
    ["PUT /namespaces/{namespace}", "Namespaces"],
    ["POST /executions/webhook/{namespace}/{flowId}/{key}", "Webhooks"],
    ["GET /executions", "Executions"],
    ["GET /metrics", "Server"],
    ["GET /metrics/{executionId}", "Metrics"],
  ] as const
) {
  Deno.test(`tagOf() gives ${key} the tag ${tag}`, () => assertEquals(tagOf(key), tag));
}

Deno.test("GET /openapi.json says of each body whether it is required", async () => {
  await using server = await Harness.start();
  const paths = objectAt(await describe(server), "paths");
  const isRequired = (path: string, method: string) =>
    objectAt(paths, `/api/v1/{tenant}${path}`, method, "requestBody").required;
  assertEquals(isRequired("/flows", "post"), true);
  assertEquals(isRequired("/executions/{namespace}/{flowId}", "post"), false);
  assertEquals(isRequired("/triggers/unlock/by-query", "post"), false);
});

Deno.test("GET /openapi.json asks for credentials where the server does", async () => {
  await using open = await Harness.start();
  assertEquals((await describe(open)).security, undefined);
  await using server = await startProduct();
  assertEquals((await server.send("/openapi.yml")).status, 401);
  const response = await server.send("/openapi.json", { headers: basicHeader(ADMIN) });
  const document = await response.json() as JsonObject;
  assertEquals(Object.keys(objectAt(document, "components", "securitySchemes")), [
    "basic",
    "token",
    "session",
  ]);
  assertEquals(objectAt(document, "paths", "/ping", "get").security, []);
  assertEquals(objectAt(document, "paths", "/api/v1/{tenant}/flows", "post").security, undefined);
});

for (const path of ["/openapi.yml", "/openapi.yaml", "/swagger/kestra.yml"]) {
  Deno.test(`GET ${path} is the same as YAML`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", path);
    assertStringIncludes(response.headers.get("content-type") ?? "", "yaml");
    const parsed = JSON.stringify(parse(await response.text(), { maxAliasCount: 0 }));
    assertEquals(parsed, await (await server.request("GET", "/openapi.json")).text());
  });
}

const TEMPLATES: readonly (readonly [route: string, templates: readonly string[]])[] = [
  ["/flows/:namespace/:flowId", ["/flows/{namespace}/{flowId}"]],
  ["/executions/:id{[A-Z][0-9A-Za-z]+}/kill", ["/executions/{id}/kill"]],
  ["/webhook/:key/*", ["/webhook/{key}/{path}"]],
  ["/tabs/:id/:tab?", ["/tabs/{id}", "/tabs/{id}/{tab}"]],
  ["/", ["/"]],
];
for (const [route, templates] of TEMPLATES) {
  Deno.test(`pathTemplates() makes ${route} ${templates.join(" and ")}`, () => {
    assertEquals(pathTemplates(route), [...templates]);
  });
}

Deno.test("operationId() names operations by method, path and parameters", () => {
  assertEquals(operationId("GET /flows/{namespace}"), "getFlowsByNamespace");
  assertEquals(operationId("GET /openapi.json"), "getOpenapiJson");
});

const FLOW = `
id: hello
namespace: demo
triggers:
  - id: daily
    type: io.svc.plugin.core.trigger.Schedule
    cron: "0 0 * * *"
tasks:
  - id: a
    type: io.svc.plugin.core.debug.Return
    format: a
`;
/** Requests, and the template of each where it is not the path itself. `:id` is an execution. */
const ANSWERS: readonly (readonly [request: string, template: string])[] = [
  ["GET /flows/search", "/flows/search"],
  ["GET /flows/demo", "/flows/{namespace}"],
  ["GET /flows/demo/hello", "/flows/{namespace}/{flowId}"],
  ["GET /flows/demo/hello/revisions", "/flows/{namespace}/{flowId}/revisions"],
  ["GET /flows/demo/hello/graph", "/flows/{namespace}/{flowId}/graph"],
  ["GET /flows/demo/hello/dependencies", "/flows/{namespace}/{flowId}/dependencies"],
  ["GET /flows/distinct-namespaces", "/flows/distinct-namespaces"],
  ["GET /executions/search", "/executions/search"],
  ["GET /executions/:id", "/executions/{id}"],
  ["GET /executions/:id/flow", "/executions/{id}/flow"],
  ["GET /executions/:id/graph", "/executions/{id}/graph"],
  ["POST /executions/demo/hello", "/executions/{namespace}/{flowId}"],
  ["POST /executions/demo/hello/validate", "/executions/{namespace}/{flowId}/validate"],
  ["POST /executions/:id/replay", "/executions/{id}/replay"],
  ["GET /logs/search", "/logs/search"],
  ["GET /logs/:id", "/logs/{executionId}"],
  ["GET /metrics/:id", "/metrics/{executionId}"],
  ["GET /triggers/search", "/triggers/search"],
  ["GET /triggers/demo/hello", "/triggers/{namespace}/{flowId}"],
  ["GET /namespaces/search", "/namespaces/search"],
  ["GET /namespaces/demo", "/namespaces/{namespace}"],
  ["GET /kv", "/kv"],
  ["GET /namespaces/demo/kv/key", "/namespaces/{namespace}/kv/{key}"],
  ["GET /namespaces/demo/files/directory", "/namespaces/{namespace}/files/directory"],
  ["GET /secrets", "/secrets"],
  ["GET /flows/nowhere/nothing", "/flows/{namespace}/{flowId}"],
  ["GET /executions/search?page=0", "/executions/search"],
];
for (const [request, template] of ANSWERS) {
  Deno.test(`${request} responds as /openapi.json describes`, async () => {
    await using server = await Harness.start();
    const { id } = await server.run(FLOW);
    await server.json("PUT", "/namespaces/demo/kv/key", json('"value"'));
    const [method = "", path = ""] = request.replace(":id", id).split(" ");
    const document = await describe(server);
    const operation = objectAt(document, "paths", `/api/v1/{tenant}${template}`, method.toLowerCase());
    const response = await server.request(method, path);
    const told = response.ok
      ? objectAt(operation, "responses", "200")
      : objectAt(document, "components", "responses", "Refusal");
    const schema = objectAt(told, "content", "application/json", "schema");
    assertEquals(schemaProblems(await response.json(), schema, document), []);
  });
}
