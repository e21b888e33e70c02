import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { evaluateRow } from "../support.ts";

const VARIABLES: JsonObject = {
  outputs: { l: { outputs: [{ outputs: { o: "a" } }, { outputs: {} }, { item: {} }], file: "kestra:///x" } },
};

const ROWS: readonly (readonly [template: string, expected: JsonValue])[] = [
  ["{{ loopOutputs(outputs.l.outputs, 'o') }}", ["a", null, null]],
  ["{{ loopOutputs(outputs=outputs.l.outputs, id='__proto__') }}", [null, null, null]],
  ["{{ loopOutputs([], 'o') }}", []],
];

for (const [template, expected] of ROWS) {
  Deno.test(`loopOutputs() ${template}`, () => {
    assertEquals(evaluateRow(template, VARIABLES), expected);
  });
}

Deno.test("loopOutputs() refuses values other than lists", () => {
  const template = "{{ loopOutputs(outputs.l.file, 'o') }}";
  assertThrows(() => evaluateRow(template, VARIABLES), ExpressionError, "outputs.taskId.outputs");
});
