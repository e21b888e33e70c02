/** Types that transform records: results, files, counts and errors. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { stringifyJson } from "../../../src/base/json.ts";
import { sourceOf } from "../../../src/integrations/transform/records.ts";
import { TRANSFORM_TASKS } from "../../../src/integrations/transform/registry.ts";
import type { TaskContext, TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const FILE = "kestra:///demo/rows.ion";

function task(name: string): TaskDefinition {
  return TRANSFORM_TASKS.find(({ type }) => type === `transform.${name}`) as TaskDefinition;
}

interface Case {
  readonly rule: string;
  readonly type: string;
  readonly properties: JsonObject;
  /** JSON of the records. */
  readonly records: string;
  readonly metrics?: JsonObject;
}

const ROWS = [{ id: 1, total: 120, tags: ["x", "y"] }, { id: 2, total: 70, tags: [] }];
const MIXED: JsonObject[] = [{ a: "1" }, { a: "one" }, { b: 1 }];

const CASES: readonly Case[] = [
  {
    rule: "Map computes fields with types",
    type: "Map",
    properties: { from: ROWS, fields: { key: { expr: "id", type: "STRING" }, double: "total * 2" } },
    records: '[{"key":"1","double":240},{"key":"2","double":140}]',
    metrics: { processed: 2, failed: 0, dropped: 0 },
  },
  {
    rule: "Map reads records from JSON text and keeps the original fields",
    type: "Map",
    properties: { from: '[{"a": 1, "b": null}]', fields: { c: "a" }, keepOriginalFields: true },
    records: '[{"a":1,"c":1}]',
  },
  {
    rule: "Map leaves out records with an error",
    type: "Map",
    properties: { from: MIXED, fields: { n: { expr: "a", type: "INT" } }, onError: "SKIP" },
    records: '[{"n":1}]',
    metrics: { processed: 3, failed: 2, dropped: 2 },
  },
  {
    rule: "Map makes fields with an error null",
    type: "Map",
    properties: {
      from: MIXED,
      fields: { n: { expr: "a", type: "INT" } },
      onError: "NULL",
      dropNulls: false,
    },
    records: '[{"n":1},{"n":null},{"n":null}]',
  },
  {
    rule: "Map accepts null for an optional field",
    type: "Map",
    properties: {
      from: { a: 1 },
      fields: { n: { expr: "b", type: "INT", optional: true } },
      dropNulls: false,
    },
    records: '[{"n":null}]',
  },
  {
    rule: "Unnest makes a record of each element",
    type: "Unnest",
    properties: { from: ROWS, path: "tags[]", as: "tag" },
    records: '[{"id":1,"total":120,"tag":"x"},{"id":1,"total":120,"tag":"y"}]',
    metrics: { processed: 2, failed: 0, dropped: 0 },
  },
  {
    rule: "Unnest removes the list from an inner map, and keeps the rest of it",
    type: "Unnest",
    properties: { from: { p: { items: [1], k: 2 } }, path: "p.items[]", as: "item" },
    records: '[{"p":{"k":2},"item":1}]',
  },
  {
    rule: "Unnest gives a null element for what is not a list",
    type: "Unnest",
    properties: {
      from: { items: 1 },
      path: "items[]",
      as: "item",
      onError: "NULL",
      keepOriginalFields: false,
    },
    records: '[{"item":null}]',
  },
  {
    rule: "Filter keeps records for which the expression is true",
    type: "Filter",
    properties: { from: ROWS, where: "total > 100 && id in (1, 3)" },
    records: '[{"id":1,"total":120,"tags":["x","y"]}]',
    metrics: { processed: 2, passed: 1, dropped: 1, failed: 0 },
  },
  {
    rule: "Filter keeps records whose expression fails, with KEEP",
    type: "Filter",
    properties: { from: MIXED, where: "toInt(a) > 1", onError: "KEEP" },
    records: '[{"a":"one"},{"b":1}]',
    metrics: { processed: 3, passed: 2, dropped: 1, failed: 2 },
  },
  {
    rule: "Select joins by position, filters and computes",
    type: "Select",
    properties: {
      inputs: [ROWS, [{ name: "Ann" }, { name: "Bob" }], '[{"score": 0.9}, {"score": 0.4}]'],
      where: "total > 100 && $3.score > 0.8",
      fields: { orderId: "id", customer: "$2.name" },
      keepInputFields: [3],
    },
    records: '[{"score":0.9,"orderId":1,"customer":"Ann"}]',
    metrics: { processed: 2, passed: 1, dropped: 1, failed: 0 },
  },
  {
    rule: "Select stops at the shortest source with SKIP",
    type: "Select",
    properties: { inputs: [[{ a: 1 }, { a: 2 }], [{ b: 1 }]], onLengthMismatch: "SKIP" },
    records: '[{"a":1,"b":1}]',
  },
  {
    rule: "Zip keeps the later value of a field with RIGHT",
    type: "Zip",
    properties: { inputs: [[{ a: 1, b: 1 }], [{ b: 2 }]], onConflict: "RIGHT" },
    records: '[{"a":1,"b":2}]',
    metrics: { processed: 1, failed: 0, dropped: 0 },
  },
  {
    rule: "Zip leaves out records with a conflict with SKIP",
    type: "Zip",
    properties: { inputs: [[{ a: 1 }, { b: 1 }], [{ a: 2 }, { c: 2 }]], onError: "SKIP" },
    records: '[{"b":1,"c":2}]',
    metrics: { processed: 2, failed: 1, dropped: 1 },
  },
  {
    rule: "Aggregate computes each function by group",
    type: "Aggregate",
    properties: {
      from: '[{"c": "x", "n": 1}, {"c": "y", "n": 5}, {"c": "x", "n": 2.5}, {"c": "x", "n": null}]',
      groupBy: ["c"],
      aggregates: {
        count: { expr: "count()", type: "INT" },
        sum: "sum(n)",
        mean: "avg(n)",
        least: "min(n)",
        most: "max(n)",
        first: "first(n)",
        last: "last(n)",
      },
    },
    records:
      '[{"c":"x","count":3,"sum":3.5,"mean":1.75,"least":1,"most":2.5,"first":1,"last":null},{"c":"y","count":1,"sum":5,"mean":5,"least":5,"most":5,"first":5,"last":5}]',
    metrics: { processed: 4, groups: 2, failed: 0 },
  },
  {
    rule: "Aggregate leaves out records with an error entirely",
    type: "Aggregate",
    properties: {
      from: [{ n: 1 }, { n: "x" }],
      groupBy: ["g"],
      aggregates: { count: "count()", sum: "sum(n)" },
      onError: "SKIP",
    },
    records: '[{"g":null,"count":1,"sum":1}]',
    metrics: { processed: 2, groups: 1, failed: 1 },
  },
  {
    rule: "Aggregate makes a result with an error null",
    type: "Aggregate",
    properties: {
      from: [{ n: 1 }, { n: "x" }],
      groupBy: ["g"],
      aggregates: { count: "count()", sum: "sum(n)" },
      onError: "NULL",
    },
    records: '[{"g":null,"count":2,"sum":null}]',
  },
];

for (const { rule, type, properties, records, metrics } of CASES) {
  Deno.test(rule, async () => {
    const run = await runDefinition(task(type), properties);
    assertEquals(stringifyJson(run.outputs.records), records);
    if (metrics) assertEquals(run.metrics, metrics);
  });
}

const REFUSED: readonly (readonly [type: string, properties: JsonObject, message: string])[] = [
  ["Map", { from: "text", fields: { a: "b" } }, "Cannot read the records: they must be"],
  ["Map", { from: [1], fields: { a: "b" } }, "record 1 is not a map"],
  ["Map", { from: MIXED, fields: { n: { expr: "a", type: "INT" } } }, 'Cannot compute the field "n"'],
  ["Map", { from: {}, fields: { n: { expr: "a", type: "DATE" } } }, 'the type of "n" must be one of STRING'],
  ["Unnest", { from: { a: 1 }, path: "a", as: "b" }, 'Cannot unnest "a": it is not a list'],
  ["Filter", { from: { a: 1 }, where: "a" }, 'Cannot filter by "a": the value is not a boolean'],
  ["Zip", { inputs: [[{ a: 1 }]] }, "Invalid inputs: there must be 2 to 50"],
  ["Zip", { inputs: [[{ a: 1 }], [{ a: 1 }]] }, 'Cannot join the records: "a" is in several of them'],
  ["Zip", { inputs: [[{ a: 1 }, { a: 2 }], [{ b: 1 }]] }, "input 2 has only 1 records"],
  ["Aggregate", { from: {}, groupBy: ["a"], aggregates: { n: "median(a)" } }, '"n" must be one of count()'],
];

for (const [type, properties, message] of REFUSED) {
  Deno.test(`${type} fails: ${message}`, async () => {
    await assertRejects(() => runDefinition(task(type), properties), Error, message);
  });
}

for (const { type } of TRANSFORM_TASKS.filter(({ outputs }) => Object.hasOwn(outputs ?? {}, "records"))) {
  Deno.test(`${type} writes a file where it reads one, and records where they are asked for`, async () => {
    const properties: JsonObject = type.endsWith("Zip") || type.endsWith("Select")
      ? { inputs: [FILE, [{ b: 1 }, { b: 2 }]] }
      : { from: FILE };
    Object.assign(properties, {
      fields: { a: "a" },
      path: "list",
      as: "a",
      where: "true",
      groupBy: ["a"],
      aggregates: { n: "count()" },
    });
    const files = { [FILE]: '{a: 1, list: [1]}\n[{"a": 2, "list": [2]}]\n' };
    const definition = TRANSFORM_TASKS.find((each) => each.type === type) as TaskDefinition;
    const stored = await runDefinition(definition, properties, { files });
    assertEquals(stored.outputs.records, undefined);
    assertEquals([...stored.files.values()][0]?.split("\n").length, 3);
    const given = await runDefinition(definition, { ...properties, outputType: "RECORDS" }, { files });
    assertEquals((given.outputs.records as unknown[]).length, 2);
  });
}

Deno.test("records that are too large together are no output: a small source can multiply", async () => {
  const from = { text: "x".repeat(1024 * 1024), items: Array.from({ length: 40 }, () => 0) };
  await assertRejects(
    () => runDefinition(task("Unnest"), { from, path: "items[]", as: "item" }),
    Error,
    "Cannot fetch the rows: they have more than 33554432 characters; store them in a file, with STORE",
  );
});

Deno.test("Aggregate refuses groups whose common values take too much memory", async () => {
  const long = "x".repeat(24 * 1024 * 1024);
  const rows = [1, 2, 3].map((n) => `{"a":"${n}${long}"}\n`).join("");
  await assertRejects(
    () =>
      runDefinition(task("Aggregate"), { from: FILE, groupBy: ["a"], aggregates: { n: "count()" } }, {
        files: { [FILE]: rows },
      }),
    Error,
    "Cannot aggregate: groupBy has values of more than 67108864 characters",
  );
});

Deno.test("Aggregate refuses more than 4,000,000 aggregates of all groups", async () => {
  const run = (count: number) => {
    const aggregates = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, "count()"]));
    const rows = Array.from({ length: count }, (_, i) => `{"a":${i}}\n`).join("");
    const files = { [FILE]: rows };
    return runDefinition(task("Aggregate"), { from: FILE, groupBy: ["a"], aggregates, output: "STORE" }, {
      files,
    });
  };
  assertEquals((await run(100)).metrics.groups, 100);
  await assertRejects(() => run(4_001), Error, "1000 aggregates of all groups are more than 4000000");
});

Deno.test("Map gives the fields of one record their steps together", async () => {
  const fields = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, "sum(list)"]));
  const list = Array(100_000).fill(1);
  await assertRejects(
    () => runDefinition(task("Map"), { from: [{ list }], fields }),
    Error,
    "take more than 10000000 steps",
  );
  const rows = Array.from({ length: 3 }, () => ({ list }));
  const { outputs } = await runDefinition(task("Map"), { from: rows, fields: { sum: "sum(list)" } });
  assertEquals(stringifyJson(outputs.records ?? null), '[{"sum":100000},{"sum":100000},{"sum":100000}]');
});

Deno.test("sourceOf() lets others run between the records of a list", async () => {
  const list = Array.from({ length: 20 }, () => ({ a: 1 }));
  const { records } = await sourceOf({} as TaskContext, list);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  try {
    for await (const _ of records) {
      for (const end = performance.now() + 11; performance.now() < end;);
    }
  } finally {
    clearInterval(timer);
  }
  assertNotEquals(ticks, 0);
});
