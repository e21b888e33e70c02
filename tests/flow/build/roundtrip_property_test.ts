/** Random flows of the real types, and damaged sources: saved, or refused with positions within the source; the response saves to itself. */
import { assert, assertEquals } from "@std/assert";
import { parse, stringify } from "@std/yaml";
import fc from "fast-check";
import { type JsonObject, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { exampleOf } from "../../../src/flow/json_schema/json_schema.ts";
import { builtInTypes } from "../../support/flows/all_types.ts";
import { assertPlaces, assertRoundTrip } from "./roundtrip.ts";

const CATALOGS = builtInTypes();
const HEAD = "id: f\nnamespace: n\n";
const LOG = "tasks:\n- {id: t, type: io.svc.plugin.core.log.Log, message: m}\n";

/** Sources that once gave wrong positions or a response of another flow. */
const SOURCES: readonly string[] = [' :\n "', "a: [\nb: c\n---\nd: 1\n", "a: b\n: ]\n  c: {\r\n\td: 'e\n"];

for (const source of SOURCES) {
  Deno.test(`validateFlow() of ${JSON.stringify(source)} gives problems in the order of the source`, () => {
    assertPlaces(source, validateFlow(parseFlowSource(source), CATALOGS));
  });
}

const name = fc.constantFrom(
  "a",
  "b-1",
  "x.y",
  "__proto__",
  "constructor",
  "1",
  "é ",
  "on",
  "null",
  "~",
  "#",
  "- a",
);
const text = fc.oneof(
  name,
  fc.constantFrom(
    "",
    "{{ inputs.a }}",
    "true",
    "1.0",
    "0x1F",
    "2026-01-31",
    ": ",
    "a\nb\n",
    " a",
    "'",
    "*a",
    "<<",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }).map((found) => found.toWellFormed()),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.constantFrom<JsonValue>(null, true, false, 0, -1, 2 ** 53 - 1),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const types = CATALOGS.tasks.list();
const task = fc.record({
  type: fc.constantFrom(...types),
  more: fc.record({
    description: text,
    disabled: fc.boolean(),
    allowFailure: fc.boolean(),
    runIf: fc.constantFrom("{{ true }}", "true"),
    timeout: fc.constantFrom("PT1S", "{{ vars.t }}"),
  }, { requiredKeys: [], noNullPrototype: true }),
});

/** Tasks by their examples, with ids of their own. */
function tasksOf(found: readonly { type: (typeof types)[number]; more: JsonObject }[]): JsonValue {
  return found.map(({ type, more }, index) => {
    const example = parseFlowSource(`tasks:\n${exampleOf(type).replaceAll(/\bid: /g, `id: t${index}_`)}`);
    const list = example.document?.tasks;
    return { ...(Array.isArray(list) ? list[0] as JsonObject : {}), ...more };
  });
}

const flow: fc.Arbitrary<JsonObject> = fc.record({
  tasks: fc.array(task, { minLength: 1, maxLength: 4 }),
  more: fc.record({
    description: text,
    disabled: fc.boolean(),
    labels: fc.oneof(
      fc.dictionary(fc.constantFrom("a", "b", "team"), fc.constantFrom("x", "1", "true"), {
        noNullPrototype: true,
      }),
      fc.constant([{ key: "a", value: "b" }, { key: "c", value: "d" }]),
    ),
    variables: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
    inputs: fc.constantFrom<JsonValue>([{ id: "a", type: "STRING", defaults: "x" }], [{
      id: "n",
      type: "INT",
      min: 1,
    }], []),
    outputs: fc.array(fc.record({ id: fc.constant("o"), type: fc.constant("JSON"), value: text }), {
      maxLength: 1,
    }),
    concurrency: fc.constantFrom<JsonValue>({ limit: 1 }, { limit: 2, behavior: "CANCEL" }),
    deleted: fc.boolean(),
    revision: fc.nat(9),
  }, { requiredKeys: [], noNullPrototype: true }),
}).map(({ tasks, more }) => ({ id: "f", namespace: "n", ...more, tasks: tasksOf(tasks) }) as JsonObject);

const WRITERS: readonly ((document: JsonObject) => string)[] = [
  (document) => stringifyJson(document),
  (document) => stringifyJson(document, 2),
  (document) => stringify(document),
  (document) => stringify(document, { defaultStringType: "QUOTE_SINGLE", lineWidth: 20 }),
  (document) => folded(document),
];

/** The library's folded texts lose those that are only blanks: what it does not read back itself is written plainly. */
function folded(document: JsonObject): string {
  const text = stringify(document, {
    defaultStringType: "BLOCK_FOLDED",
    defaultKeyType: "PLAIN",
    indentSeq: false,
  });
  const isFaithful = JSON.stringify(parse(text)) === JSON.stringify(parse(stringifyJson(document)));
  return isFaithful ? text : stringify(document);
}

Deno.test("flowResponse() of a random flow saves to the same response", () => {
  let savedCount = 0;
  fc.assert(
    fc.property(flow, fc.constantFrom(...WRITERS), (document, write) => {
      if (assertRoundTrip(write(document), CATALOGS)) savedCount++;
    }),
    { numRuns: 400, verbose: 1 },
  );
  assert(savedCount > 100, `only ${savedCount} of 400 flows could be saved`);
});

Deno.test("parseFlowSource() reads the same document from each way of writing it", () => {
  fc.assert(
    fc.property(flow, (document) => {
      const [first, ...others] = WRITERS.map((write) => parseFlowSource(write(document)));
      assertEquals(first?.problems, []);
      for (const other of others) assertEquals(other.document, first?.document);
    }),
    { numRuns: 200, verbose: 1 },
  );
});

Deno.test("flowResponse() of a flow with any single type saves to the same response", () => {
  const sources = [
    ...types.map((type) => `${HEAD}tasks:\n${exampleOf(type)}`),
    ...CATALOGS.triggers.list().map((type) => `${HEAD}${LOG}triggers:\n${exampleOf(type)}`),
  ];
  for (const source of sources) assertRoundTrip(source, CATALOGS);
});

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(12),
  insert: fc.oneof(
    text,
    fc.constantFrom("\n", "  ", "- ", "&a ", "*a", "|\n", ">", "---\n", "{", "}", "[", "]", ",", "? "),
  ),
});

Deno.test("validateFlow() of a damaged random flow saves it or gives problems that lie in the source", () => {
  fc.assert(
    fc.property(flow, fc.array(edit, { minLength: 1, maxLength: 3 }), (document, edits) => {
      const source = edits.reduce((source, { at, drop, insert }) => {
        const start = Math.floor(at * source.length);
        return source.slice(0, start) + insert + source.slice(start + drop);
      }, stringify(document));
      const problems = validateFlow(parseFlowSource(source), CATALOGS, { expressions: {} });
      if (!assertRoundTrip(source, CATALOGS)) assert(problems.some(({ severity }) => severity === "error"));
    }),
    { numRuns: 400, verbose: 1 },
  );
});
