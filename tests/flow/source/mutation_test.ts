import { assert } from "@std/assert";
import fc from "fast-check";
import {
  buildFlow,
  flowResponse,
  parseFlowSource,
  problemsError,
  validateFlow,
} from "../../../src/flow/mod.ts";
import { catalog, catalogs } from "../flow_support.ts";

const SOURCE = `# a flow with a part of every kind
id: hello-world
namespace: company.team
description: |
  Says "hello",
  twice.
labels:
  env: prod
  'n': 1
inputs:
  - id: who
    type: STRING
    defaults: &name world
    validator: '[a-z]+'
  - {id: nested.n, type: INT, min: 1, required: false}
  - {id: kind, type: SELECT, values: [a, b], dependsOn: {inputs: [who], condition: "{{ inputs.who == 'x' }}"}}
variables: {v: *name, d: 2.0}
tasks:
  - &first
    id: first
    type: io.svc.plugin.core.log.Log
    message: ["{{ inputs.who }}", b]
  - <<: *first
    id: second
    runIf: "{{ true }}"
  - {id: third, type: io.kestra.plugin.core.flow.Sleep, duration: PT1S}
errors:
  - {id: failed, type: io.svc.plugin.core.debug.Return, format: ">"}
triggers:
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: s3cret-s3cret-s3cret}
outputs:
  - {id: o, type: STRING, value: "{{ outputs.first }}"}
`;

const PIECES = [
  "",
  "\n",
  " ",
  "  ",
  "\t",
  ":",
  ": ",
  "- ",
  "#",
  "'",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  "&a ",
  "*a",
  "*name",
  "!x ",
  "|",
  ">",
  "---\n",
  "...",
  "{{",
  "}}",
  "{%",
  "null",
  "~",
  "0",
  "1.5",
  "-1",
  "<<: ",
  "? ",
  "%",
  "@",
  "\r\n",
  "\u0000",
  "é",
  "𝒳",
  "__proto__",
  "constructor",
  "id: x\n",
  "type: SECRET\n",
  "tasks: []\n",
];

const edit = fc.record({
  at: fc.nat(SOURCE.length),
  drop: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40)),
  insert: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 8 })),
});

function mutate(edits: readonly { at: number; drop: number; insert: string }[]): string {
  return edits.reduce(
    (text, { at, drop, insert }) => text.slice(0, at) + insert + text.slice(at + drop),
    SOURCE,
  );
}

function checkSource(source: string): void {
  const parsed = parseFlowSource(source);
  const problems = validateFlow(parsed, catalogs, { expressions: {} });
  const lines = source.split("\n").map((line) => line.replace(/\r$/, ""));
  for (const { range, path, message } of problems) {
    assert(range, `${path}: ${message} has no range`);
    const line = lines[range.line - 1];
    assert(line !== undefined, `${path}: line ${range.line} of ${lines.length}`);
    const end = range.column - 1 + range.length;
    const isAtEnd = range.column === line.length + 1 && range.length === 1;
    assert(range.column >= 1 && range.length >= 1, `${path}: ${JSON.stringify(range)}`);
    assert(end <= line.length || isAtEnd, `${path}: ${JSON.stringify(range)} in ${JSON.stringify(line)}`);
  }
  if (problems.some((problem) => problem.severity === "error")) {
    assert(problemsError(problems).message.length > 10);
    return;
  }
  assert(parsed.document);
  const identity = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source };
  flowResponse(buildFlow(parsed.document, identity, { tasks: catalog }), { source: true });
}

Deno.test("validateFlow() accepts the source that is mutated below", () => {
  assert(validateFlow(parseFlowSource(SOURCE), catalogs, { expressions: {} }).length === 0);
});

Deno.test("validateFlow() of a mutated source accepts it or gives problems with places inside it", () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => checkSource(mutate(edits))),
    {
      numRuns: 1_500,
    },
  );
});

Deno.test("validateFlow() of any text gives problems with places inside it", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), checkSource), { numRuns: 500 });
});
