/** Filters of rows match patterns that viewers choose: no row holds the thread for long, and other work goes on after each. */
import { assertEquals, assertThrows } from "@std/assert";
import { parseFlowSource } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { FieldFilter } from "../../../src/services/charts/chart.ts";
import { readChartSource } from "../../../src/services/charts/chart_parser.ts";
import { Charts } from "../../../src/services/charts/charts.ts";
import { rowTest } from "../../../src/services/charts/row_filter.ts";
import { PacedQueue } from "../../../src/services/access/paced_queue.ts";
import type { Pace } from "../../../src/store/catalog/pace.ts";
import { Harness } from "../../support/harness.ts";

const ACTOR = { tenant: "main", user: "test" };
const ROWS = 5;
const FLOW = `id: say
namespace: demo
triggers: [${
  Array.from({ length: ROWS }, (_, i) =>
    `{id: t${i}, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 * * *"}`)
    .join(", ")
}]
tasks:
${
  Array.from({ length: ROWS }, (_, i) => `  - {id: l${i}, type: io.svc.plugin.core.log.Log, message: x}\n`)
    .join("")
}  - id: m
    type: io.svc.plugin.core.metric.Publish
    metrics: [${Array.from({ length: ROWS }, (_, i) => `{type: counter, name: n${i}, value: 1}`).join(", ")}]
`;
const NO_CONDITIONS = { conditions: [], groups: [] };
const NO_FILTERS = {
  fields: new Set<string>(),
  executions: NO_CONDITIONS,
  logs: NO_CONDITIONS,
  matchesFlow: () => true,
  matchesTrigger: () => true,
};

/** Some 50 moves a character. */
function costly(value: string): FieldFilter {
  return { field: "MESSAGE", type: "REGEX", form: "text", values: [`(a|b|c|d|e|f|g|h|a|a|a|a|a)*${value}`] };
}

Deno.test("rowTest() ends a pattern that takes too many moves for one row", () => {
  const test = rowTest([costly("z")]);
  const rowOf = (length: number) => () => "a".repeat(length);
  assertEquals(test(rowOf(1_000)), false);
  assertThrows(() => test(rowOf(40_000)), DomainError, "takes too long");
  assertEquals(test(rowOf(1_000)), false);
});

Deno.test("rowTest() gives all patterns of a row their moves together", () => {
  const filters = Array.from({ length: 20 }, () => costly("a"));
  const rowOf = (length: number) => () => "a".repeat(length);
  assertEquals(rowTest(filters.slice(0, 1))(rowOf(5_000)), true);
  assertThrows(() => rowTest(filters)(rowOf(5_000)), DomainError, "takes too long");
  const anyOf = [{ type: "OR", anyOf: Array.from({ length: 20 }, () => costly("z")) }] as const;
  assertThrows(() => rowTest(anyOf)(rowOf(5_000)), DomainError, "takes too long");
});

Deno.test("Charts.data() lets other work go on after each row", async (t) => {
  await using server = await Harness.start();
  await server.save(FLOW);
  for (let i = 1; i < ROWS; i++) await server.save(FLOW.replace("id: say", `id: say${i}`));
  await server.json("POST", "/executions/demo/say?wait=true");
  const { services } = server.assembly;
  for (const kind of ["Logs", "Metrics", "Flows", "Triggers"]) {
    await t.step(kind, async () => {
      let pauses = 0;
      const pace = {
        isDue: true,
        begin: () => Promise.resolve(),
        end: () => {},
        pause: () => Promise.resolve(void pauses++),
      };
      const deps = {
        ...services,
        queue: new PacedQueue(pace as unknown as Pace),
        clock: server.clock,
      };
      const source = "id: c\ntype: io.svc.plugin.core.dashboard.chart.Table\ndata:\n" +
        `  type: io.svc.plugin.core.dashboard.data.${kind}\n  columns: {n: {agg: COUNT}}\n`;
      const { chart } = readChartSource(parseFlowSource(source));
      const data = chart && await new Charts(deps).data(ACTOR, chart, { filters: NO_FILTERS });
      const rows = Number(data?.results[0]?.n);
      assertEquals([rows >= ROWS, pauses >= rows], [true, true], `${rows} rows, ${pauses} pauses`);
    });
  }
});
