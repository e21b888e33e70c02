/** The colours of YAML. */
import { assertEquals } from "@std/assert";
import { FIRST_LINE, yamlTokens } from "../../../../../../src/ui/app/views/editor/code/yaml_tokens.ts";

/** The coloured parts of each line, as `tone:text`. */
function colours(source: string): string[] {
  let state = FIRST_LINE;
  return source.split("\n").map((line) => {
    const { tokens, next } = yamlTokens(line, state);
    state = next;
    return tokens.map(({ from, to, tone }) => `${tone}:${line.slice(from, to)}`).join(" ");
  });
}

const CASES: readonly (readonly [source: string, ...lines: readonly string[]])[] = [
  ["id: hello", "key:id sign::"],
  ["a key: x", "key:a key sign::"],
  ["url: http://a.b:80/c#d # why", "key:url sign:: comment:# why"],
  ["count: 5", "key:count sign:: atom:5"],
  ["share: -1.5e3", "key:share sign:: atom:-1.5e3"],
  ["on: true # yes", "key:on sign:: atom:true comment:# yes"],
  ["version: 1.2.3", "key:version sign::"],
  ["- id: a", "sign:- key:id sign::"],
  ["- - 1", "sign:- sign:- atom:1"],
  ["-1", "atom:-1"],
  ['"a: b": "c: d"', 'key:"a: b" sign::'],
  ["'it''s': no", "key:'it''s' sign::"],
  [
    "list: [1, a b, {k: null}]",
    "key:list sign:: sign:[ atom:1 sign:, sign:, sign:{ key:k sign:: atom:null sign:} sign:]",
  ],
  ["a: &x !tag b", "key:a sign:: meta:&x meta:!tag"],
  ["b: *x", "key:b sign:: meta:*x"],
  ["---", "meta:---"],
  ["%YAML 1.2", "meta:%YAML 1.2"],
  ["when: {{ a > 1 }}", "key:when sign::"],
  ["text: it's", "key:text sign::"],
  ["a: |\n  b: 1\n\n  # c\nd: 2", "key:a sign:: sign:|", "", "", "", "key:d sign:: atom:2"],
  ["- a: >-\n    b: 1\n  c: 2", "sign:- key:a sign:: sign:>-", "", "key:c sign:: atom:2"],
  ["- |\n  b: 1\n- 2", "sign:- sign:|", "", "sign:- atom:2"],
  ['a: "b\n  c: 1" # d\ne: 1', "key:a sign::", "comment:# d", "key:e sign:: atom:1"],
  ["a: [1,\n  2]\nb: 3", "key:a sign:: sign:[ atom:1 sign:,", "atom:2 sign:]", "key:b sign:: atom:3"],
];

Deno.test("yamlTokens() finds keys, values, comments and signs, and what goes on in the next line", () => {
  for (const [source, ...lines] of CASES) assertEquals(colours(source), lines, source);
});

Deno.test("yamlTokens() reads any line to its end, in a time that grows with its length", () => {
  const signs = ["a", " ", ":", "#", "-", '"', "'", "[", "}", "\\", "{{", "&", "|"];
  for (const first of signs) {
    for (const second of signs) yamlTokens((first + second).repeat(900), FIRST_LINE);
  }
  assertEquals(yamlTokens("1".repeat(5000), FIRST_LINE).tokens, []);
});
