/** YAML text that is written and read again gives the same value. */
import { assertEquals, assertThrows } from "@std/assert";
import type { JsonValue } from "../../../src/base/json.ts";
import { ExpressionError } from "../../../src/languages/values/mod.ts";
import { parseYaml, yamlText } from "../../../src/languages/yaml/mod.ts";

const TEXTS: readonly string[] = [
  ...[
    "\u00a0",
    "a\u00a0",
    "\ufeff",
    "\ufeffa",
    "\u2028",
    "\u0085",
    "\u3000",
    "---",
    "--- a",
    "...",
    "... a",
    "%a",
  ],
  ...[
    "k: : ",
    " ",
    "\t",
    "a\r",
    "\r\n",
    "\u0000",
    "- ",
    "?",
    "<<",
    "*a",
    "# a",
    "1e3",
    "0x1",
    "~",
    "",
    "a\nb",
    "a: b\n\n",
    "---\n...\n",
    " a\nb",
    "\n \n a   \nb\nc",
    "\n\na",
    "  \n a\n\n\n",
    "\n \n",
    "a  \n  \nb\n",
    "\ta\n b",
    "\n",
    "- a\n  - b\n",
    "\ud800",
  ],
];

for (const text of TEXTS) {
  Deno.test(`yamlText() of ${JSON.stringify(text.slice(0, 20))}, ${text.length} long, round-trips in any position`, () => {
    for (
      const value of [text, [text], { [text]: 1 }, { a: text }, {
        a: [{ [text]: text, b: { [text]: [text, [text], [[text, { a: text }]]] } }],
      }]
    ) {
      for (const layout of ["compact", "open"] as const) {
        assertEquals(JSON.stringify(parseYaml(yamlText(value, { layout }))), JSON.stringify(value));
      }
    }
  });
}

Deno.test("yamlText() refuses a value whose indents are long in all", () => {
  let value: JsonValue = "a\n".repeat(100_000);
  for (let depth = 0; depth < 400; depth++) value = [value];
  const error = assertThrows(() => yamlText(value), ExpressionError);
  assertEquals((error as ExpressionError).code, "limit");
});
