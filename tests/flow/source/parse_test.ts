import { assert, assertEquals, assertStrictEquals, assertStringIncludes } from "@std/assert";
import { Double, type JsonObject, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { type ParsedSource, parseFlowSource, parseYamlValue, splitDocuments } from "../../../src/flow/mod.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../../src/model/limits.ts";
import { MAX_YAML_DEPTH, SOURCE_RULES } from "../../../src/languages/yaml/mod.ts";

function documentOf(source: string): JsonObject {
  const { document, problems } = parseFlowSource(source);
  assertEquals(problems, []);
  assert(document);
  return document;
}

function firstProblem({ problems: [problem] }: ParsedSource): string {
  if (!problem) return "none";
  const { line, column, length } = problem.range ?? { line: 0, column: 0, length: 0 };
  return `${problem.code}: ${problem.message} @${line}:${column}+${length}`;
}

const SCALARS: readonly [string, JsonValue][] = [
  ["1", 1],
  ["-0", 0],
  ["+7", 7],
  ["017", 17],
  ["0x1F", 31],
  ["0o17", 15],
  ["9007199254740993", 9007199254740993n],
  ["2.0", new Double(2)],
  [".5", new Double(0.5)],
  ["1e3", new Double(1000)],
  [".inf", ".inf"],
  [".nan", ".nan"],
  ["1e999", "1e999"],
  ["true", true],
  ["yes", "yes"],
  ["~", null],
  ["", null],
  ["2026-01-31", "2026-01-31"],
  ["1:30", "1:30"],
  ["1_000", "1_000"],
  ["!!str 2.0", "2.0"],
  ["! 3", "3"],
  ["!!float 1", new Double(1)],
  ["!!int 12", 12],
  ["'it''s'", "it's"],
  ["|\n  a\n  b\n", "a\nb\n"],
];

for (const [text, expected] of SCALARS) {
  Deno.test(`parseFlowSource() reads ${JSON.stringify(text)}`, () => {
    assertEquals(documentOf(`v: ${text}`).v, expected);
  });
}

const DOCUMENTS: readonly [string, string, string][] = [
  ["JSON with tabs", '{\n\t"a": [1,\n\t2.0]\n}', '{"a":[1,2.0]}'],
  ["a document marker", "---\na: 1\n", '{"a":1}'],
  ["an end marker", "a: 1\n...\n", '{"a":1}'],
  ["a byte order mark", "\ufeffa: 1", '{"a":1}'],
  ["carriage returns", "a: 1\r\nb: x\r\n", '{"a":1,"b":"x"}'],
  ["version 1.1 as 1.2", "%YAML 1.1\n---\na: yes", '{"a":"yes"}'],
  ["keys of other kinds as texts", "1: a\n2.50: b\ntrue: c\n", '{"1":"a","2.50":"b","true":"c"}'],
  ["aliases", "a: &x {k: 1}\nb: [*x, *x]", '{"a":{"k":1},"b":[{"k":1},{"k":1}]}'],
  [
    "merge keys under own members",
    "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}",
    '{"a":{"k":1,"l":2},"b":{"k":3,"l":2}}',
  ],
  ["the first of several merges", "b: {<<: [{k: 1}, {k: 2, l: 3}]}", '{"b":{"k":1,"l":3}}'],
  ["a quoted << as a name", "'<<': 1", '{"<<":1}'],
  ["an anchor that is set again", "a: &x 1\nb: *x\nc: &x 2\nd: *x", '{"a":1,"b":1,"c":2,"d":2}'],
];

for (const [name, source, expected] of DOCUMENTS) {
  Deno.test(`parseFlowSource() reads ${name}`, () => {
    assertEquals(stringifyJson(documentOf(source)), expected);
  });
}

Deno.test("parseFlowSource() keeps __proto__ an own member without effect", () => {
  const document = documentOf("__proto__: {polluted: true}\nconstructor: 1");
  assertEquals(Object.keys(document), ["__proto__", "constructor"]);
  assertStrictEquals(Object.getPrototypeOf(document), Object.prototype);
  assertStrictEquals((document as { polluted?: unknown }).polluted, undefined);
});

const nested = (levels: number) => `a: ${"[".repeat(levels)}${"]".repeat(levels)}`;
const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"].concat(
  [..."bcdefghi"].map((name, index) =>
    `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[index]}`).join(", ")}]`
  ),
).join("\n");

const STAR = 'A value that begins with "*" needs quotes, otherwise it is an alias';
const MALFORMED: readonly [string, string, string][] = [
  ["an unclosed quote", 'a: 1\nb: "x', 'yaml_syntax: Missing closing "quote @2:6+1'],
  ["a cron without quotes", "a: * * * * *", `yaml_syntax: ${STAR} @1:4+1`],
  ["two values with asterisks without quotes", "a: */5 * * * *\nb: *", `yaml_syntax: ${STAR} @1:8+1`],
  ["a tab as indentation", "a:\n\tb: 1", "yaml_syntax: Tabs are not allowed as indentation @2:1+1"],
  [
    "nested mappings on a line",
    "a: b: c",
    "yaml_syntax: Nested mappings are not allowed in compact mappings @1:4+1",
  ],
  [
    "an unclosed list",
    "a: [1",
    "yaml_syntax: Flow sequence in block collection must be sufficiently indented and end with a ] @1:6+1",
  ],
  ["a duplicate key", "a: 1\nb: 2\n  \na: 3", "yaml_duplicate_key: Duplicate field 'a' @4:1+1"],
  ["a duplicate key of another kind", "1: a\n'1': b", "yaml_duplicate_key: Duplicate field '1' @2:1+3"],
  [
    "an expression without quotes",
    "a: {{ inputs.x }}",
    'yaml_key: A key must be a text: an expression as a value needs quotes, as in "{{ inputs.name }}" @1:5+12',
  ],
  ["an alias without anchor", "a: *x", 'yaml_alias: Alias "x" has no anchor before it @1:4+2'],
  ["an alias of itself", "a: &x [*x]", 'yaml_alias: Alias "x" refers to itself @1:8+2'],
  ["an alias bomb", bomb, `yaml_alias: Aliases expand to more than ${SOURCE_RULES.maxAliases} values @3:8+2`],
  ["a merge of no map", "a: {<<: 1}", 'yaml_key: The merge key "<<" needs a map or a list of maps @1:9+1'],
  [
    "a custom tag",
    "a: !ruby/object x",
    'yaml_tag: Cannot use the tag "!ruby/object": custom tags are not allowed @1:17+1',
  ],
  [
    "a binary tag",
    "a: !!binary aGk=",
    'yaml_tag: Cannot use the tag "tag:yaml.org,2002:binary": custom tags are not allowed @1:13+4',
  ],
  ["two documents", "a: 1\n---\nb: 2", "yaml_documents: Only one document is allowed here @2:1+3"],
  ["an empty document", "# nothing\n", "yaml_empty: The document is empty @1:1+1"],
  ["a list", "- a", "yaml_not_object: The document must be an object @1:1+1"],
  ["a text", "hello", "yaml_not_object: The document must be an object @1:1+1"],
  [
    "deep nesting",
    nested(MAX_YAML_DEPTH + 1),
    "yaml_depth: The document is nested deeper than 100 levels @1:105+1",
  ],
];

for (const [name, source, expected] of MALFORMED) {
  Deno.test(`parseFlowSource() refuses ${name}`, () => {
    const parsed = parseFlowSource(source);
    assertEquals(parsed.document, undefined);
    assertEquals(firstProblem(parsed), expected);
  });
}

Deno.test("parseFlowSource() reads nesting up to the bound", () => {
  assertEquals(parseFlowSource(nested(MAX_YAML_DEPTH)).problems, []);
});

Deno.test("parseFlowSource() counts the characters that aliases expand to", () => {
  const parsed = parseFlowSource(`a: &a "${"x".repeat(100_000)}"\nb: [${Array(9).fill("*a").join(", ")}]`);
  assertEquals(
    firstProblem(parsed),
    `yaml_alias: Aliases expand to more than ${SOURCE_RULES.maxExpandedChars} characters @2:25+2`,
  );
});

Deno.test("parseFlowSource() counts depth through aliases", () => {
  const lines = ["a0: &a0 []"];
  for (let i = 1; i <= 13; i++) lines.push(`a${i}: &a${i} ${"[".repeat(8)}*a${i - 1}${"]".repeat(8)}`);
  assertEquals(parseFlowSource(lines.join("\n")).problems[0]?.code, "yaml_depth");
});

Deno.test("parseFlowSource() refuses a source beyond the bound without reading it", () => {
  const parsed = parseFlowSource("x".repeat(MAX_FLOW_SOURCE_BYTES + 1));
  assertEquals(firstProblem(parsed), "yaml_size: The document is longer than 524288 characters @1:1+1");
});

Deno.test("parseFlowSource() and parseYamlValue() read no more values than the bound", () => {
  const tooMany = "The document has more than 100000 values";
  const list = `[${"1,".repeat(100_000)}1]`;
  const { problems: [problem] } = parseFlowSource(`id: &id f\nmany: ${list}`);
  assertEquals([problem?.code, problem?.message], ["yaml_size", tooMany]);
  const read = parseYamlValue(list);
  assertStringIncludes("reason" in read ? read.reason : "it was read", tooMany);
});

Deno.test("parseFlowSource() reads a flow of 10,000 tasks with an anchor", () => {
  const task = (index: number) => `- {id: t${index}, type: c.debug.Return, format: x}\n`;
  const tasks = Array.from({ length: 10_000 }, (_, index) => task(index)).join("");
  const read = documentOf(`id: &id f\ntasks:\n${tasks}`).tasks as JsonValue[];
  assertEquals(read.length, 10_000);
});

for (const unit of ["[", "{", "{a: ", "- ", "? ", "&a ", "!a ", "*a ", "%a\n", "---\n", " b\nc\n", "[\n"]) {
  Deno.test(`parseFlowSource() ends soon on ${JSON.stringify(unit)} repeated`, () => {
    const parsed = parseFlowSource(unit.repeat(Math.floor(100_000 / unit.length)));
    assert(
      parsed.problems.length >= 1 && parsed.problems.length <= 102,
      `${parsed.problems.length} problems`,
    );
  });
}

const SOURCE =
  "id: f\ntasks:\n- id: a\n  message: |\n    x\n    y\n- &b\n  id: b\n  empty:\nmore: {<<: *b, own: 1}\r\n";

const PLACES: readonly [(string | number)[], string, string][] = [
  [[], "1:1+5", "1:1+5"],
  [["id"], "1:5+1", "1:1+2"],
  [["tasks", 0], "3:3+5", "3:3+5"],
  [["tasks", 0, "message"], "4:12+1", "4:3+7"],
  [["tasks", 1, "empty"], "9:9+1", "9:3+5"],
  [["tasks", 1, "missing"], "8:3+5", "8:3+5"],
  [["tasks", 9, "id"], "3:1+7", "3:1+7"],
  [["more", "own"], "10:21+1", "10:16+3"],
  [["nowhere", 1, "x"], "1:1+5", "1:1+5"],
];

for (const [path, value, key] of PLACES) {
  Deno.test(`locate() finds ${JSON.stringify(path)}`, () => {
    const parsed = parseFlowSource(SOURCE);
    const show = (range = parsed.locate([])) => `${range?.line}:${range?.column}+${range?.length}`;
    assertEquals([show(parsed.locate(path)), show(parsed.locateKey(path))], [value, key]);
  });
}

const SPLITS: readonly [string, string[]][] = [
  ["a: 1\n", ["a: 1\n"]],
  ["a: 1\n---\nb: 2\n", ["a: 1", "b: 2\n"]],
  ["---\na: 1\n--- # next\nb: 2", ["a: 1", "b: 2"]],
  ["# head\n---\na: |\n  ---\n  x\n----: 1\n", ["a: |\n  ---\n  x\n----: 1\n"]],
  ["a: 1\r\n---\r\nb: 2\r\n", ["a: 1\r", "b: 2\r\n"]],
  ["--- {a: 1}\n---\n\n---\n", ["{a: 1}"]],
  ["a: 1\n---b: 2\nc: 3\n---d: 4", ["a: 1", "b: 2\nc: 3", "d: 4"]],
  ["a: 1\r\n---b: 2\r\n", ["a: 1\r", "b: 2\r\n"]],
  // A flow is saved as it is written, so its own first line cannot be such a marker.
  ["# head\n---a: 1\nb: 2\n", ["# head\n---a: 1\nb: 2\n"]],
  ["a: x---\nb: |\n  ---c\n", ["a: x---\nb: |\n  ---c\n"]],
  ["id: a\nb: x---\nid: c\nb: y---\r\nid: d\n", ["id: a\nb: x", "id: c\nb: y", "id: d\n"]],
  ["b: x---\nid: c\n", ["b: x---\nid: c\n"]],
  ["id: a\nb: |\n  x---\n  id: c\n", ["id: a\nb: |\n  x---\n  id: c\n"]],
  ["", []],
];

for (const [source, expected] of SPLITS) {
  Deno.test(`splitDocuments() of ${JSON.stringify(source)}`, () => {
    assertEquals(splitDocuments(source), expected);
  });
}
