/** Messages quote what they speak of, but never all of a large value. */
import { assert, assertThrows } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { renderRow } from "../../expr/support.ts";

const LONG: readonly string[] = [
  "{{ t | timestampMilli }}",
  "{{ t | date }}",
  "{{ t | number }}",
  "{{ fromJson(t) }}",
  "{{ yaml(t) }}",
  "{{ 'a' | regexReplace('a', t ~ '$9') }}",
  "{{ 'a' | date(t) }}",
  "{{ m[t] }}",
  "{{ [t] | jq(t) }}",
];

for (const template of LONG) {
  Deno.test(`ExpressionError of ${template} is short for a long text`, () => {
    const variables = { t: "'x: [".repeat(50_000), m: {} };
    const error = assertThrows(() => renderRow(template, variables), ExpressionError) as ExpressionError;
    assert(error.message.length < 2_000, `${error.message.length} characters`);
  });
}
