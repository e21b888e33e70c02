/** Plain functions behind the dashboard and the lists. */
import { assertEquals } from "../../support/assert.ts";
import type { StateInfo } from "../../../src/ui/app/api/entities.ts";
import {
  axisMaximum,
  fractionMaximum,
  tickIndexes,
} from "../../../src/ui/app/views/dashboard/chart_scale.ts";
import { metricValues, rankFromTop, summaryOf } from "../../../src/ui/app/views/dashboard/dashboard_data.ts";
import { bulkRequest, labelsIn } from "../../../src/ui/app/views/executions/bulk_request.ts";
import { segmentsOf, spanOf } from "../../../src/ui/app/views/executions/mini_gantt.tsx";
import { filterQuery } from "../../../src/ui/app/kit/filter_query.ts";
import { EXECUTION_FILTERS } from "../../../src/ui/app/views/executions/execution_filters.ts";
import { logQuery } from "../../../src/ui/app/views/logs/log_filters.ts";

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
const RAN: StateInfo = {
  current: "SUCCESS",
  histories: [
    { state: "CREATED", date: at(10) },
    { state: "QUEUED", date: at(10) },
    { state: "RUNNING", date: at(14) },
    { state: "SUCCESS", date: at(20) },
  ],
  startDate: at(10),
  endDate: at(20),
  duration: 10,
};
const RUNS: StateInfo = {
  ...RAN,
  current: "RUNNING",
  histories: [{ state: "RUNNING", date: at(14) }],
  endDate: undefined,
};

Deno.test("segmentsOf() gives the time in each state; states that took none are left out", () => {
  assertEquals(segmentsOf(RAN, 99_000), [
    { state: "QUEUED", from: 10_000, to: 14_000 },
    { state: "RUNNING", from: 14_000, to: 20_000 },
  ]);
  assertEquals(segmentsOf(RUNS, 30_000), [{ state: "RUNNING", from: 14_000, to: 30_000 }]);
});

Deno.test("segmentsOf() gives an instant for an execution that took no time", () => {
  const failed: StateInfo = {
    ...RAN,
    current: "FAILED",
    histories: [{ state: "FAILED", date: at(10) }],
    endDate: at(10),
  };
  assertEquals(segmentsOf(failed, 0), [{ state: "FAILED", from: 10_000, to: 10_000 }]);
});

Deno.test("spanOf() covers all executions, those in progress until now", () => {
  assertEquals(spanOf([RAN, RUNS], 30_000), { from: 10_000, to: 30_000 });
});

Deno.test("bulkRequest() by ids and by filters", () => {
  const ids = { count: 2, ids: ["a", "b"] };
  const filters = { count: 51, filters: { state: ["FAILED"] } };
  const labels = [{ key: "team", value: "sales" }];
  const cases = [
    [{ name: "restart" }, ids, ["POST", "/executions/restart/by-ids", { newStatus: undefined }, ids.ids]],
    [{ name: "kill" }, filters, ["DELETE", "/executions/kill/by-query", {
      state: ["FAILED"],
      newStatus: undefined,
    }, undefined]],
    [{ name: "delete" }, ids, ["DELETE", "/executions/by-ids", { newStatus: undefined }, ids.ids]],
    [{ name: "labels", labels }, ids, ["POST", "/executions/labels/by-ids", { newStatus: undefined }, {
      executionsId: ids.ids,
      executionLabels: labels,
    }]],
    [{ name: "labels", labels }, filters, ["POST", "/executions/labels/by-query", {
      state: ["FAILED"],
      newStatus: undefined,
    }, labels]],
    [{ name: "change-status", state: "WARNING" }, ids, ["POST", "/executions/change-status/by-ids", {
      newStatus: "WARNING",
    }, ids.ids]],
  ] as const;
  for (const [action, target, expected] of cases) {
    const { method, path, query, body } = bulkRequest(action, target);
    assertEquals<unknown>([method, path, query, body], expected);
  }
});

Deno.test("labelsIn() reads labels, and refuses other texts", () => {
  const cases = [
    ["team:sales, url: http://x ,", [{ key: "team", value: "sales" }, { key: "url", value: "http://x" }]],
    ["a:1\nb:2", [{ key: "a", value: "1" }, { key: "b", value: "2" }]],
    ["team", undefined],
    ["team:", undefined],
    ["a:1, b", undefined],
    ["", undefined],
  ] as const;
  for (const [text, expected] of cases) assertEquals<unknown>(labelsIn(text), expected, text);
});

Deno.test("axisMaximum() and tickIndexes() give round numbers and even steps", () => {
  const maxima = [[0, 2], [1, 2], [3, 4], [7, 10], [10, 10], [11, 20], [250, 400], [999, 1_000]] as const;
  for (const [value, expected] of maxima) assertEquals(axisMaximum(value), expected);
  assertEquals(tickIndexes(7, 6), [0, 2, 4, 6]);
  assertEquals(tickIndexes(60, 6), [0, 10, 20, 30, 40, 50]);
  assertEquals(tickIndexes(3, 6), [0, 1, 2]);
});

Deno.test("fractionMaximum() is a fraction below 2, else as for counts", () => {
  const maxima = [[0, 2], [0.05, 0.1], [0.3, 0.4], [0.5, 1], [1.5, 2], [3, 4], [11, 20]] as const;
  for (const [value, expected] of maxima) assertEquals(fractionMaximum(value), expected);
});

Deno.test("rankFromTop() finds a percentile in a list that begins with the largest value", () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => count - index);
  const cases = [[1, 50, 1], [1, 95, 1], [2, 50, 1], [10, 50, 5], [10, 95, 10], [100, 95, 95]] as const;
  for (const [count, percent, expected] of cases) {
    assertEquals(values(count)[rankFromTop(count, percent) - 1], expected, `${percent} of ${count}`);
  }
});

Deno.test("summaryOf() adds up the parts of a range", () => {
  const part = (executionCounts: object) => ({
    startDate: at(0),
    groupBy: "minute" as const,
    executionCounts,
  });
  assertEquals(summaryOf([part({ SUCCESS: 2, RUNNING: 1 }), part({ WARNING: 1, FAILED: 1, SUCCESS: 0 })]), {
    total: 5,
    ended: 4,
    failed: 1,
    successRate: 0.75,
    states: [["RUNNING", 1], ["SUCCESS", 2], ["WARNING", 1], ["FAILED", 1]],
  });
  assertEquals(summaryOf([part({ RUNNING: 1 })]).successRate, undefined);
});

Deno.test("metricValues() reads values without labels", () => {
  const text = '# HELP x y\nsluice_store_bytes 12\nsluice_flows{tenant="main"} 4\nseconds 0.5\n';
  assertEquals([...metricValues(text)], [["sluice_store_bytes", 12], ["seconds", 0.5]]);
});

Deno.test("logQuery() searches the last hour unless the address bounds the search", () => {
  const query = (text: string) => logQuery(new URLSearchParams(text));
  const range = "filters[timeRange][EQUALS]";
  assertEquals<unknown>(query(""), { [range]: "PT1H" });
  assertEquals<unknown>(query("q=a&other=b"), { q: ["a"], [range]: "PT1H" });
  assertEquals<unknown>(query("timeRange=P7D"), { [range]: ["P7D"] });
  assertEquals<unknown>(query("executionId=x&triggerId="), { executionId: ["x"] });
});

Deno.test("lists of executions and log lines send all times as filters, which apply together", () => {
  const address = new URLSearchParams("timeRange=PT1H&startDate=2026-01-01&endDate=2026-01-02");
  const range = { "filters[timeRange][EQUALS]": ["PT1H"] };
  assertEquals<unknown>(filterQuery(EXECUTION_FILTERS, address), range);
  assertEquals<unknown>(logQuery(address), {
    ...range,
    "filters[startDate][GREATER_THAN_OR_EQUAL_TO]": ["2026-01-01"],
    "filters[endDate][LESS_THAN_OR_EQUAL_TO]": ["2026-01-02"],
  });
});
