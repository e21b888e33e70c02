import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { type Rows, VALID } from "../flow_support.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };

const TWO = "dependsOn: [{flowId: a}, {namespace: n, states: [FAILED]}]";

/** What a Flow trigger has, and how its problems begin. */
const TRIGGERS: Rows = [
  ["two entries", TWO, []],
  ["any of them", `${TWO}, mode: ANY`, []],
  ["one of them", `${TWO}, mode: AT_LEAST, minSatisfied: 1`, []],
  ["a deadline", `${TWO}, window: {deadline: "09:00:00+01:00", fireOnce: true}`, []],
  ["hours of the day", `${TWO}, window: {from: "09:00", to: "10:00"}`, []],
  ["windows side by side", `${TWO}, window: {every: PT1H, offset: PT5M}`, []],
  ["a time back from now", `${TWO}, window: {lookback: PT1H}`, []],
  ["a zone of its window", `${TWO}, window: {deadline: "09:00", timezone: Europe/Paris}`, []],
  ["no zone of its window", `${TWO}, window: {deadline: "09:00", timezone: Foo/Bar}`, [
    'triggers[0].window.timezone: "Foo/Bar" is not a valid time-zone ID',
  ]],
  ["no zone of a time window", "preconditions: {id: p, timeWindow: {timezone: Foo/Bar}}", [
    'triggers[0].preconditions.timeWindow.timezone: "Foo/Bar" is not a valid time-zone ID',
  ]],
  ["an unknown member", "dependsOn: [{flow: a}]", [
    'triggers[0].dependsOn[0].flow: Unrecognized field "flow"',
  ]],
  ["a mode without entries", "mode: ANY, when: 'true'", ["triggers[0]: `mode` needs `dependsOn`"]],
  ["nothing that says to which executions it reacts", "states: [FAILED]", [
    "triggers[0]: it reacts to EVERY execution of EVERY flow: say with `preconditions` to which",
  ]],
  ["preconditions too", `${TWO}, preconditions: {id: p}`, [
    "triggers[0].preconditions: cannot be combined with `dependsOn`",
  ]],
  ["no number for AT_LEAST", `${TWO}, mode: AT_LEAST`, [
    "triggers[0]: `mode: AT_LEAST` and `minSatisfied` need each other",
  ]],
  ["more than there are", `${TWO}, mode: AT_LEAST, minSatisfied: 3`, [
    "triggers[0].minSatisfied: must not be more than the 2 entries of `dependsOn`",
  ]],
  ["two kinds of windows", `${TWO}, window: {every: PT1H, lookback: PT1H}`, [
    "triggers[0].window: must have either `deadline`, `from` and `to`, `every`, or `lookback`",
  ]],
  ["half a part of the day", `${TWO}, window: {from: "09:00"}`, [
    "triggers[0].window: `from` and `to` need each other",
  ]],
  ["an offset of nothing", `${TWO}, window: {offset: PT1H}`, ["triggers[0].window: `offset` needs `every`"]],
  ["what happens on a miss", `${TWO}, window: {deadline: "09:00"}, onMiss: {behavior: FAIL}`, [
    "triggers[0].onMiss: is not supported",
  ]],
];

for (const [name, members, problems] of TRIGGERS) {
  Deno.test(`checkDependencies() of a Flow trigger with ${name}`, () => {
    const source = `${VALID}\ntriggers:\n- {id: t, type: io.kestra.plugin.core.trigger.Flow, ${members}}`;
    const found = validateFlow(parseFlowSource(source), CATALOGS).map(({ path, message }) =>
      `${path}: ${message}`
    );
    assertEquals(found.map((text, index) => text.slice(0, problems[index]?.length)), problems);
  });
}
