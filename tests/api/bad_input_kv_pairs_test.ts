/** Bad input for KV pairs and secrets. */
import { MAX_KV_VALUE_BYTES } from "../../src/model/limits.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { readRefusal, type Refusal, testRefusals } from "./refusals.ts";
import { json } from "../support/flows/request_bodies.ts";

const PUT = "PUT /namespaces/demo/kv/color";

type Row = readonly [what: string, request: string, init: RequestInit, status: number, ...says: string[]];

const KEYS = ["bad$key", "-first", ".first", "%20", "a%2Fb", "a".repeat(257)];
const TTLS = ["soon", "-PT1H", "1 hour", "P1000000Y"];

const PAIRS: readonly Row[] = [
  ...KEYS.map((
    key,
  ): Row => ["a bad key", `PUT /namespaces/demo/kv/${key}`, json("1"), 422, "Key must ", "received"]),
  ...TTLS.map((ttl): Row => {
    const init = { ...json("1"), headers: { "content-type": "application/json", ttl } };
    return [`the ttl "${ttl}"`, PUT, init, 422, `ttl "${ttl}" must be a duration such as "PT1H"`];
  }),
  ["a bad key", "GET /namespaces/demo/kv/bad$key", {}, 422, 'but received "bad$key"'],
  ["a bad key", "DELETE /namespaces/demo/kv/bad$key", {}, 422, 'but received "bad$key"'],
  ["a bad namespace", "PUT /namespaces/Demo/kv/color", json("1"), 422, 'namespace "Demo" must match'],
  [
    "an unknown key",
    "GET /namespaces/demo/kv/none",
    {},
    404,
    "No value found for key 'none' in namespace 'demo'",
  ],
  ["JSON that breaks off", PUT, json('{"a":'), 422, "Invalid json: ", "line 1, column 6"],
  ["JSON without colon", PUT, json("{a b}"), 422, 'expected ":"', "line 1, column 4"],
  ["two values", PUT, json("1 2"), 422, "Invalid json: ", "double quotes"],
  ["no value", PUT, json(""), 422, "Invalid json: there is no value"],
  [
    "bytes that are no text",
    PUT,
    { headers: { "content-type": "application/json" }, body: new Uint8Array([34, 255, 34]) },
    422,
    "the body is not UTF-8",
  ],
  [
    "a wrong content type",
    PUT,
    { headers: { "content-type": "image/png" }, body: "x" },
    415,
    '"image/png"',
    "application/json or text/plain",
  ],
  [
    "a value over the cap",
    PUT,
    json(JSON.stringify("x".repeat(MAX_KV_VALUE_BYTES))),
    413,
    `larger than ${MAX_KV_VALUE_BYTES} bytes`,
  ],
  ["a list of keys that is none", "DELETE /namespaces/demo/kv", json([]), 422, '{"keys": ["…"]}'],
  ["malformed JSON", "DELETE /namespaces/demo/kv", json("{"), 422, "Invalid json: "],
  ["a bad key in a list", "DELETE /namespaces/demo/kv", json({ keys: ["bad$key"] }), 422, '"bad$key"'],
  ["an unknown order", "GET /kv?sort=colour:asc", {}, 422, '"colour"'],
];

const SECRETS = "/namespaces/demo/secrets";
const SECRET_ROWS: readonly Row[] = [
  ["a bad name", `PUT ${SECRETS}`, json({ key: "a b", value: "x" }), 422, "the name of a secret must match"],
  ["a missing value", `PUT ${SECRETS}`, json({ key: "A" }), 422, "key and value must be given"],
  ["a value that is a number", `PUT ${SECRETS}`, json({ key: "A", value: 1 }), 422, "value: must be a text"],
  ["malformed JSON", `PUT ${SECRETS}`, json("{"), 422, "Invalid json: "],
  [
    "a wrong content type",
    `PUT ${SECRETS}`,
    { headers: { "content-type": "text/plain" }, body: "A=x" },
    415,
    '"text/plain"',
    "application/json",
  ],
  ["an unknown secret", `DELETE ${SECRETS}/NONE`, {}, 404, 'No secret "NONE" in namespace "demo"'],
  ["an unknown secret", `PATCH ${SECRETS}/NONE`, json({}), 404, 'No secret "NONE" in namespace "demo"'],
];

testRefusals([...PAIRS, ...SECRET_ROWS].map(([what, request, init, status, ...says]): Refusal => ({
  what,
  request,
  init,
  status,
  says,
})));

Deno.test("GET /namespaces/:namespace/kv/:key returns 410 for a pair that has expired, 404 when it is purged", async () => {
  await using server = await Harness.start();
  const headers = { "content-type": "application/json", ttl: "PT1M" };
  await server.json("PUT", "/namespaces/demo/kv/color", { ...json('"red"'), headers });
  await server.advance(60_001);
  const statuses: number[] = [];
  for (let read = 0; read < 2; read++) {
    const response = await server.request("GET", "/namespaces/demo/kv/color");
    statuses.push(response.status);
    assertStringIncludes(readRefusal(await response.text(), response.status).message, "color");
  }
  assertEquals(statuses, [410, 404]);
});
