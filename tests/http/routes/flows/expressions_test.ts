import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";

interface Rendered {
  readonly rendered: Record<string, string>;
  readonly errors: Record<string, string>;
}

async function render(server: Harness, request: unknown): Promise<Rendered> {
  return await server.json("POST", "/expressions/render", json(request)) as unknown as Rendered;
}

/** Expression, context, text. */
const RENDERED: readonly [string, unknown, string][] = [
  ["{{ 1 + 2 }}", undefined, "3"],
  ["plain", undefined, "plain"],
  ["{{ inputs.a | upper }}!", { inputs: { a: "x" } }, "X!"],
  ["{{ a.b[1] }}", { a: { b: [1, 2.0] } }, "2"],
  ["{{ a }}", { a: { b: null, c: [1] } }, '{"c":[1]}'],
  ["{{ a ?? 'none' }}", {}, "none"],
  ["{{ constructor ?? 'none' }}", {}, "none"],
  ["{{ __proto__ ?? 'none' }}", {}, "none"],
];
for (const [expression, context, text] of RENDERED) {
  Deno.test(`POST /expressions/render makes ${expression} ${JSON.stringify(text)}`, async () => {
    await using server = await Harness.start();
    const { rendered, errors } = await render(server, { expressions: [expression], context });
    assertEquals([Object.entries(rendered), Object.entries(errors)], [[[expression, text]], []]);
  });
}

const FAILING: readonly [string, string][] = [
  ["{{ missing }}", "missing"],
  ["{{ 1 + }}", ""],
  ["{{ 1 | nothing }}", "nothing"],
  ["{{ secret('A') }}", "secret"],
  ["{{ kv('a') }}", "kv"],
  ["{{ read('a.txt') }}", "read"],
];
for (const [expression, text] of FAILING) {
  Deno.test(`POST /expressions/render returns 200 and says why ${expression} cannot be rendered`, async () => {
    await using server = await Harness.start();
    const { rendered, errors } = await render(server, { expressions: [expression, "{{ 1 }}"] });
    assertEquals(rendered, { "{{ 1 }}": "1" });
    assertEquals(Object.keys(errors), [expression]);
    assertStringIncludes(errors[expression] ?? "", text);
  });
}

Deno.test("POST /expressions/render reads the KV pairs of the namespace that is named, and hides its secrets", async () => {
  await using server = await Harness.start({ secrets: new Map([["TOKEN", btoa("a long secret")]]) });
  await server.json("PUT", "/namespaces/demo/kv/a", json('"value"'));
  const expressions = [
    "{{ kv('a') }}",
    "{{ secret('TOKEN') }}",
    "{{ secret('TOKEN') | upper }}",
    "{{ secret('NONE') }}",
  ];
  const { rendered, errors } = await render(server, { expressions, namespace: "demo" });
  assertEquals(rendered["{{ kv('a') }}"], "value");
  assertEquals(rendered["{{ secret('TOKEN') }}"], "******");
  assertEquals(rendered["{{ secret('TOKEN') | upper }}"], "******");
  assertStringIncludes(errors["{{ secret('NONE') }}"] ?? "", "NONE");
});

const REFUSED: readonly [string, string][] = [
  ["[]", '"expressions" must be a list of texts'],
  ["{}", '"expressions" must be a list of texts'],
  ['{"expressions": [1]}', '"expressions" must be a list of texts'],
  ['{"expressions": [], "context": []}', '"context" must be an object'],
  ['{"expressions": [], "namespace": 1}', '"namespace" must be a text'],
  [JSON.stringify({ expressions: Array.from({ length: 101 }, () => "") }), "at most 100"],
  ["{", "Invalid json"],
];
for (const [body, message] of REFUSED) {
  Deno.test(`POST /expressions/render with ${body.slice(0, 40)} returns 422`, async () => {
    await using server = await Harness.start();
    const response = await server.request("POST", "/expressions/render", { body });
    assertStringIncludes((await response.json()).message, message);
    assertEquals(response.status, 422);
  });
}

Deno.test("GET /pebble/functions?details=true lists functions with the names of their arguments", async () => {
  await using server = await Harness.start();
  const path = "/api/v1/pebble/functions";
  const functions = await server.json("GET", `${path}?details=true`) as {
    name: string;
    arguments: string[];
  }[];
  assertEquals(functions.map(({ name }) => name), await server.json("GET", path));
  for (
    const [name, expected] of [["randomInt", ["lower", "upper"]], ["uuid", []], ["block", ["name"]]] as const
  ) {
    assertEquals(functions.find((each) => each.name === name)?.arguments, [...expected]);
  }
  assertEquals(functions.find(({ name }) => name === "kv")?.arguments[0], "key");
});

Deno.test("GET /pebble/filters and /pebble/functions list names in order", async () => {
  await using server = await Harness.start();
  const filters = await server.json("GET", "/api/v1/pebble/filters") as string[];
  const functions = await server.json("GET", "/api/v1/pebble/functions") as string[];
  for (const names of [filters, functions]) assertEquals(names, [...new Set(names)].sort());
  assertEquals([filters.includes("toJson"), functions.includes("secret"), functions.includes("now")], [
    true,
    true,
    true,
  ]);
});
