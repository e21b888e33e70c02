/** No regular expression of src lets a long text stop the server. */
import { assertEquals } from "@std/assert";
import { slowPatterns } from "./support/checks/slow_patterns.ts";
import { readSources } from "./support/documents/source_facts.ts";

Deno.test("src has no pattern that takes quadratic time to find the end of a text", async () => {
  assertEquals(slowPatterns(await readSources("src")), []);
});

const CASES: readonly (readonly [string, boolean])[] = [
  [String.raw`text.replace(/\/+$/, "")`, true],
  [String.raw`text.replace(/^\/+|\/+$/g, "")`, true],
  [String.raw`text.replace(/[ \t]+$/, "")`, true],
  [`const ENDING = /=*$/;`, true],
  [`text.replace(/#.*$/, "")`, true],
  [String.raw`text.replace(/(?<!\/)\/+$/, "")`, false],
  [`text.replace(/#.*$/s, "")`, false],
  [`return /^a.*$/.test(text)`, false],
  [`return /^[a-z]+$/.test(text)`, false],
  [`const rate = (a) / b+$ / 2;`, false],
];
for (const [source, isSlow] of CASES) {
  Deno.test(`slowPatterns() ${isSlow ? "reports" : "allows"} ${source}`, () => {
    assertEquals(slowPatterns([{ path: "src/a.ts", source }]).length, isSlow ? 1 : 0);
  });
}
