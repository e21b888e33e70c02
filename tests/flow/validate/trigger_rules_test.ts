/** Rules of webhooks and of `dependsOn`, with their wording. */
import { assertEquals } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { type Rows, VALID } from "../flow_support.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };

const LONG = "0123456789abcdef";
const GUESSED =
  'the key of trigger "hook" is easy to guess: take 16 random characters or more, or a secret: ' +
  "{{ secret('WEBHOOK_KEY') }}";

/** Properties of a webhook, and its problems. */
const WEBHOOKS: readonly (readonly [properties: JsonObject, problems: readonly string[]])[] = [
  [{ key: LONG }, []],
  [{ key: LONG.slice(1) }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: ` ${LONG.slice(1)} ` }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: 1234 }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: "{{ envs.k }}" }, []],
  [{ key: " " }, ["error required key: must not be empty"]],
  [{ key: null }, ["error required key: must not be null"]],
  [{ key: LONG, rateLimit: { calls: 100, period: "PT1M" } }, []],
  [{ key: LONG, rateLimit: { calls: "5" } }, []],
  [{ key: LONG, rateLimit: { period: "PT1M" } }, ["error required rateLimit.calls: must not be null"]],
  [{ key: LONG, rateLimit: { calls: 0 } }, [
    "error too_small rateLimit.calls: must be greater than or equal to 1",
  ]],
  [{ key: LONG, rateLimit: { calls: 1, period: "PT0.5S" } }, [
    "error too_small rateLimit.period: must be greater than or equal to PT1S",
  ]],
  [{ key: LONG, rateLimit: { calls: 1, period: "P2D" } }, [
    "error too_large rateLimit.period: must be less than or equal to PT24H",
  ]],
  [{ key: LONG, signature: { secret: "{{ secret('S') }}" } }, []],
  [{
    key: LONG,
    signature: { secret: "s", header: "X-A", algorithm: "SHA1", timestampHeader: "X-T", tolerance: "PT1M" },
  }, []],
  [{ key: LONG, signature: {} }, ["error required signature.secret: must not be null"]],
  [{ key: LONG, signature: { secret: "s", tolerance: "-PT1M" } }, [
    "error too_small signature.tolerance: must be greater than or equal to PT1S",
  ]],
  [{ key: LONG, signature: { secret: "s", algorithm: "MD5" } }, [
    'error wrong_value signature.algorithm: must be one of "SHA256", "SHA512", "SHA1", but received "MD5"',
  ]],
  [{ key: LONG, signature: { secret: "s", header: "X A" } }, [
    'error wrong_form signature.header: must match "[\\w.-]{1,100}", but received "X A"',
  ]],
];

for (const [properties, problems] of WEBHOOKS) {
  Deno.test(`validateFlow() of a webhook with ${JSON.stringify(properties)}`, () => {
    const source = stringifyJson({
      id: "f",
      namespace: "demo",
      tasks: [{ id: "t", type: "io.svc.plugin.core.log.Log", message: "m" }],
      triggers: [{ id: "hook", type: "io.svc.plugin.core.trigger.Webhook", ...properties }],
    });
    const found = validateFlow(parseFlowSource(source), CATALOGS).map(({ severity, code, path, message }) =>
      `${severity} ${code} ${path.replace("triggers[0].", "")}: ${message}`
    );
    assertEquals(found, problems);
  });
}

const TWO = "dependsOn: [{flowId: a}, {namespace: n, states: [FAILED]}]";

/** Members of a Flow trigger, and how its problems begin. */
const FLOW_TRIGGERS: Rows = [
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
    "triggers[0]: This flow will be triggered for EVERY execution of EVERY flow on your instance. " +
    "We recommend adding the preconditions property to the Flow trigger 't'.",
  ]],
  ["no condition in its lists", "conditions: [], dependsOn: []", [
    "triggers[0]: This flow will be triggered for EVERY execution of EVERY flow on your instance. ",
  ]],
  ["an empty list beside conditions", "conditions: [], dependsOn: [{flowId: a}]", []],
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

for (const [name, members, problems] of FLOW_TRIGGERS) {
  Deno.test(`validateFlow() of a Flow trigger with ${name}`, () => {
    const source = `${VALID}\ntriggers:\n- {id: t, type: io.kestra.plugin.core.trigger.Flow, ${members}}`;
    const found = validateFlow(parseFlowSource(source), CATALOGS).map(({ path, message }) =>
      `${path}: ${message}`
    );
    assertEquals(found.map((text, index) => text.slice(0, problems[index]?.length)), problems);
  });
}
