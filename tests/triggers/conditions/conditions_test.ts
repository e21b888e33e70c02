import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { isJsonObject, type JsonObject } from "../../../src/base/json.ts";
import { canonicalType } from "../../../src/model/flows/flow.ts";
import type { ConditionScope, ObservedExecution } from "../../../src/model/triggers/trigger_catalog.ts";
import { untimedBudget } from "../../../src/languages/regex/mod.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const catalog = createTriggerCatalog();

/** A Thursday. */
const DATE = Date.UTC(2026, 0, 15, 10, 30);

const EXECUTION: ObservedExecution = {
  executionId: "A",
  namespace: "company.team",
  id: "upstream",
  state: "SUCCESS",
  labels: [{ key: "env", value: "prod" }, { key: "team", value: "a" }],
  retriedStates: ["FAILED", "KILLED"],
};

function scopeOf(timeZone = "UTC", execution: ObservedExecution | undefined = EXECUTION): ConditionScope {
  const scope: ConditionScope = {
    patternBudget: untimedBudget(),
    date: DATE,
    timeZone,
    flow: { namespace: "company.team", id: "own" },
    execution,
    holds: async (condition) => isJsonObject(condition) && await test(condition, scope),
    text: (template) => Promise.resolve(template),
  };
  return scope;
}

async function test(condition: JsonObject, scope: ConditionScope): Promise<boolean> {
  const type = catalog.findCondition(canonicalType(String(condition.type)));
  if (type?.form !== "condition") throw new Error("It is no condition");
  return await type.test(condition, scope);
}

/** Each condition with its properties, and whether it holds. */
const CASES: readonly (readonly [type: string, properties: JsonObject, holds: boolean])[] = [
  ["DateTimeBetween", { after: "2026-01-15T10:00:00Z" }, true],
  ["DateTimeBetween", { after: "2026-01-15T10:30:00Z" }, false],
  ["DateTimeBetween", { before: "2026-01-15T12:00:00+01:00" }, true],
  ["DateTimeBetween", { after: "2026-01-14", before: "2026-01-15" }, false],
  ["DateTimeBetween", { date: "2020-01-01T00:00:00Z", before: "2021-01-01T00:00:00Z" }, true],
  ["TimeBetween", { after: "10:00:00Z", before: "11:00:00Z" }, true],
  ["TimeBetween", { after: "11:00:00+01:00" }, true],
  ["TimeBetween", { after: "12:00:00+01:00" }, false],
  ["TimeBetween", { before: "10:30" }, false],
  ["DayWeek", { dayOfWeek: "THURSDAY" }, true],
  ["DayWeek", { dayOfWeek: "FRIDAY" }, false],
  ["DayWeek", { dayOfWeek: "MONDAY", date: "2026-01-19T00:00:00+01:00" }, true],
  ["DayWeekInMonth", { dayOfWeek: "THURSDAY", dayInMonth: "THIRD" }, true],
  ["DayWeekInMonth", { dayOfWeek: "THURSDAY", dayInMonth: "FIRST" }, false],
  ["DayWeekInMonth", { dayOfWeek: "THURSDAY", dayInMonth: "LAST", date: "2026-01-29T00:00:00Z" }, true],
  ["DayWeekInMonth", { dayOfWeek: "THURSDAY", dayInMonth: "LAST", date: "2026-01-22T00:00:00Z" }, false],
  ["Weekend", {}, false],
  ["Weekend", { date: "2026-01-17T00:00:00Z" }, true],
  ["Weekend", { date: "2026-01-18" }, true],
  ["PublicHoliday", { date: "2023-07-04" }, true],
  ["PublicHoliday", { date: "2023-07-14" }, false],
  ["PublicHoliday", { date: "2023-07-14", country: "FR" }, true],
  ["Expression", { expression: "true" }, true],
  ["Expression", { expression: "false" }, false],
  ["Expression", { expression: " false " }, false],
  ["Expression", { expression: "0" }, true],
  ["Expression", { expression: "-0" }, true],
  ["Expression", { expression: 0 }, true],
  ["Expression", { expression: false }, false],
  ["Expression", { expression: null }, false],
  ["Expression", { expression: "" }, false],
  ["ExecutionOutputs", { expression: "false" }, false],
  ["ExecutionOutputs", { expression: "0" }, true],
  ["ExecutionOutputs", { expression: " " }, false],
  ["ExecutionOutputs", { expression: "yes" }, true],
  ["ExecutionFlow", { namespace: "company.team", flowId: "upstream" }, true],
  ["ExecutionFlow", { namespace: "company.team", flowId: "other" }, false],
  ["ExecutionNamespace", { namespace: "company.team" }, true],
  ["ExecutionNamespace", { namespace: "company" }, false],
  ["ExecutionNamespace", { namespace: "company", comparison: "PREFIX" }, true],
  ["ExecutionNamespace", { namespace: "company", prefix: true }, true],
  ["ExecutionNamespace", { namespace: ".team", comparison: "SUFFIX" }, true],
  ["ExecutionStatus", { in: ["FAILED", "SUCCESS"] }, true],
  ["ExecutionStatus", { in: ["FAILED"] }, false],
  ["ExecutionStatus", { notIn: ["SUCCESS"] }, false],
  ["ExecutionStatus", {}, true],
  ["ExecutionLabels", { labels: { env: "prod" } }, true],
  ["ExecutionLabels", { labels: [{ key: "env", value: "prod" }, { key: "team", value: "b" }] }, false],
  // What expressions give in place of a list or a map.
  ["ExecutionStatus", { in: '["FAILED","SUCCESS"]' }, true],
  ["ExecutionStatus", { in: '["FAILED"]' }, false],
  ["ExecutionStatus", { in: "SUCCESS" }, true],
  ["ExecutionLabels", { labels: '{"env":"prod"}' }, true],
  ["ExecutionLabels", { labels: '{"env":"test"}' }, false],
  ["HasRetryAttempt", { in: ["KILLED"] }, true],
  ["HasRetryAttempt", { in: ["SUCCESS"] }, false],
  ["HasRetryAttempt", { notIn: ["KILLED"] }, true],
  ["HasRetryAttempt", { notIn: ["KILLED", "FAILED"] }, false],
  ["HasRetryAttempt", {}, true],
  ["FlowCondition", { namespace: "company.team", flowId: "own" }, true],
  ["FlowCondition", { namespace: "company.team", flowId: "upstream" }, false],
  ["FlowNamespaceCondition", { namespace: "company", comparison: "PREFIX" }, true],
  ["Not", { conditions: [{ type: "core.condition.Weekend" }] }, true],
  [
    "Not",
    { conditions: [{ type: "core.condition.Weekend" }, { type: "core.condition.ExecutionStatus" }] },
    false,
  ],
  [
    "Or",
    { conditions: [{ type: "core.condition.Weekend" }, { type: "core.condition.ExecutionStatus" }] },
    true,
  ],
  ["Or", { conditions: [] }, false],
];

for (const [type, properties, holds] of CASES) {
  Deno.test(`${type} test() of ${JSON.stringify(properties)} is ${holds}`, async () => {
    assertEquals(await test({ type: `core.condition.${type}`, ...properties }, scopeOf()), holds);
  });
}

Deno.test("DayWeek test() sees the date of the trigger in the zone of the schedule", async () => {
  const condition = { type: "core.condition.DayWeek", dayOfWeek: "FRIDAY" };
  assertEquals(await test(condition, scopeOf("Pacific/Kiritimati")), true);
});

for (
  const type of [
    "ExecutionFlow",
    "ExecutionStatus",
    "ExecutionLabels",
    "HasRetryAttempt",
    "ExecutionNamespace",
  ]
) {
  Deno.test(`${type} test() without an execution throws`, async () => {
    const condition = { type: `core.condition.${type}`, namespace: "a", flowId: "b", in: [], labels: {} };
    const scope = { ...scopeOf(), execution: undefined };
    await assertRejects(
      () => test(condition, scope),
      Error,
      `Invalid condition with null execution: "${type}"`,
    );
  });
}

Deno.test("ExecutionOutputs isFalse() without an execution throws, so that its expression is not rendered", () => {
  const type = catalog.findCondition("core.condition.ExecutionOutputs");
  const scope = { ...scopeOf(), execution: undefined };
  assertThrows(
    () => type?.form === "condition" && type.isFalse?.(scope),
    Error,
    'Invalid condition with null execution: "ExecutionOutputs"',
  );
});

const WRONG: readonly (readonly [type: string, properties: JsonObject, message?: string])[] = [
  ["DateTimeBetween", {}, "Invalid condition with no before nor after"],
  ["DateTimeBetween", { after: null, before: null }, "Invalid condition with no before nor after"],
  ["TimeBetween", { date: "2026-01-15T10:00:00Z" }, "Invalid condition with no before nor after"],
  ["DateTimeBetween", { after: "soon" }],
  ["TimeBetween", { after: "noon" }],
  ["TimeBetween", { after: "25:00:00" }],
  ["TimeBetween", { before: "12:60" }],
  ["Weekend", { date: "never" }],
  ["ExecutionLabels", { labels: "env" }],
];

for (const [type, properties, message = "Cannot read"] of WRONG) {
  Deno.test(`${type} test() of ${JSON.stringify(properties)} throws`, async () => {
    await assertRejects(
      () => test({ type: `core.condition.${type}`, ...properties }, scopeOf()),
      Error,
      message,
    );
  });
}

Deno.test("the REGEX filters of preconditions share one limit of moves for an execution", async () => {
  const filters = Array.from({ length: 10 }, () => ({
    field: "FLOW_ID",
    type: "REGEX",
    value: "(a|b|c|d|e|f)*g",
  }));
  const { parts } = catalog.preconditionsOf(
    { id: "p", where: [{ filters, operand: "OR" }] },
    new Set(["SUCCESS"]),
  );
  const [part] = parts.values();
  const scope = scopeOf("UTC", { ...EXECUTION, id: "a".repeat(10_000) });
  await assertRejects(async () => void await part?.(scope), Error, "it takes too many moves");
});
