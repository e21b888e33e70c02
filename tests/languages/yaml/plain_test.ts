import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Double, type JsonValue } from "../../../src/base/json.ts";
import { readPlainYaml, readYaml, SOURCE_RULES } from "../../../src/languages/yaml/mod.ts";

/** The value by the full reader; `undefined` for a malformed source. */
function readFully(source: string): { readonly value: JsonValue } | undefined {
  const { value, errors } = readYaml(source, SOURCE_RULES);
  return errors.length === 0 ? { value } : undefined;
}

/** Plain sources and their values. */
const PLAIN: readonly (readonly [string, JsonValue])[] = [
  ["a: b\n", { a: "b" }],
  ["a: b", { a: "b" }],
  ["a:\n", { a: null }],
  ["a: ~\nb: null\nc: NULL\nd:   # none\n", { a: null, b: null, c: null, d: null }],
  ["a: true\nb: False\nc: yes\nd: nULL\n", { a: true, b: false, c: "yes", d: "nULL" }],
  ["a: 0\nb: -12\nc: 999999999999999\n", { a: 0, b: -12, c: 999999999999999 }],
  ["a: 1.50\nb: -0.0\n", { a: new Double(1.5), b: new Double(-0) }],
  ["a: 2026-01-31\nb: 1:30\nc: 1_000\nd: 10s\ne: -x\nf: 1-1\n", {
    a: "2026-01-31",
    b: "1:30",
    c: "1_000",
    d: "10s",
    e: "-x",
    f: "1-1",
  }],
  ["a: b c  \nd: http://x/y#z\ne: x # no\n", { a: "b c", d: "http://x/y#z", e: "x" }],
  ['a: it\'s {{ x }} "here"\n', { a: 'it\'s {{ x }} "here"' }],
  [`a: "x \\"y\\" \\\\ \\n \\t \\/"  # c\n`, { a: 'x "y" \\ \n \t /' }],
  ["a: 'it''s'\nb: ''\n", { a: "it's", b: "" }],
  ['"a b": 1\n\'c: d\': 2\n"": 3\n', { "a b": 1, "c: d": 2, "": 3 }],
  ["# head\n\na:\n  # inside\n  b: 1\n\n      # deep\n  c: 2\n# end\n", { a: { b: 1, c: 2 } }],
  ["a:\n- b\n- c\nd: e\n", { a: ["b", "c"], d: "e" }],
  ["a:\n    - b: 1\n      c: 2\n    -   d: 3\n        e: 4\n", { a: [{ b: 1, c: 2 }, { d: 3, e: 4 }] }],
  ["a:\n- - b\n  - c\n-\n  d: e\n-\n- - - f\n", { a: [["b", "c"], { d: "e" }, null, [["f"]]] }],
  ["a: |\n  b\n   c\n\n  d: # e\n\n\nf: g\n", { a: "b\n c\n\nd: # e\n", f: "g" }],
  ["a: |-\n  b\n\nc: |+\n  d\n\ne: |  # f\n  g\nh: i\n", { a: "b", c: "d\n\n", e: "g\n", h: "i" }],
  ["a:\n- |\n  b\n- c\n", { a: ["b\n", "c"] }],
  ["a: []\nb: {}\nc: [d, 1, 1.5, true, null, 'e', \"f\", g h]  # i\n", {
    a: [],
    b: {},
    c: ["d", 1, new Double(1.5), true, null, "e", "f", "g h"],
  }],
  ['a: {b: c, "d e": [f, {g: h}]}\n', { a: { b: "c", "d e": ["f", { g: "h" }] } }],
  ["toString: 1\nconstructor: 2\n", { toString: 1, constructor: 2 }],
  ["a: 𝒳é\n", { a: "𝒳é" }],
];

for (const [source, expected] of PLAIN) {
  Deno.test(`readPlainYaml() reads ${JSON.stringify(source)}`, () => {
    assertEquals(readPlainYaml(source), expected);
    assertEquals(readFully(source)?.value, expected);
  });
}

/** Sources left to the full reader, valid or not. */
const LEFT: readonly string[] = [
  ...["", "\n", "# c\n", "a", "- a\n", "{a: b}\n", " a: b\n", "a: b\n c: d\n", "a:\n  b: c\n d: e\n"],
  ...[
    "a: b\n- c\n",
    "a:\n- b\n  c\n",
    "a: b\n  c\n",
    "a: 'b'\n  c\n",
    "a: [b]\n  c\n",
    "a: b: c\n",
    "a: b:\n",
  ],
  ...["a: 1\na: 2\n", 'a: 1\n"a": 2\n', "a: {b: 1, b: 2}\n", "a b: c\n", "1: a\n", "? a\n: b\n", "<<: a\n"],
  ...[
    "a: &b c\n",
    "a: *b\n",
    "a: !!str b\n",
    "a: >\n  b\n",
    "a: |2\n   b\n",
    "a: |\nb: c\n",
    "a: |\n  b",
    "a: |\n\n  b\nc: d\n",
  ],
  ...["a: |\n  b\n c\n", "a: @b\n", "a: `b`\n", "a: %b\n", "a: - b\n", "a: ? b\n", "a: , b\n", "a: ] b\n"],
  ...[
    "a: 'b\n",
    'a: "b\n',
    'a: "\\x41"\n',
    "a: 'b' c\n",
    'a: "b"#c\n',
    "a: [b\n",
    "a: [b,]\n",
    "a: [b, , c]\n",
    "a: [b] c\n",
  ],
  ...["a: {b}\n", "a: {b:c}\n", "a: {{ b }}\n", "a: [b: c]\n", "a: [http://x]\n", "a: [*b]\n", "a: {b: }\n"],
  ...[
    "a: 017\n",
    "a: 0x1F\n",
    "a: 1e3\n",
    "a: .5\n",
    "a: +1\n",
    "a: 1.\n",
    "a: .inf\n",
    "a: -0\n",
    "a: 9007199254740993\n",
  ],
  ...[
    "a:\tb\n",
    "a: b\r\n",
    "\ufeffa: b\n",
    "---\na: b\n",
    "a: b\n...\n",
    "a: b\n---\nc: d\n",
    "a: \u0000\n",
    "%YAML 1.2\n",
  ],
];

for (const source of LEFT) {
  Deno.test(`readPlainYaml() leaves ${JSON.stringify(source)} to the full reader`, () => {
    assertEquals(readPlainYaml(source), undefined);
  });
}

Deno.test("readPlainYaml() sets own members only, whatever their names", () => {
  const value = readPlainYaml("__proto__:\n  a: 1\nb: {__proto__: 2}\n");
  assert(value);
  assertEquals(Object.keys(value), ["__proto__", "b"]);
  assertEquals(Object.getPrototypeOf(value), Object.prototype);
});

/** Texts that take long when characters are read repeatedly. */
const HUGE: readonly (readonly [string, string])[] = [
  ["spaces within a value", `a: b${" ".repeat(400_000)}c\n`],
  ["line breaks within a text", `a: |\n  b${"\n".repeat(400_000)}  c\nd: e\n`],
  ["spaces within brackets", `a: [b${" ".repeat(400_000)}c]\n`],
  ["words within brackets", `a: [${"b ".repeat(200_000)}\n`],
  ["dashes", `a:\n${"- ".repeat(200_000)}b\n`],
  ["brackets", `a: ${"[".repeat(400_000)}\n`],
  ["backslashes", `a: "${"\\\\".repeat(200_000)}\n`],
  ["digits", `a: ${"1".repeat(400_000)}x\n`],
  ["comments", "#\n".repeat(200_000)],
  ["a long key", `${"a".repeat(400_000)}: b\n`],
];

for (const [name, source] of HUGE) {
  Deno.test(`readPlainYaml() takes linear time for ${name}`, () => {
    const start = performance.now();
    readPlainYaml(source);
    assert(performance.now() - start < 30_000, name);
  });
}

/** Sources whose last line has no line break, and the value of `a`. */
const UNFINISHED: readonly (readonly [string, string])[] = [
  ["a: |\n  b", "b"],
  ["a: |\n  b\n   c ", "b\n c "],
  ["a: |+\n  b", "b"],
  ["a: |-\n  b", "b"],
  ["a: >\n  b\n  c", "b c"],
  ["a: |\n  b\n", "b\n"],
  ["a: |\n  b\n# c", "b\n"],
  ["a: |\n  b\n  ", "b\n"],
];
for (const [source, value] of UNFINISHED) {
  Deno.test(`readYaml() adds no line break to a block text that ends with ${JSON.stringify(source)}`, () => {
    assertEquals(readFully(source), { value: { a: value } });
  });
}

const scalar = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "a b",
    "1",
    "1.5",
    "-0",
    "true",
    "~",
    "1e3",
    "a: b",
    "a #b",
    "#c",
    "'d'",
    '"e"',
    "'f",
    "{{ g }}",
  ),
  fc.constantFrom(
    "[]",
    "{}",
    "[a, 1]",
    "{a: 1}",
    "[a: b]",
    "|",
    "|-",
    ">",
    "&a b",
    "*a",
    "!t c",
    "- d",
    "?",
    ":",
    "%",
    "@",
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const line = fc.record({
  indent: fc.nat(6),
  dashes: fc.constantFrom("", "", "", "- ", "-  ", "- - ", "-"),
  key: fc.constantFrom("", "", "a: ", "b:", "c: ", '"d": ', "e : ", "a.b/c: ", "__proto__: ", "1: ", "<<: "),
  value: scalar,
});

Deno.test("readPlainYaml() gives the value of the full reader, or undefined", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, hasEnd) => {
      const texts = lines.map(({ indent, dashes, key, value }) => " ".repeat(indent) + dashes + key + value);
      const source = `root:\n${texts.join("\n")}${hasEnd ? "\n" : ""}`;
      const value = readPlainYaml(source);
      if (value !== undefined) assertEquals({ value }, readFully(source) as { value: typeof value });
    }),
    { numRuns: 5_000 },
  );
});
