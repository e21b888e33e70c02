import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  type NamespaceTestServices,
  startNamespaceServices,
} from "../../../support/flows/namespace_services.ts";

const BASE = "/namespaces/company.team/kv";

async function put(
  { app }: NamespaceTestServices,
  path: string,
  body: BodyInit,
  headers: HeadersInit = { "content-type": "application/json" },
) {
  const response = await app.request(path, { method: "PUT", body, headers });
  return { status: response.status, text: await response.text() };
}

async function get({ app }: NamespaceTestServices, path: string) {
  const response = await app.request(path);
  return { status: response.status, body: await response.json(), type: response.headers.get("content-type") };
}

Deno.test("PUT and GET /namespaces/:namespace/kv/:key set, replace and give a value", async () => {
  const services = await startNamespaceServices();
  assertEquals(await put(services, `${BASE}/my-key`, '"my value"'), { status: 200, text: "" });
  const first = await get(services, `${BASE}/my-key`);
  assertEquals(first, {
    status: 200,
    body: { type: "STRING", value: "my value", revision: 1, updated: "2026-01-15T10:30:00.000Z" },
    type: "application/json",
  });
  assertEquals((await put(services, `${BASE}/my-key`, '"other"')).status, 200);
  assertEquals((await get(services, `${BASE}/my-key`)).body.value, "other");
});

Deno.test("GET /namespaces/:namespace/kv/:key keeps the kind of numbers", async () => {
  const services = await startNamespaceServices();
  for (const text of ["2", "2.0", "2.5", "12345678901234567890", '{"a":[2.0,2]}']) {
    await put(services, `${BASE}/n`, text);
    const response = await services.app.request(`${BASE}/n`);
    assertStringIncludes(await response.text(), `"value":${text},`);
  }
});

Deno.test("PUT /namespaces/:namespace/kv/:key takes plain text, none declared, and no other type", async () => {
  const services = await startNamespaceServices();
  const rows: readonly (readonly [Record<string, string>, string, number, string | undefined])[] = [
    [{ "content-type": "text/plain" }, "PT15M", 200, "DURATION"],
    [{ "content-type": "text/plain; charset=utf-8" }, "two words", 200, "STRING"],
    [{ "content-type": "application/json; charset=utf-8" }, "2025-10-13", 200, "DATE"],
    [{ "content-type": "" }, "true", 200, "BOOLEAN"],
    [{ "content-type": "application/json" }, "two words", 422, undefined],
    [{ "content-type": "application/x-www-form-urlencoded" }, "a=1", 415, undefined],
    [{ "content-type": "multipart/form-data; boundary=x" }, "--x--", 415, undefined],
  ];
  for (const [headers, body, status, type] of rows) {
    assertEquals(
      (await put(services, `${BASE}/k`, body, headers)).status,
      status,
      `${JSON.stringify(headers)} ${body}`,
    );
    if (type) assertEquals((await get(services, `${BASE}/k`)).body.type, type);
  }
});

Deno.test("PUT /namespaces/:namespace/kv/:key refuses malformed JSON with its reason", async () => {
  const services = await startNamespaceServices();
  for (const body of ['{"a":', "", "{not json}", '"open', new Uint8Array([0x22, 0xff, 0x22])]) {
    const { status, text } = await put(services, `${BASE}/k`, body);
    assertEquals(status, 422);
    assertMatch(JSON.parse(text).message, /^Invalid json: ./);
  }
  assertEquals((await get(services, `${BASE}/k`)).status, 404);
});

Deno.test("PUT /namespaces/:namespace/kv/:key refuses keys, namespaces and times to live that cannot be", async () => {
  const services = await startNamespaceServices();
  for (
    const path of [
      `${BASE}/a%2Fb`,
      `${BASE}/%20`,
      `${BASE}/-x`,
      "/namespaces/UPPER/kv/k",
      "/namespaces/a%2Fb/kv/k",
    ]
  ) {
    const { status, text } = await put(services, path, "1");
    assertEquals(status, 422, path);
    assertMatch(JSON.parse(text).message, /^Illegal argument: (Key|namespace) /);
  }
  for (const ttl of ["-PT1H", "soon", "1"]) {
    const { status, text } = await put(services, `${BASE}/k`, "1", { ttl, "content-type": "text/plain" });
    assertEquals(status, 422);
    assertStringIncludes(JSON.parse(text).message, "ttl");
  }
});

Deno.test("GET, PUT and DELETE /namespaces/:namespace/kv/:key say what a key may be", async () => {
  const services = await startNamespaceServices();
  for (const method of ["GET", "PUT", "DELETE"]) {
    const body = method === "PUT" ? "1" : undefined;
    const response = await services.app.request(`${BASE}/bad$key`, { method, body });
    assertEquals(response.status, 422);
    assertEquals(
      (await response.json()).message,
      "Illegal argument: Key must start with an alphanumeric character (uppercase or lowercase) and can contain alphanumeric " +
        "characters (uppercase or lowercase), dots (.), underscores (_), and hyphens (-) only. " +
        'At most 256 characters are allowed, but received "bad$key"',
    );
  }
});

Deno.test("PUT /namespaces/:namespace/kv/:key refuses a value that is too large", async () => {
  const services = await startNamespaceServices();
  const largest = JSON.stringify("x".repeat(1024 * 1024 - 2));
  assertEquals((await put(services, `${BASE}/k`, largest)).status, 200);
  assertEquals((await get(services, `${BASE}/k`)).body.value.length, 1024 * 1024 - 2);
  assertEquals((await put(services, `${BASE}/k`, `${largest} `)).status, 413);
});

Deno.test("GET /namespaces/:namespace/kv/:key returns 404, then 410 once, then 404", async () => {
  const services = await startNamespaceServices();
  const missing = await get(services, `${BASE}/k`);
  assertEquals(missing.status, 404);
  assertStringIncludes(missing.body.message, "No value found for key 'k' in namespace 'company.team'");
  await put(services, `${BASE}/k`, "1", { ttl: "PT1H", "content-type": "application/json" });
  services.clock.jump(3_600_000);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await get(services, `${BASE}/k`)).status);
  assertEquals(statuses, [410, 404, 404]);
});

Deno.test("DELETE /namespaces/:namespace/kv/:key says whether there was one", async () => {
  const services = await startNamespaceServices();
  await put(services, `${BASE}/k`, "1");
  const answers = [];
  for (let n = 0; n < 2; n++) {
    answers.push(await (await services.app.request(`${BASE}/k`, { method: "DELETE" })).json());
  }
  assertEquals(answers, [true, false]);
});

Deno.test("GET /namespaces/:namespace/kv lists pairs without their values", async () => {
  const services = await startNamespaceServices();
  await put(services, `${BASE}/b`, "1", {
    ttl: "PT1H",
    description: "a number",
    "content-type": "application/json",
  });
  await put(services, `${BASE}/a`, "2");
  assertEquals((await get(services, BASE)).body, [
    {
      namespace: "company.team",
      key: "a",
      type: "NUMBER",
      revision: 1,
      creationDate: "2026-01-15T10:30:00.000Z",
      updateDate: "2026-01-15T10:30:00.000Z",
    },
    {
      namespace: "company.team",
      key: "b",
      type: "NUMBER",
      revision: 1,
      description: "a number",
      creationDate: "2026-01-15T10:30:00.000Z",
      updateDate: "2026-01-15T10:30:00.000Z",
      expirationDate: "2026-01-15T11:30:00.000Z",
    },
  ]);
});

Deno.test("DELETE /namespaces/:namespace/kv removes several", async () => {
  const services = await startNamespaceServices();
  await put(services, `${BASE}/a`, "1");
  const send = async (body: string) => {
    const response = await services.app.request(BASE, { method: "DELETE", body });
    return [response.status, await response.json()];
  };
  assertEquals(await send('{"keys":["a","b"]}'), [200, { keys: ["a"] }]);
  for (const body of ["{}", '{"keys":null}', '{"keys":[]}']) {
    assertEquals(await send(body), [200, { keys: [] }]);
  }
  for (const body of ["", "[]", '{"keys":"a"}', '{"keys":[1]}', '{"key":["a"]}']) {
    assertEquals((await send(body))[0], 422);
  }
});

Deno.test("GET /kv pages, sorts and filters the pairs of all namespaces", async () => {
  const services = await startNamespaceServices();
  for (const path of ["a/kv/one", "a.b/kv/two", "a.b/kv/three", "ab/kv/four", "z/kv/five"]) {
    await put(services, `/namespaces/${path}`, "1");
    services.clock.jump(1_000);
  }
  const keys = async (query: string) => {
    const { status, body } = await get(services, `/kv?${query}`);
    return status === 200 ? [body.total, ...body.results.map((each: { key: string }) => each.key)] : status;
  };
  const rows: readonly (readonly [string, unknown])[] = [
    ["", [5, "one", "three", "two", "four", "five"]],
    ["sort=key:asc&size=2", [5, "five", "four"]],
    ["sort=name:asc&size=2", [5, "five", "four"]],
    ["sort=key:desc&size=2&page=3", [5, "five"]],
    ["sort=namespace:asc&sort=key:desc", [5, "one", "two", "three", "four", "five"]],
    ["sort=updateDate:desc&size=1", [5, "five"]],
    ["sort=expirationDate:asc&sort=revision:asc&sort=description:asc&sort=key:asc&size=1", [5, "five"]],
    ["page=9", [5]],
    ["namespace=a", [3, "one", "three", "two"]],
    ["filters[namespace][EQUALS]=a", [1, "one"]],
    ["filters[namespace][IN]=a,z", [2, "one", "five"]],
    ["filters[namespace][PREFIX]=a.b", [2, "three", "two"]],
    ["q=TW", [1, "two"]],
    ["q=a.b%20th", [1, "three"]],
    ["q=*", [5, "one", "three", "two", "four", "five"]],
    ["filters[updated][GREATER_THAN]=2026-01-15T10:30:03Z", [1, "five"]],
    ["filters[updated][GREATER_THAN]=now", 400],
    ["filters[key][REGEX]=^t", [2, "three", "two"]],
    ["filters[q][NOT_EQUALS]=a", [1, "five"]],
    ["filters[q][NOT_EQUALS]=*", [0]],
    ["filters[or][0][key][EQUALS]=one&filters[or][1][key][EQUALS]=five", [2, "one", "five"]],
    ["key=one", [5, "one", "three", "two", "four", "five"]],
    ["filters[nope][EQUALS]=a", 400],
    ["filters[namespace][NOPE]=a", 400],
    ["filters[namespace]=a", 400],
    ["sort=nope:asc", 422],
    ["page=0", 422],
  ];
  for (const [query, expected] of rows) assertEquals(await keys(query), expected, query);
});

Deno.test("GET /namespaces/:namespace/kv/inheritance lists what the namespaces above have", async () => {
  const services = await startNamespaceServices();
  for (const path of ["company/kv/up", "company.team/kv/own", "company.team/kv/inheritance"]) {
    await put(services, `/namespaces/${path}`, "1");
  }
  const { body } = await get(services, `${BASE}/inheritance`);
  assertEquals(body.map((each: { key: string }) => each.key), ["up"]);
});
