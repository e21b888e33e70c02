/** The conversions between JSON and TOON. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { jsonToToon, toonToJson } from "../../../src/integrations/serdes/toon_conversions.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const SOURCE = "kestra:///source";

async function converted(type: TaskDefinition, source: string | Uint8Array, charset = "UTF-8") {
  const { bytes, metrics } = await runDefinition(type, { from: SOURCE, charset }, {
    files: { [SOURCE]: source },
  });
  const [content] = bytes.values();
  return { text: new TextDecoder(charset).decode(content), metrics };
}

/** Documents in both forms. */
const DOCUMENTS: readonly (readonly [json: string, toon: string])[] = [
  [
    '{"products":[{"id":1,"name":"Apple","price":1.2},{"id":2,"name":"A,b","price":0.9}],"m":{"c":"x: y","n":null}}',
    'products[2]{id,name,price}:\n  1,Apple,1.2\n  2,"A,b",0.9\nm:\n  c: "x: y"\n  n: null\n',
  ],
  ['{"tags":["a","b"],"on":true}', "tags[2]: a,b\non: true\n"],
  ['{"a":[{"b":{"c":[1]}},2]}', "a[2]:\n  - b:\n      c[1]: 1\n  - 2\n"],
  ['{"__proto__":{"x":1},"constructor":"y"}', "__proto__:\n  x: 1\nconstructor: y\n"],
];

for (const [json, toon] of DOCUMENTS) {
  Deno.test(`JsonToToon and ToonToJson convert ${json.slice(0, 40)}`, async () => {
    assertEquals((await converted(jsonToToon, json)).text, toon);
    assertEquals((await converted(toonToJson, toon)).text, json);
  });
}

Deno.test("JsonToToon keeps the digits of large integers, and counts the elements of a list", async () => {
  const { text, metrics } = await converted(jsonToToon, '[{"id":12345678901234567890,"n":1},{"id":2,"n":2}]');
  assertEquals(text, "[2]{id,n}:\n  12345678901234567890,1\n  2,2\n");
  assertEquals(metrics.records, 2);
});

Deno.test("JsonToToon and ToonToJson read and write other character sets", async () => {
  const { Buffer } = await import("node:buffer");
  assertEquals(
    (await converted(jsonToToon, Buffer.from('{"a":"ä"}', "latin1"), "ISO-8859-1")).text,
    "a: ä\n",
  );
  assertEquals((await converted(toonToJson, Buffer.from("a: ä", "utf16le"), "UTF-16LE")).text, '{"a":"ä"}');
});

const REFUSED: readonly (readonly [type: TaskDefinition, source: string, error: string])[] = [
  [jsonToToon, '{"a":', "Cannot read the file: it is no JSON"],
  [jsonToToon, " ".repeat(4 * 1024 * 1024 + 1), "4194304 are allowed"],
  [toonToJson, "a[3]: 1,2", "Cannot read the file: it is no TOON: Line 1: Expected 3"],
  [toonToJson, 'a: "x', "Cannot read the file: it is no TOON: Line 1"],
];

for (const [type, source, error] of REFUSED) {
  Deno.test(`${type.type} refuses a source with "${error}"`, async () => {
    await assertRejects(() => converted(type, source), Error, error);
  });
}

Deno.test("others run while ToonToJson reads a long document", async () => {
  const { digest } = crypto.subtle;
  let turns = 0;
  crypto.subtle.digest = (...args) => {
    turns++;
    return digest.apply(crypto.subtle, args);
  };
  try {
    const { text } = await converted(toonToJson, `[50000]{a,b}:\n${"  1.5,x\n".repeat(50_000)}`);
    assertEquals(text, `[${Array(50_000).fill('{"a":1.5,"b":"x"}').join(",")}]`);
  } finally {
    crypto.subtle.digest = digest;
  }
  assertNotEquals(turns, 0);
});
