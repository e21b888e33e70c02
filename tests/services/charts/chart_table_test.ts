import { assertEquals, assertThrows } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { ChartColumn, ChartOrder, ChartQuery, ChartValue } from "../../../src/services/charts/chart.ts";
import { ChartTable, type PageChoice, pageOf } from "../../../src/services/charts/chart_table.ts";

const DAY = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
const ROWS: readonly Record<string, ChartValue>[] = [
  { DATE: DAY + HOUR_MS, LEVEL: "INFO", VALUE: 2 },
  { DATE: DAY + 2 * HOUR_MS, LEVEL: "INFO", VALUE: 3 },
  { DATE: DAY - HOUR_MS, LEVEL: "ERROR", VALUE: undefined },
  { DATE: DAY + 3 * HOUR_MS, LEVEL: undefined, VALUE: 10 },
];
const date: ChartColumn = { name: "date", field: "DATE", form: "date" };
const level: ChartColumn = { name: "level", field: "LEVEL", form: "text" };
const count: ChartColumn = { name: "n", form: "number", agg: "COUNT" };
const value = (agg: ChartColumn["agg"]): ChartColumn => ({ name: "v", field: "VALUE", form: "number", agg });

function results(
  columns: readonly ChartColumn[],
  orderBy: readonly ChartOrder[] = [],
  page?: PageChoice,
): string {
  const query: ChartQuery = { kind: "Logs", columns, where: [], orderBy };
  const table = new ChartTable(query, "day");
  for (const row of ROWS) table.add((field) => row[field]);
  const { results, total } = pageOf(query, table.rows(), page);
  return `${stringifyJson(results)} of ${total}`;
}

Deno.test("ChartTable groups dates by their day, in order", () => {
  assertEquals(
    results([date, count]),
    '[{"date":"2026-01-04T00:00:00.000Z","n":1},{"date":"2026-01-05T00:00:00.000Z","n":3}] of 2',
  );
});

Deno.test("ChartTable puts groups without a value last in every direction", () => {
  const rows = (order: string) => `[${order}] of 3`;
  const [error, info, none] = ['{"level":"ERROR","n":1}', '{"level":"INFO","n":2}', '{"level":null,"n":1}'];
  assertEquals(results([level, count]), rows(`${error},${info},${none}`));
  assertEquals(
    results([level, count], [{ column: "level", descending: true }]),
    rows(`${info},${error},${none}`),
  );
  assertEquals(
    results([level, count], [{ column: "n", descending: true }]),
    rows(`${info},${error},${none}`),
  );
});

/** The value of each aggregation, over all rows. */
const AGGREGATED: readonly (readonly [agg: NonNullable<ChartColumn["agg"]>, expected: string])[] = [
  ["COUNT", "3"],
  ["SUM", "15"],
  ["AVG", "5.0"],
  ["MIN", "2"],
  ["MAX", "10"],
  ["P50", "3"],
  ["P95", "10"],
];
for (const [agg, expected] of AGGREGATED) {
  Deno.test(`ChartTable gives ${expected} as ${agg} of the values that exist`, () => {
    assertEquals(results([value(agg)]), `[{"v":${expected}}] of 1`);
  });
}

Deno.test("ChartTable has null for the sum of no values, and 0 for their count", () => {
  assertEquals(
    results([level, value("SUM")]),
    '[{"level":"ERROR","v":null},{"level":"INFO","v":5},{"level":null,"v":10}] of 3',
  );
});

Deno.test("ChartTable shows rows without aggregation as they come, in pages", () => {
  assertEquals(results([level], [], { page: 2, size: 1 }), '[{"level":"INFO"}] of 4');
  assertEquals(results([level], [], { page: 9, size: 1 }), "[] of 4");
});

Deno.test("ChartTable gives durations in seconds", () => {
  const duration: ChartColumn = { name: "d", field: "VALUE", form: "duration", agg: "SUM" };
  assertEquals(results([duration]), '[{"d":0.015}] of 1');
});

Deno.test("ChartTable refuses more rows than it may keep", () => {
  const table = new ChartTable({ columns: [level] }, "day");
  assertThrows(
    () => {
      for (let row = 0; row <= 50_000; row++) table.add(() => "x");
    },
    DomainError,
    "more than 50000 rows",
  );
});
