import { assertEquals, assertStrictEquals } from "@std/assert";
import {
  deprecationsOf,
  isDeprecation,
  parseFlowSource,
  problemsError,
  problemsText,
  validateFlow,
} from "../../../src/flow/mod.ts";
import { catalogs, VALID } from "../flow_support.ts";

const problemsFor = (source: string) => validateFlow(parseFlowSource(source), catalogs);

Deno.test("problemsError() joins the problems, positions as ids, and lists them as they are", () => {
  const source = `id: f\ntasks:\n- {id: log, type: io.svc.plugin.core.log.Log}\n- {id: no id, type: x.Y}\n`;
  const error = problemsError(problemsFor(source));
  assertStrictEquals(error.code, "invalid_entity");
  assertStrictEquals(
    error.message,
    "Invalid entity: namespace: must not be null, tasks[log].message: must not be null, " +
      'tasks[1].id: must match "^[a-zA-Z0-9][a-zA-Z0-9_-]*", tasks[1].type: Invalid type: x.Y',
  );
  assertEquals(error.items, [
    { path: "namespace", message: "must not be null", line: 1, column: 1 },
    { path: "tasks[0].message", message: "must not be null", line: 3, column: 3 },
    { path: "tasks[1].id", message: 'must match "^[a-zA-Z0-9][a-zA-Z0-9_-]*"', line: 4, column: 8 },
    { path: "tasks[1].type", message: "Invalid type: x.Y", line: 4, column: 21 },
  ]);
});

Deno.test("problemsError() names the place of the first mistake in a malformed source", () => {
  const error = problemsError(problemsFor("id: a\nid: b\nid: c\n"));
  assertStrictEquals(error.code, "invalid_entity");
  assertStrictEquals(error.message, "Illegal flow yaml: Duplicate field 'id' at line 2, column 1");
  assertEquals(error.items.length, 2);
});

Deno.test("problemsError() takes problems without shown paths", () => {
  const error = problemsError([{ code: "x", message: "is wrong", path: "tasks[0]", severity: "error" }]);
  assertStrictEquals(error.message, "Invalid entity: tasks[0]: is wrong");
});

Deno.test("problemsText() leaves warnings out", () => {
  const problems = problemsFor(VALID.replace("message: m", "message: m, assets: []"));
  assertStrictEquals(problems.length, 1);
  assertStrictEquals(problemsText(problems), undefined);
});

Deno.test("problemsText() joins at most 100 problems", () => {
  const text = problemsText(
    problemsFor(VALID + Array.from({ length: 150 }, (_, i) => `x${i}: 1\n`).join("")),
  );
  assertStrictEquals(text?.split(", ").length, 100);
});

const OLD_SOURCE = `id: f
namespace: n
inputs:
- {name: a, type: ENUM, values: [x]}
tasks:
- {id: echo, type: core.debug.Echo}
- {id: old, type: io.kestra.core.tasks.log.Log, message: x, version: 1}
- {id: schemas, type: test.Schemas, older: 1, outdated: x}
triggers:
- {id: w, type: io.svc.core.models.triggers.types.Webhook, key: long-enough-for-a-key}
`;

Deno.test("deprecationsOf() lists deprecations in the order of the source", () => {
  const problems = validateFlow(parseFlowSource(OLD_SOURCE), catalogs);
  assertEquals(deprecationsOf(problems), {
    paths: ["inputs[0].name", "tasks[0]", "tasks[2].older", "tasks[2].outdated"],
    replacements: [
      "ENUM is replaced by SELECT",
      "io.kestra.core.tasks.log.Log is replaced by io.kestra.plugin.core.log.Log",
      "io.svc.core.models.triggers.types.Webhook is replaced by io.svc.plugin.core.trigger.Webhook",
    ],
  });
  const others = problems.filter((problem) => !isDeprecation(problem)).map(({ path }) => path);
  assertEquals(others, ["tasks[1].version"]);
});
