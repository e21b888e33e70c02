/** Bad requests as such: paths, methods, tenants, hosts, sites; and bad input for tenants and tokens. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness, type HarnessOptions } from "../support/harness.ts";
import { flowSource, readRefusal, type Refusal, testRefusals } from "./refusals.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";

type Row = readonly [what: string, request: string, init: RequestInit, status: number, ...says: string[]];

const TENANTS = "/api/v1/tenants";
const TOKENS = "/api/v1/me/api-tokens";

const ROWS: readonly Row[] = [
  ["an unknown route", "GET /nothing", {}, 404, 'there is nothing at "/api/v1/main/nothing"'],
  ["the API's root", "GET /api/v1", {}, 404, 'there is nothing at "/api/v1"'],
  ["another version", "GET /api/v2/main/flows/search", {}, 404, 'nothing at "/api/v2/main/flows/search"'],
  ["a longer path", "GET /flows/demo/hello/none/at/all", {}, 404, "there is nothing at "],
  ["another method", "PATCH /flows/demo/hello", {}, 405, "does not take PATCH, only DELETE, GET, HEAD, PUT"],
  ["another method", "PUT /ping", {}, 405, '"/ping" does not take PUT, only GET, HEAD'],
  ["an unknown tenant", "GET /api/v1/nobody/flows/search", {}, 404, "tenant"],
  ["an unknown tenant", "POST /api/v1/nobody/flows", yaml(flowSource()), 404, "tenant"],
  ["an unknown tenant", "POST /api/v1/nobody/executions/demo/hello", {}, 404, "tenant"],
  ["an unknown webhook", "GET /executions/webhook/demo/hello/none", {}, 404, "Webhook not found"],
  [
    "an unknown webhook",
    "GET /api/v1/nobody/executions/webhook/demo/hello/none",
    {},
    404,
    "Webhook not found",
  ],
  ["malformed JSON", `POST ${TENANTS}`, json("{"), 422, "Invalid json: "],
  ["a list", `POST ${TENANTS}`, json([]), 422, '{"id": "…", "name": "…"}'],
  [
    "an id with upper case",
    `POST ${TENANTS}`,
    json({ id: "Bad" }),
    422,
    'id: "Bad" must be 1 to 63 lower-case',
  ],
  [
    "an id of the API",
    `POST ${TENANTS}`,
    json({ id: "flows" }),
    422,
    '"flows" is a name of the API',
    "another",
  ],
  ["a wrong content type", `POST ${TENANTS}`, yaml("id: a"), 415, '"application/x-yaml"', "application/json"],
  ["an unknown tenant", `GET ${TENANTS}/none`, {}, 404, 'there is no tenant "none"'],
  ["an unknown tenant", `DELETE ${TENANTS}/none`, {}, 404, 'there is no tenant "none"'],
  ["the tenant of paths without one", `DELETE ${TENANTS}/main`, {}, 409, 'Cannot delete tenant "main"'],
  ["a bad name", `POST ${TOKENS}`, json({ name: "Bad Name" }), 422, 'name: "Bad Name" must be 1 to 63'],
  ["a bad age", `POST ${TOKENS}`, json({ name: "a", maxAge: "old" }), 422, 'maxAge: "old" must be', '"P30D"'],
  ["an unknown tenant", `POST ${TOKENS}`, json({ name: "a", tenants: ["none"] }), 422, 'no tenant "none"'],
  ["an unknown token", `DELETE ${TOKENS}/none`, {}, 404, 'there is no token "none"'],
];

testRefusals(ROWS.map(([what, request, init, status, ...says]): Refusal => ({
  what,
  request,
  init,
  status,
  says,
})));

const PUBLIC_URL = "https://sluice.example.org";
const CREDENTIALS = { user: "anna", password: "pass-word" };
/** A configuration, and the status for each host: 200, 401 for a protected server, or 421. */
const HOSTS: readonly (readonly [what: string, options: HarnessOptions, Readonly<Record<string, number>>])[] =
  [
    ["without login", { noAuthExplicit: false }, {
      "127.0.0.1:8080": 200,
      "localhost:8080": 200,
      "LOCALHOST": 200,
      "[::1]:8080": 200,
      "127.8.8.8": 200,
      "evil.example:8080": 421,
      "localhost.evil.example": 421,
      "127.0.0.1.evil.example": 421,
      "sluice.example.org": 421,
      "192.168.0.1:8080": 421,
      "0.0.0.0:8080": 421,
    }],
    ["without login, opened on purpose, on loopback", { noAuthExplicit: true }, { "evil.example": 421 }],
    ["with a base URL", { noAuthExplicit: false, baseUrl: PUBLIC_URL }, {
      "sluice.example.org": 200,
      "127.0.0.1:8080": 200,
      "evil.example": 421,
      "sluice.example.org.evil.example": 421,
    }],
    ["opened on purpose for others", { noAuthExplicit: true, host: "0.0.0.0" }, { "machine.lan:8080": 200 }],
    ["with a login", { noAuthExplicit: false, credentials: CREDENTIALS }, { "machine.lan:8080": 401 }],
  ];
for (const [what, options, hosts] of HOSTS) {
  Deno.test(`GET /flows/search on a server ${what} accepts only its own host names`, async () => {
    await using server = await Harness.start(options);
    const authorization = `Basic ${btoa(`${CREDENTIALS.user}:${CREDENTIALS.password}`)}`;
    await server.json("GET", "/flows/search", { headers: { authorization } });
    for (const [host, status] of Object.entries(hosts)) {
      const response = await server.assembly.fetch(new Request(`http://${host}/api/v1/main/flows/search`));
      const text = await response.text();
      assertEquals(response.status, status, `${host}: ${text}`);
      if (status === 421) assertStringIncludes(readRefusal(text, 421).message, host.toLowerCase());
    }
  });
}

const SITES: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
  [{}, 200],
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none" }, 200],
  [{ origin: "http://127.0.0.1:8080" }, 200],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:8080" }, 403],
  [{ origin: "http://evil.example" }, 403],
  [{ origin: "http://127.0.0.1:9090" }, 403],
  [{ origin: "null" }, 403],
];
const UNSAFE: readonly (readonly [request: string, init: () => RequestInit])[] = [
  ["POST /executions/demo/hello", () => ({})],
  ["PUT /namespaces/demo/kv/k", () => json(1)],
  ["DELETE /namespaces/demo/kv/k", () => ({})],
];
for (const [request, init] of UNSAFE) {
  Deno.test(`${request} is refused when it comes from another site`, async () => {
    await using server = await Harness.start();
    await server.save(flowSource());
    const [method = "", path = ""] = request.split(" ");
    for (const [headers, status] of SITES) {
      const given = init();
      const sent = { ...given, headers: { ...given.headers as Record<string, string>, ...headers } };
      const response = await server.request(method, path, sent);
      const text = await response.text();
      assertEquals(response.status, status, `${JSON.stringify(headers)}: ${text}`);
      if (status === 403) assertStringIncludes(readRefusal(text, 403).message, "another site");
    }
  });
}

Deno.test("GET /flows/search may come from another site, and tells it nothing", async () => {
  await using server = await Harness.start();
  const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  const response = await server.request("GET", "/flows/search", { headers });
  await response.body?.cancel();
  assertEquals([response.status, response.headers.get("access-control-allow-origin")], [200, null]);
});
