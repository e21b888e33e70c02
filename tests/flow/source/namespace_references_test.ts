import { assertEquals } from "@std/assert";
import { namespaceReferences, renameNamespaces } from "../../../src/flow/source/namespace_references.ts";
import { parseFlowSource } from "../../../src/flow/mod.ts";

const RENAMED = new Map([["old", "new"], ["old.sub", "new.sub"]]);

const EDITS: readonly (readonly [rule: string, source: string, expected: string])[] = [
  [
    "keeps comments and layout",
    "id: a\nnamespace:   old  # ours\n\n# end\n",
    "id: a\nnamespace:   new  # ours\n\n# end\n",
  ],
  ["keeps quotes", 'id: a\nnamespace: "old"\n', 'id: a\nnamespace: "new"\n'],
  ["keeps single quotes", "id: a\nnamespace: 'old'\n", "id: a\nnamespace: 'new'\n"],
  ["edits JSON", '{"id": "a", "namespace": "old"}', '{"id": "a", "namespace": "new"}'],
  ["replaces a block", "id: a\nnamespace: >-\n  old\ntasks: []\n", "id: a\nnamespace: new\ntasks: []\n"],
  ["replaces an alias", "id: &n old\nnamespace: *n\n", "id: &n old\nnamespace: new\n"],
  ["keeps an anchor", "namespace: &n old\nid: a\n", "namespace: &n new\nid: a\n"],
  ["keeps CRLF", "id: a\r\nnamespace: old\r\n", "id: a\r\nnamespace: new\r\n"],
  [
    "edits tasks of the same namespaces",
    "namespace: old\ntasks:\n  - {id: s, type: io.kestra.core.tasks.flows.Subflow, namespace: old.sub, flowId: old}\n",
    "namespace: new\ntasks:\n  - {id: s, type: io.kestra.core.tasks.flows.Subflow, namespace: new.sub, flowId: old}\n",
  ],
  [
    "leaves data of tasks, other namespaces and texts alone",
    "namespace: old\ntasks:\n  - {id: s, type: io.svc.plugin.core.kv.Set, namespace: older, message: old, body: {namespace: old}}\n",
    "namespace: new\ntasks:\n  - {id: s, type: io.svc.plugin.core.kv.Set, namespace: older, message: old, body: {namespace: old}}\n",
  ],
  [
    "edits lists of namespaces",
    "namespace: old\ntasks:\n  - id: s\n    type: T\n    namespaceFiles:\n      namespaces: [x, old]\n",
    "namespace: new\ntasks:\n  - id: s\n    type: T\n    namespaceFiles:\n      namespaces: [x, new]\n",
  ],
];
for (const [rule, source, expected] of EDITS) {
  Deno.test(`renameNamespaces() ${rule}`, () =>
    assertEquals(renameNamespaces(source, RENAMED, "new"), expected));
}

Deno.test("renameNamespaces() quotes a name that YAML would read as something else", () => {
  for (const name of ["1.50", "2024", "true", "null", "1e5", "0x1f", "a.b", "no"]) {
    const source = renameNamespaces("id: a\nnamespace: old\n", new Map([["old", name]]), name);
    assertEquals(parseFlowSource(source).document?.namespace, name);
  }
});

const REFERENCES: readonly (readonly [source: string, expected: string])[] = [
  ["namespace: old\n", ""],
  ["a: {namespace: old, type: io.svc.plugin.core.kv.Get}", "1 old editable"],
  ["a: {namespaces: [old], type: io.kestra.core.tasks.log.Fetch}", "1 old editable"],
  ["a: {targetNamespace: old, type: io.svc.plugin.git.SyncFlows}", "1 old editable"],
  ["a: {namespace: old, type: io.svc.plugin.kubernetes.PodCreate}", "1 old"],
  ["a: {namespace: old, flowId: f, type: org.example.Own}", "1 old"],
  ["a: {namespace: old, type: io.svc.plugin.kestra.flows.List, kestraUrl: https://a.example}", "1 old"],
  ["a: {namespace: old, flowId: f}", "1 old editable"],
  ["a:\n  body: {namespace: old}", "2 old"],
  ["a: \"{{ kv('k', 'old.sub') }}\"", "1 old.sub"],
  ["a: \"{% if kv('k', namespace='old') %}x{% endif %}\"", "1 old"],
  ["a:\n  - \"{{ read('nsfile://old/f.txt') }}\"", "2 old"],
  ["a: nsfile://old/f.txt", "1 old"],
  ['a: the old one\nb: "{{ old }}"', ""],
  ["a: \"{{ kv('older') }}\"", ""],
  ["a: [", ""],
];
for (const [source, expected] of REFERENCES) {
  Deno.test(`namespaceReferences() of ${JSON.stringify(source)}`, () => {
    const found = namespaceReferences(source, [...RENAMED.keys()]);
    const shown = found.map(({ line, namespace, isEditable }) =>
      `${line} ${namespace}${isEditable ? " editable" : ""}`
    );
    assertEquals(shown.join(", "), expected);
  });
}
