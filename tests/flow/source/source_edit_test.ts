import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import {
  isSameSource,
  jsonAsYaml,
  parseFlowSource,
  type SavedSource,
  setDisabled,
  setNamespace,
} from "../../../src/flow/mod.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { DomainError } from "../../../src/model/errors.ts";

function saved(source: string): SavedSource {
  const { document } = parseFlowSource(source);
  assert(document);
  return { document, source };
}

const PAIRS: readonly [string, string, string, boolean][] = [
  ["the same text", "id: a\n", "id: a\n", true],
  ["another revision line", "id: a\nrevision: 1\n", "id: a\nrevision: 22\n", true],
  ["an added revision line", "id: a\nb: c\n", "id: a\nrevision: 2\nb: c\n", true],
  ["a revision line at the end", "id: a\n", "id: a\nrevision: 2", true],
  ["another comment", "id: a # x\n", "id: a # y\n", false],
  ["other white space", "id: a\n", "id:  a\n", false],
  ["another value", "id: a\n", "id: b\n", false],
  ["an indented revision", "v:\n  revision: 1\n", "v:\n  revision: 2\n", false],
];

for (const [name, a, b, expected] of PAIRS) {
  Deno.test(`isSameSource() with ${name}`, () => {
    assertStrictEquals(isSameSource(saved(a), saved(b)), expected);
  });
}

const WRITTEN: readonly (readonly [rule: string, flow: JsonObject, source: string])[] = [
  ["leaves out what the server adds to a flow that it returns", {
    ...{ id: "a", revision: 3, disabled: false, deleted: false, draft: false, tenantId: "main" },
    ...{ updated: "2026-01-01T00:00:00Z", description: "x" },
  }, "id: a\ndescription: x\n"],
  ["keeps what differs from the default", { id: "a", disabled: true }, "id: a\ndisabled: true\n"],
  [
    "keeps such members of tasks",
    { id: "a", tasks: [{ id: "t", disabled: false }] },
    [
      ...["id: a", "tasks:", " - id: t", "   disabled: false", ""],
    ].join("\n"),
  ],
  [
    "writes lines as lines",
    { id: "a", tasks: [{ id: "t", format: "\n \n a    \nb\nc" }] },
    [
      ...[
        "id: a",
        "tasks:",
        " - id: t",
        "   format: |2-",
        "",
        "      ",
        "      a    ",
        "     b",
        "     c",
        "",
      ],
    ].join("\n"),
  ],
];
for (const [rule, flow, source] of WRITTEN) {
  Deno.test(`jsonAsYaml() ${rule}`, () => {
    assertEquals(jsonAsYaml(parseFlowSource(JSON.stringify(flow))), source);
  });
}

const EDITS: readonly [string, string, boolean, string][] = [
  [
    "replaces the value",
    "id: a\ndisabled: false # why\ntasks: []\n",
    true,
    "id: a\ndisabled: true # why\ntasks: []\n",
  ],
  ["replaces true", "id: a\ndisabled: true\n", false, "id: a\ndisabled: false\n"],
  ["replaces a text", "id: a\ndisabled: 'true'\n", false, "id: a\ndisabled: false\n"],
  ["fills an empty value", "disabled:\nid: a\n", true, "disabled: true\nid: a\n"],
  [
    "fills an empty value before a comment",
    "disabled: # why\nid: a\n",
    true,
    "disabled: true # why\nid: a\n",
  ],
  ["fills an empty value in JSON", '{"disabled":, "id": "a"}', true, '{"disabled": true, "id": "a"}'],
  ["replaces an alias", "v: &v false\ndisabled: *v\n", true, "v: &v false\ndisabled: true\n"],
  ["keeps an anchor", "disabled: &d false\nid: a\n", true, "disabled: &d true\nid: a\n"],
  ["adds a line", "# head\nid: a\n", true, "# head\ndisabled: true\nid: a\n"],
  ["adds a line after a marker", "---\nid: a\r\n", true, "---\ndisabled: true\r\nid: a\r\n"],
  ["adds an indented line", "  id: a\n  b: c\n", true, "  disabled: true\n  id: a\n  b: c\n"],
  ["adds a line after a byte order mark", "\uFEFFid: a\n", true, "\uFEFFdisabled: true\nid: a\n"],
  ["adds a member to JSON", '{"id": "a"}', true, '{"disabled": true, "id": "a"}'],
  [
    "adds a line before a quoted key",
    '"id": a\nv: |\n  disabled: x\n',
    true,
    'disabled: true\n"id": a\nv: |\n  disabled: x\n',
  ],
  ["leaves an enabled flow", "id: a\n", false, "id: a\n"],
  ["leaves a disabled flow", "id: a\ndisabled: true\n", true, "id: a\ndisabled: true\n"],
  ["leaves nested members", "v: {disabled: true}\n", true, "disabled: true\nv: {disabled: true}\n"],
];

for (const [name, source, disabled, expected] of EDITS) {
  Deno.test(`setDisabled() ${name}`, () => {
    const edited = setDisabled(source, disabled);
    assertEquals(edited, expected);
    assertStrictEquals(String(parseFlowSource(edited).document?.disabled ?? false), String(disabled));
  });
}

Deno.test("setDisabled() refuses a malformed source", () => {
  assertThrows(
    () => setDisabled("a: [", true),
    DomainError,
    "Cannot change the flow: its source is malformed",
  );
});

Deno.test("setDisabled() refuses a value that other parts of the source refer to", () => {
  const { code } = assertThrows(
    () => setDisabled("disabled: &d false\nvariables: {x: *d}\n", true),
    DomainError,
    "other parts of the source would change",
  );
  assertEquals(code, "conflict");
});

const NAMESPACES: readonly (readonly [rule: string, source: string, expected: string])[] = [
  ["replaces the value", "id: a\nnamespace: old # note\n", "id: a\nnamespace: new # note\n"],
  ["replaces a quoted value", 'namespace: "old"\nid: a\n', "namespace: new\nid: a\n"],
  ["adds a line", "# top\nid: a\n", "# top\nnamespace: new\nid: a\n"],
  ["adds a line after a document marker", "---\nid: a\n", "---\nnamespace: new\nid: a\n"],
  [
    "keeps the indentation of the document",
    "  id: a\n  tasks: []\n",
    "  namespace: new\n  id: a\n  tasks: []\n",
  ],
  ["adds to a flow mapping", "{id: a}", '{"namespace": "new", id: a}'],
  ["fills an empty value", "namespace:\nid: a\n", "namespace: new\nid: a\n"],
  ["fills an empty value before a comment", "namespace:  # note\n", "namespace:  new # note\n"],
  ["adds a line that ends as the others", "id: a\r\n", "namespace: new\r\nid: a\r\n"],
  ["leaves what is no mapping alone", "- a", "- a"],
];

for (const [rule, source, expected] of NAMESPACES) {
  Deno.test(`setNamespace() ${rule}`, () => assertEquals(setNamespace(source, "new"), expected));
}
