/** Ion text, class names, and the functions on outputs of loops. */
import { assertEquals, assertThrows } from "@std/assert";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { evaluateRow, kinded, testErrors } from "../../expr/support.ts";

/** A value as JSON, and its Ion text. */
const WRITTEN: readonly (readonly [json: string, ion: string])[] = [
  ["null", "null"],
  ["true", "true"],
  ["12", "12"],
  ["-3", "-3"],
  ["12345678901234567890", "12345678901234567890"],
  ["2.0", "2e0"],
  ["1.5", "1.5e0"],
  ["-0.25", "-0.25e0"],
  ["1e300", "1e300"],
  ["1e-9", "1e-9"],
  ['"text"', '"text"'],
  ['"it\'s \\"x\\" \\\\ \\n\\t"', '"it\'s \\"x\\" \\\\ \\n\\t"'],
  ['"\\u0001"', '"\\x01"'],
  ['"é😀"', '"é😀"'],
  ["[]", "[]"],
  ["{}", "{}"],
  ['[1,[2.0],"a",null]', '[1,[2e0],"a",null]'],
  ['{"a":1,"b_2":[true],"$c":null}', "{a:1,b_2:[true],$c:null}"],
  [
    '{"a b":1,"":2,"null":3,"true":4,"$1":5,"it\'s":6,"1a":7}',
    "{'a b':1,'':2,'null':3,'true':4,'$1':5,'it\\'s':6,'1a':7}",
  ],
  ['{"__proto__":{"constructor":1}}', "{__proto__:{constructor:1}}"],
  ['{"nan":1}', "{'nan':1}"],
];

for (const [json, ion] of WRITTEN) {
  Deno.test(`toIon() ${json} is ${ion}, and back`, () => {
    const value = parseJson(json);
    assertEquals(evaluateRow("{{ v | toIon }}", { v: value }), ion);
    assertEquals(stringifyJson(evaluateRow("{{ fromIon(t) }}", { t: ion })), stringifyJson(value));
  });
}

/** An Ion text, and what it stands for as JSON. */
const READ: readonly (readonly [ion: string, json: string])[] = [
  ["  1 ", "1"],
  ["1.5", "1.5"],
  ["1.", "1.0"],
  ["1d2", "100.0"],
  ["1.5D-1", "0.15"],
  ["1_000", "1000"],
  ["0x1F", "31"],
  ["-0b101", "-5"],
  ["nan", "null"],
  ["+inf", "null"],
  ["-inf", "null"],
  ["null.string", "null"],
  ["symbol", '"symbol"'],
  ["nano", '"nano"'],
  ["'quoted symbol'", '"quoted symbol"'],
  ["'''long ''' '''text'''", '"long text"'],
  ["'''a\nb'''", '"a\\nb"'],
  ['"\\x41\\u0042\\U00000043\\a"', '"ABC\\u0007"'],
  ['"a\\\nb"', '"ab"'],
  ["2024-05-06T07:08:09.123Z", '"2024-05-06T07:08:09.123Z"'],
  ["2024-05-06T07:08+02:00", '"2024-05-06T07:08+02:00"'],
  ["2024-05-06", '"2024-05-06"'],
  ["2024-05-06T", '"2024-05-06"'],
  ["2024-05T", '"2024-05-01"'],
  ["2024T", '"2024-01-01"'],
  ["2024-05-06T07:08Z", '"2024-05-06T07:08:00Z"'],
  ["2024-05-06T07:08:09.000Z", '"2024-05-06T07:08:09Z"'],
  ["2024-05-06T07:08:09.12Z", '"2024-05-06T07:08:09.120Z"'],
  ["2024-05-06T07:08:09.123456-00:00", '"2024-05-06T07:08:09.123456Z"'],
  ["2024-02-30T07:08Z", '"2024-02-30T07:08Z"'],
  ["2024", "2024"],
  ["{{aGk=}}", '"aGk="'],
  ["{{ aG k= }}", '"aGk="'],
  ['{{"clob"}}', '"clob"'],
  ["{{'''cl''' '''ob'''}}", '"clob"'],
  ["a::b::1", "1"],
  ["'a b'::{x:c::2}", '{"x":2}'],
  ["(a + 1 (b))", '["a","+",1,["b"]]'],
  ["(-1 - x)", '[-1,"-","x"]'],
  ["[1, 2,]", "[1,2]"],
  ["{a:1,\"b\":2,'c':3,'''d''':4,}", '{"a":1,"b":2,"c":3,"d":4}'],
  ["// comment\n{ /* here */ a : 1 }", '{"a":1}'],
  ["$ion_1_0 5", "5"],
  ["{a:1}\n{a:2}", '{"a":1}'],
  ['{"a": [1, 2.5, "x", null, true]}', '{"a":[1,2.5,"x",null,true]}'],
];

for (const [ion, json] of READ) {
  Deno.test(`fromIon() ${JSON.stringify(ion)} is ${json}`, () => {
    assertEquals(stringifyJson(evaluateRow("{{ fromIon(t) }}", { t: ion })), json);
  });
}

/** An Ion text of several values, and their list as JSON. */
const ROWS: readonly (readonly [ion: string, json: string])[] = [
  ["{a:1}\n{a:2}\n", '[{"a":1},{"a":2}]'],
  ["1 two // three\n[4]", '[1,"two",[4]]'],
  ["$ion_1_0 1 $ion_1_0 2", "[1,2]"],
  ["5", "[5]"],
  [" \n", "[]"],
];

for (const [ion, json] of ROWS) {
  Deno.test(`fromIon() all rows of ${JSON.stringify(ion)} are ${json}`, () => {
    assertEquals(stringifyJson(evaluateRow("{{ fromIon(t, allRows=true) }}", { t: ion })), json);
    const [first] = JSON.parse(json);
    if (first !== undefined) {
      assertEquals(evaluateRow("{{ fromIon(t, false) | toJson }}", { t: ion }), JSON.stringify(first));
    }
  });
}

testErrors("Ion", [
  ["{{ fromIon('1 [2', allRows=true) }}", "argument"],
  ["{{ fromIon('1', allRows='yes') }}", "argument"],
  ["{{ fromIon(12) }}", "type"],
  ["{{ fromIon('') }}", "argument"],
  ["{{ fromIon('[1') }}", "argument"],
  ["{{ fromIon('[1 2]') }}", "argument"],
  ["{{ fromIon('{a 1}') }}", "argument"],
  ["{{ fromIon('{1:2}') }}", "argument"],
  ["{{ fromIon('(1') }}", "argument"],
  ["{{ fromIon(open) }}", "argument"],
  ["{{ fromIon('{{!!}}') }}", "argument"],
  ["{{ fromIon(escape) }}", "argument"],
  ["{{ fromIon('1e999') }}", "argument"],
  ["{{ fromIon(deep) }}", "limit"],
  ["{{ fromIon() }}", "argument"],
  ["{{ appLink('a') }}", "argument"],
  ["{{ appLink() }}", "argument"],
], { open: '"abc', escape: '"\\q"', deep: "[".repeat(300) });

Deno.test("fromIon() normalizes the timestamps of all rows", () => {
  const t = "2024-05-06T07:08Z\n{a: 2024T}";
  assertEquals(evaluateRow("{{ fromIon(t, allRows=true) }}", { t }), ["2024-05-06T07:08:00Z", {
    a: "2024-01-01",
  }]);
});

const CLASSES: readonly (readonly [json: string, name: string])[] = [
  ['"a"', "java.lang.String"],
  ["1", "java.lang.Integer"],
  ["3000000000", "java.lang.Long"],
  ["12345678901234567890", "java.math.BigInteger"],
  ["1.5", "java.lang.Double"],
  ["true", "java.lang.Boolean"],
  ["[]", "java.util.ArrayList"],
  ["{}", "java.util.LinkedHashMap"],
];

for (const [json, name] of CLASSES) {
  Deno.test(`className() of ${json} is ${name}`, () => {
    assertEquals(evaluateRow("{{ v | className }}", { v: parseJson(json) }), name);
  });
}

const LOOP: JsonObject = kinded({
  taskrun: { value: "2", iteration: 1 },
  task: { id: "t" },
  parents: [{ taskrun: { value: "b" }, outputs: { near: 1 } }, { taskrun: {}, outputs: { far: 2 } }],
  outputs: {
    t: {
      a: { "1": { value: "a1" }, "2": { value: "a2" } },
      b: { "1": { value: "b1" }, "2": { value: "b2" } },
    },
    flat: { x: { value: "x0" }, y: { value: "y1" } },
    rows: { x: { count: 1 }, y: { value: null } },
  },
});
const FLAT: JsonObject = { ...LOOP, parents: [], taskrun: kinded({ value: "y", iteration: 1 }) };

const OUTPUTS: readonly (readonly [template: string, variables: JsonObject, expected: JsonValue])[] = [
  ["{{ currentEachOutput(outputs.t).value }}", LOOP, "b2"],
  ["{{ currentEachOutput(outputs.flat).value }}", FLAT, "y1"],
  ["{{ currentEachOutput(outputs=outputs.flat).value }}", FLAT, "y1"],
  ["{{ currentEachOutput(outputs.none.x ?? outputs.flat).value }}", FLAT, "y1"],
  ["{{ currentEachOutput(outputs.flat.gone ?? {'y': 1}) }}", FLAT, 1],
  ["{{ iterationOutput('flat', 0) }}", FLAT, "x0"],
  ["{{ iterationOutput('flat') }}", FLAT, "x0"],
  ["{{ iterationOutput('flat', null) }}", FLAT, "x0"],
  ["{{ iterationOutput() }}", LOOP, "b1"],
  ["{{ iterationOutput(null, 1) }}", LOOP, "b2"],
  ["{{ iterationOutput(iteration=taskrun.iteration) }}", LOOP, "b2"],
  ["{{ iterationOutput(taskId='t', iteration=0) }}", LOOP, "b1"],
  ["{{ iterationOutput('gone', 0) }}", FLAT, null],
  ["{{ iterationOutput('rows', 0).count }}", FLAT, 1],
  ["{{ iterationOutput('rows', 1) }}", FLAT, null],
  ["{{ currentEachOutput({'z': 1}) ?? 'none' }}", FLAT, "none"],
  ["{{ parentOutput().near }}", LOOP, 1],
  ["{{ parentOutput(0).far }}", LOOP, 2],
  ["{{ parentOutput(index=1).near }}", LOOP, 1],
  ["{{ parentOutput() ?? 'none' }}", { parents: [{ taskrun: {} }] }, "none"],
];

for (const [template, variables, expected] of OUTPUTS) {
  Deno.test(`currentEachOutput(), iterationOutput() and parentOutput() ${template}`, () => {
    assertEquals(evaluateRow(template, variables), expected);
  });
}

Deno.test("currentEachOutput() refuses values other than maps, iterationOutput() refuses task runs outside of loops", () => {
  assertThrows(() => evaluateRow("{{ currentEachOutput('x') }}", FLAT), ExpressionError, "a string");
  assertThrows(
    () => evaluateRow("{{ iterationOutput('flat', 9) }}", FLAT),
    ExpressionError,
    "iterationOutput",
  );
  assertThrows(() => evaluateRow("{{ iterationOutput('flat') }}", {}), ExpressionError, "iteration");
  for (const template of ["{{ parentOutput() }}", "{{ parentOutput(1) }}"]) {
    assertThrows(() => evaluateRow(template, FLAT), ExpressionError, "parent");
  }
});
