import { assertEquals, assertThrows } from "@std/assert";
import { parseFlowSource, replaceTask } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";

const catalog = createTaskCatalog();
const RETURN = "io.svc.plugin.core.debug.Return";

function replace(source: string, task: string, taskId = "a"): string | undefined {
  return replaceTask(source, { taskId, task: parseFlowSource(task), catalog });
}

/** Rules; `a` is the replaced task. */
const EDITS: readonly (readonly [rule: string, source: string, task: string, expected: string])[] = [
  [
    "keeps comments and everything else",
    "# top\nid: f # note\ntasks:\n  # before\n  - id: a # old\n    type: x\n  # between\n  - id: b\n    type: y\n# end\n",
    '{"id": "a", "type": "z", "retries": 1}',
    "# top\nid: f # note\ntasks:\n  # before\n  - id: a\n    type: z\n    retries: 1\n  # between\n  - id: b\n    type: y\n# end\n",
  ],
  [
    "takes the text as it was sent, with its comments and block texts",
    "tasks:\n  - id: a\n    type: x\nerrors: []\n",
    "# why\nid: a\ntype: z\nscript: |\n  one\n\n    two\n",
    "tasks:\n  - # why\n    id: a\n    type: z\n    script: |\n      one\n\n        two\nerrors: []\n",
  ],
  [
    "replaces a block text at the end of the source",
    "tasks:\n- id: a\n  script: |\n    one\n    two\n",
    "id: a\nscript: |\n  three\n",
    "tasks:\n- id: a\n  script: |\n    three\n",
  ],
  [
    "replaces a task before another one without an empty line",
    "tasks:\n- id: a\n  script: |\n    one\n- id: b\n",
    "id: a",
    "tasks:\n- id: a\n- id: b\n",
  ],
  [
    "writes JSON into a flow mapping",
    "tasks: [{id: a, type: x}, {id: b}]\n",
    "id: a\nl: [1]",
    'tasks: [{"id":"a","l":[1]}, {id: b}]\n',
  ],
  [
    "keeps the line ends",
    "tasks:\r\n- id: a\r\n  type: x\r\n- id: b\r\n",
    "id: a\ntype: z",
    "tasks:\r\n- id: a\r\n  type: z\r\n- id: b\r\n",
  ],
  [
    "reads a task after a marker",
    "tasks:\n- id: a\n",
    "---\nid: a\ntype: z\n",
    "tasks:\n- id: a\n  type: z\n",
  ],
  ["reads an indented task", "tasks:\n- id: a\n", "  id: a\n  type: z\n", "tasks:\n- id: a\n  type: z\n"],
  [
    "keeps a source without a last line end",
    "tasks:\n- id: a",
    "id: a\ntype: z\n",
    "tasks:\n- id: a\n  type: z",
  ],
  [
    "writes the values of a block text that has no last line end",
    "tasks:\n- id: a\n- id: b\n",
    "id: a\nscript: |\n  one\n  two",
    "tasks:\n- id: a\n  script: |-\n    one\n    two\n- id: b\n",
  ],
  [
    "writes JSON where a block text would not end as it was sent",
    "tasks:\n- id: a",
    "id: a\nscript: |\n  one\n",
    'tasks:\n- {"id":"a","script":"one\\n"}',
  ],
  [
    "writes JSON for a block text that ends with empty lines",
    "tasks:\n- id: a\n  script: |\n    old\n- id: b\n",
    "id: a\nscript: |+\n  one\n\n",
    'tasks:\n- {"id":"a","script":"one\\n\\n"}\n- id: b\n',
  ],
  [
    "replaces a nested task",
    `tasks:\n- id: p\n  type: io.svc.plugin.core.flow.Parallel\n  tasks:\n    - id: a\n      type: ${RETURN}\n`,
    "id: a\ntype: z\n",
    "tasks:\n- id: p\n  type: io.svc.plugin.core.flow.Parallel\n  tasks:\n    - id: a\n      type: z\n",
  ],
  [
    "replaces the task of a Dag",
    `tasks:\n- id: d\n  type: io.svc.plugin.core.flow.Dag\n  tasks:\n    - task:\n        id: a\n        type: ${RETURN}\n      dependsOn: []\n`,
    "id: a\ntype: z\n",
    "tasks:\n- id: d\n  type: io.svc.plugin.core.flow.Dag\n  tasks:\n    - task:\n        id: a\n        type: z\n      dependsOn: []\n",
  ],
];

for (const [rule, source, task, expected] of EDITS) {
  Deno.test(`replaceTask() ${rule}`, () => assertEquals(replace(source, task), expected));
}

Deno.test("replaceTask() gives nothing for a task that the source does not have", () => {
  assertEquals(replace("tasks:\n- id: b\n", "id: a"), undefined);
});

Deno.test("replaceTask() refuses a task with an anchor that other parts refer to", () => {
  const source = "tasks:\n- &x {id: a, type: y}\n- <<: *x\n  id: b\n";
  const { code } = assertThrows(() => replace(source, "id: a\ntype: z\n"), DomainError, "refer to it");
  assertEquals(code, "conflict");
  assertEquals(
    replace(source, "id: b\ntype: z\n", "b"),
    "tasks:\n- &x {id: a, type: y}\n- id: b\n  type: z\n",
  );
});
