import { assertEquals } from "@std/assert";
import { nameAt } from "../../../../../src/ui/app/views/editor/name_completion.ts";
import { yamlContext } from "../../../../../src/ui/app/views/editor/yaml_context.ts";

/** A source up to the cursor, and what is being written there. */
const PLACES: readonly (readonly [source: string, kind: string | undefined, written?: string])[] = [
  [`message: "{{ kv('re`, "kv", "re"],
  [`message: '{{ secret("`, "secrets", ""],
  [`message: "{{ read('scripts/m`, "files", "scripts/m"],
  [`message: "{{ 1 }} {{ fileURI( 'a`, "files", "a"],
  [`message: "{% if isFileEmpty('a`, "files", "a"],
  [`message: "{{ kv('a') ~ other('b`, undefined],
  [`message: "read('a`, undefined],
  [`message: "{{ kv('a') }} read('b`, undefined],
  ["from: nsfile:///scripts/", "files", "scripts/"],
  ["tasks:\n  - id: a\n    namespaceFiles:\n      include:\n        - scripts/m", "files", "scripts/m"],
  [`tasks:\n  - id: a\n    namespaceFiles:\n      exclude:\n        - "scr`, "files", "scr"],
  ["tasks:\n  - id: a\n    include:\n      - scr", undefined],
  ["tasks:\n  - id: a\n    namespaceFiles:\n      include: ", undefined],
];

Deno.test("nameAt() finds names of KV pairs, secrets and files", () => {
  for (const [source, kind, written] of PLACES) {
    const before = source.slice(source.lastIndexOf("\n") + 1);
    const found = nameAt(before, yamlContext(source, source.length));
    assertEquals([found?.kind, found?.written], [kind, written], source);
  }
});
