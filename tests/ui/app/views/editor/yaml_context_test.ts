import { assertEquals } from "@std/assert";
import {
  declarationsIn,
  taskIdAt,
  typeAt,
  withoutOpenTemplate,
  yamlContext,
} from "../../../../../src/ui/app/views/editor/yaml_context.ts";

/** The cursor is at `|`: its levels as `key` or `key[]`, then what is written there. */
const PLACES: readonly (readonly [name: string, source: string, place: string])[] = [
  ["an empty source", "|", ": key "],
  ["a key of the flow", "id: a\nnam|", ": key nam"],
  ["a value of the flow", "id: a\nnamespace: de|", ": value namespace=de"],
  ["a key of an item", "tasks:\n  - id: a\n    ty|", ":tasks[]: key ty"],
  ["a key beside the dash", "tasks:\n  - i|", ":tasks[]: key i"],
  ["a value beside the dash", "tasks:\n  - type: io|", ":tasks[]: value type=io"],
  ["an item without indentation", "tasks:\n- id: a\n  ty|", ":tasks[]: key ty"],
  ["the second item", "tasks:\n  - id: a\n  - id: b\n    ty|", ":tasks[]: key ty"],
  [
    "a task in a task",
    "tasks:\n  - id: all\n    tasks:\n      - id: a\n        ty|",
    ":tasks[]:tasks[]: key ty",
  ],
  ["a map in a task", "tasks:\n  - id: a\n    retry:\n      ma|", ":tasks[]:retry: key ma"],
  ["a key after a deeper map", "tasks:\n  - id: a\n    retry:\n      max: 1\n    ty|", ":tasks[]: key ty"],
  ["a key after a block", "tasks:\n  - id: a\n    script: |\n      x: 1\n    ty|", ":tasks[]: key ty"],
  ["a key after a list", "tasks:\n  - id: a\ntri|", ": key tri"],
];

Deno.test("yamlContext() finds the maps around a position", () => {
  for (const [name, marked, place] of PLACES) {
    const offset = marked.lastIndexOf("|");
    const source = marked.slice(0, offset) + marked.slice(offset + 1);
    const { levels, kind, key, prefix } = yamlContext(source, offset);
    const path = levels.slice(1).map(({ key, isItem }) => `:${key}${isItem ? "[]" : ""}`).join("");
    const written = kind === "key" ? `key ${prefix.trimStart()}` : `value ${key}=${prefix}`;
    assertEquals(`${path}: ${written}`, place, name);
  }
});

Deno.test("yamlContext() knows keys below the position, too", () => {
  const source = "tasks:\n  - id: a\n    \n    type: core.log.Log\n  - id: b\n";
  const { levels } = yamlContext(source, source.indexOf("    \n") + 4);
  assertEquals([...levels.at(-1)?.entries ?? []], [["id", "a"], ["type", "core.log.Log"]]);
});

Deno.test("typeAt() and taskIdAt() give the innermost task, also from within its properties", () => {
  const source = "tasks:\n  - id: all\n    type: core.flow.Parallel\n    tasks:\n      - id: one\n" +
    "        type: core.log.Log\n        retry:\n          type: constant\n          maxAttempts: 3\n    timeout: PT1S\n";
  const at = (text: string) => source.indexOf(text) + 1;
  assertEquals([typeAt(source, at("maxAttempts")), taskIdAt(source, at("maxAttempts"))], [
    "core.log.Log",
    "one",
  ]);
  assertEquals([typeAt(source, at("timeout")), taskIdAt(source, at("timeout"))], [
    "core.flow.Parallel",
    "all",
  ]);
  const dash = source.indexOf("- id: one");
  assertEquals([typeAt(source, dash + 2), taskIdAt(source, dash + 6)], ["core.log.Log", "one"]);
  assertEquals(typeAt(source, 1), undefined);
});

Deno.test("withoutOpenTemplate() closes the template of a line and leaves the others", () => {
  const cases = [
    ["a: 1\nm: {{ in|\nb: 2", 'a: 1\nm: "{{ 1 }}"\nb: 2'],
    ["- {{ |}}", '- "{{ 1 }}"'],
    ['m: "{{ a }} {{ |"', 'm: "{{ 1 }}"'],
  ];
  for (const [marked = "", expected] of cases) {
    assertEquals(withoutOpenTemplate(marked.replace("|", ""), marked.indexOf("|")), expected);
  }
});

Deno.test("declarationsIn() gives tasks and triggers with their places, and no inputs", () => {
  const source =
    "id: flow\ninputs:\n  - id: all\n    type: STRING\ntasks:\n  - type: core.flow.Parallel\n    id: all\n" +
    "    tasks:\n      - id: one\n        type: core.log.Log\n        message: |\n          - id: no\n" +
    "            type: core.log.Log\n\n      # - id: comment\n      - {id: two, type: core.log.Log}\n" +
    "triggers:\n- id: daily\n  type: core.trigger.Schedule\n";
  assertEquals(
    declarationsIn(source).map(({ id, type, offset }) => [id, type, source.slice(offset, offset + 7)]),
    [
      ["all", "core.flow.Parallel", "id: all"],
      ["one", "core.log.Log", "id: one"],
      ["two", "core.log.Log", "id: two"],
      ["daily", "core.trigger.Schedule", "id: dai"],
    ],
  );
});
