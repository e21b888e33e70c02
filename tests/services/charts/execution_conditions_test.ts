/** Filters mean the same as conditions of the catalog and as predicates over rows. */
import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { RowFacts } from "../../../src/store/catalog/rows/row.ts";
import {
  type ChartFilter,
  type ChartValue,
  type FieldFilter,
  FIELDS,
} from "../../../src/services/charts/chart.ts";
import { activeIn, executionConditions } from "../../../src/services/charts/execution_conditions.ts";
import { rowTest } from "../../../src/services/charts/row_filter.ts";
import { FLOWS, seeded } from "../../store/catalog/fixture.ts";
import { randomFacts, referenceQuery } from "../../store/catalog/reference.ts";

const NOW = Date.UTC(2026, 0, 15);
const random = seeded(3);
const ALL: RowFacts[] = Array.from({ length: 300 }, (_, index) => ({
  ...randomFacts(random, "main"),
  id: `id${index}`,
  startMs: NOW - Math.floor(random() * 10_000),
  kind: "NORMAL",
}));

const filter = (field: string, type: FieldFilter["type"], ...values: (string | number)[]): ChartFilter => {
  const labelKey = field === "LABELS" ? { labelKey: "key0" } : {};
  return { field, type, values, form: FIELDS.Executions.get(field) ?? "text", ...labelKey };
};
const or = (...anyOf: ChartFilter[]): ChartFilter => ({ type: "OR", anyOf });

function valueOf(facts: RowFacts, field: string): ChartValue {
  const { startMs, durationMs } = facts;
  const values: Record<string, ChartValue> = {
    ID: facts.id,
    NAMESPACE: FLOWS[facts.flowNo]?.namespace,
    FLOW_ID: FLOWS[facts.flowNo]?.id,
    STATE: facts.state,
    DURATION: durationMs,
    START_DATE: startMs,
    END_DATE: durationMs === undefined ? undefined : startMs + durationMs,
    TRIGGER_EXECUTION_ID: facts.triggerExecutionId,
    LABELS: facts.labels.find(({ key }) => key === "key0")?.value,
  };
  return values[field];
}

const CASES: readonly (readonly ChartFilter[])[] = [
  [filter("NAMESPACE", "EQUAL_TO", "company.team")],
  [filter("NAMESPACE", "NOT_EQUAL_TO", "company.team")],
  [filter("NAMESPACE", "IN", "company", "system")],
  [filter("NAMESPACE", "NOT_IN", "company", "system")],
  [filter("NAMESPACE", "PREFIX", "company")],
  [filter("NAMESPACE", "CONTAINS", "team")],
  [filter("NAMESPACE", "NOT_CONTAINS", ".team")],
  [filter("NAMESPACE", "NOT_CONTAINS", "o[")],
  [filter("FLOW_ID", "STARTS_WITH", "hello")],
  [filter("FLOW_ID", "ENDS_WITH", "l")],
  [filter("FLOW_ID", "REGEX", "^h.*d$")],
  [filter("FLOW_ID", "IS_NULL")],
  [filter("FLOW_ID", "IS_NOT_NULL")],
  [filter("ID", "IN", "id3", "id7")],
  [filter("ID", "NOT_CONTAINS", "1")],
  [filter("STATE", "IN", "FAILED", "PAUSED")],
  [filter("STATE", "NOT_EQUAL_TO", "SUCCESS")],
  [filter("STATE", "STARTS_WITH", "KILL")],
  [filter("DURATION", "GREATER_THAN", 1_000)],
  [filter("DURATION", "LESS_THAN_OR_EQUAL_TO", 1_000)],
  [filter("DURATION", "IS_NULL")],
  [filter("START_DATE", "GREATER_THAN_OR_EQUAL_TO", NOW - 5_000)],
  [filter("START_DATE", "IS_NULL")],
  [filter("START_DATE", "IN", ALL[0]?.startMs ?? 0, ALL[1]?.startMs ?? 0)],
  [filter("END_DATE", "LESS_THAN", NOW - 1_000)],
  [filter("END_DATE", "NOT_IN", ALL[0]?.startMs ?? 0, NOW)],
  [filter("END_DATE", "IS_NULL")],
  [filter("END_DATE", "IS_NOT_NULL")],
  [filter("TRIGGER_EXECUTION_ID", "EQUAL_TO", "parent-1")],
  [filter("TRIGGER_EXECUTION_ID", "NOT_IN", "parent-1", "parent-2")],
  [filter("TRIGGER_EXECUTION_ID", "IS_NOT_NULL")],
  [filter("LABELS", "EQUAL_TO", "a")],
  [filter("LABELS", "NOT_IN", "a", "b")],
  [or(filter("STATE", "EQUAL_TO", "FAILED"), filter("FLOW_ID", "EQUAL_TO", "etl"))],
  [
    or(filter("STATE", "EQUAL_TO", "FAILED"), filter("DURATION", "LESS_THAN", 100)),
    or(filter("NAMESPACE", "PREFIX", "company"), filter("FLOW_ID", "EQUAL_TO", "cleanup")),
    filter("FLOW_ID", "NOT_EQUAL_TO", "hello"),
  ],
];
for (const filters of CASES) {
  Deno.test(`executionConditions() selects what the rows of ${JSON.stringify(filters)} pass`, () => {
    const conditions = executionConditions(filters, { conditions: [], groups: [] });
    const query = { ...conditions, sort: [], page: 1, size: ALL.length };
    const test = rowTest(filters);
    const expected = ALL.filter((facts) => test((field) => valueOf(facts, field))).map(({ id }) => id);
    assertEquals(referenceQuery("main", ALL, query, NOW).ids.sort(), expected.sort());
  });
}

Deno.test("executionConditions() keeps the alternatives of a request", () => {
  const failed = { field: "state", states: ["FAILED"], negated: false } as const;
  const also = { conditions: [], groups: [[failed], []] };
  const { groups } = executionConditions(
    [or(filter("ID", "EQUAL_TO", "a"), filter("ID", "EQUAL_TO", "b"))],
    also,
  );
  const id = (value: string) => ({ field: "id", operator: "EQUALS", values: [value] }) as const;
  assertEquals(groups, [[failed, id("a")], [failed, id("b")], [id("a")], [id("b")]]);
});

Deno.test("executionConditions() refuses too many combinations of alternatives", () => {
  const eleven = or(...Array.from({ length: 11 }, (_, index) => filter("ID", "EQUAL_TO", `${index}`)));
  const run = () => executionConditions([eleven, eleven], { conditions: [], groups: [] });
  assertThrows(run, DomainError, "more than 100 combinations");
});

Deno.test("activeIn() selects executions that ran in the window", () => {
  const window = { start: NOW - 3_000, end: NOW - 1_000 };
  const query = { ...activeIn({ conditions: [], groups: [] }, window), sort: [], page: 1, size: ALL.length };
  const expected = ALL.filter(({ startMs, durationMs = Infinity }) =>
    startMs <= window.end && startMs + durationMs >= window.start
  );
  assertEquals(
    referenceQuery("main", ALL, query, NOW).ids.sort(),
    expected.map(({ id }) => id).sort(),
  );
});
