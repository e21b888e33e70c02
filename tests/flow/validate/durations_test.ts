import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };

const POSITIVE = "must be a positive duration";
const SLEEP = "tasks: [{id: s, type: core.flow.Sleep, duration: $}]";
const LOOP =
  "tasks: [{id: l, type: core.flow.LoopUntil, condition: x, checkFrequency: {$}, tasks: [{id: f, type: core.execution.Fail}]}]";
const FAIL = "tasks: [{id: f, type: core.execution.Fail}]\n";
const SLA = `${FAIL}sla: [{id: s, type: MAX_DURATION, duration: $}]`;
const SCHEDULE =
  `${FAIL}triggers: [{id: t, type: core.trigger.Schedule, cron: "@daily", lateMaximumDelay: $}]`;

/** Members of a flow, what stands for `$` in them, and the problems. */
const CASES: readonly (readonly [members: string, value: string, problems: readonly string[]])[] = [
  [SLEEP, "PT5S", []],
  [SLEEP, "PT0S", []],
  [SLEEP, '"{{ inputs.wait }}"', []],
  [SLEEP, "PT-5S", [`tasks[0].duration: ${POSITIVE} or zero, but received "PT-5S"`]],
  [LOOP, "interval: PT0S, maxDuration: PT0S", []],
  [LOOP, "interval: -5, maxDuration: -PT1M", [
    `tasks[0].checkFrequency.interval: ${POSITIVE} or zero, but received -5`,
    `tasks[0].checkFrequency.maxDuration: ${POSITIVE} or zero, but received "-PT1M"`,
  ]],
  [SLA, "PT1H", []],
  [SLA, "PT0S", [`sla[0].duration: ${POSITIVE}, but received "PT0S"`]],
  [SLA, "PT-1H", [`sla[0].duration: ${POSITIVE}, but received "PT-1H"`]],
  [SCHEDULE, "PT5M", []],
  [SCHEDULE, "0", [`triggers[0].lateMaximumDelay: ${POSITIVE}, but received 0`]],
  [SCHEDULE, "PT-5M", [`triggers[0].lateMaximumDelay: ${POSITIVE}, but received "PT-5M"`]],
];

for (const [members, value, problems] of CASES) {
  const written = members.replace("$", value);
  Deno.test(`validateFlow() of durations: ${written.trim()}`, () => {
    const found = validateFlow(parseFlowSource(`id: f\nnamespace: demo\n${written}\n`), CATALOGS);
    assertEquals(found.map(({ path, message }) => `${path}: ${message}`), problems);
  });
}
