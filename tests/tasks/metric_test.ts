import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { logOf, runTasks } from "./core_flows.ts";

/** Metrics of a Publish, and those in the API: `type name value tags`. */
const METRICS: readonly (readonly [metrics: string, found: readonly string[]])[] = [
  [
    "[{type: timer, name: d, value: PT1M30S, tags: {flow: '{{ flow.id }}'}}, {type: counter, name: n, value: 42}]",
    ["counter n 42.0 {}", 'timer d 90000.0 {"flow":"flow"}'],
  ],
  ["[{type: gauge, name: '{{ flow.id }}', value: '{{ 1 / 4.0 }}', tags: {a: 1}}]", [
    'gauge flow 0.25 {"a":"1"}',
  ]],
  ["[{type: timer, name: d, value: 1.5}]", ["timer d 1500.0 {}"]],
  ['\'[{"type": "COUNTER", "name": "n", "value": "{{ 6 * 7 }}"}]\'', ["counter n 42.0 {}"]],
  [
    "[{type: counter, name: n, value: 12}, {type: counter, name: n, value: 30}, " +
    "{type: counter, name: n, value: 5, tags: {b: 2, a: 1}}, {type: counter, name: n, value: 6, tags: {a: 1, b: 2}}]",
    ['counter n 11.0 {"b":"2","a":"1"}', "counter n 42.0 {}"],
  ],
  [
    "[{type: timer, name: d, value: 12}, {type: counter, name: d, value: 1}, {type: timer, name: d, value: 30}]",
    ["counter d 1.0 {}", "timer d 42000.0 {}"],
  ],
  ["[{type: gauge, name: g, value: 1}, {type: gauge, name: g, value: 1}]", [
    "gauge g 1.0 {}",
    "gauge g 1.0 {}",
  ]],
  ["[{type: counter, name: n, value: 1.5e308}, {type: counter, name: n, value: 1.5e308}]", [
    "counter n 1.5E308 {}",
    "counter n 1.5E308 {}",
  ]],
  ["'{{ [] }}'", []],
];

for (const [metrics, found] of METRICS) {
  Deno.test(`metric.Publish of ${metrics}`, async () => {
    await using app = await Harness.start();
    const { id } = await runTasks(app, [`m metric.Publish {metrics: ${metrics}}`]);
    const { results } = await app.json("GET", `/metrics/${id}`) as unknown as {
      results: { type: string; name: string; value: unknown; tags?: object }[];
    };
    const shown = results.map(({ type, name, value, tags }) =>
      `${type} ${name} ${value} ${JSON.stringify(tags ?? {})}`
    );
    assertEquals(shown.sort(), [...found]);
  });
}

/** Metrics that are invalid after rendering, and the error. */
const REFUSED: readonly (readonly [metrics: string, message: string])[] = [
  [
    "[{type: '{{ flow.id }}', name: a, value: 1}]",
    'Invalid type "flow": it must be one of counter, timer, gauge',
  ],
  [
    "[{type: counter, name: a, value: '{{ flow.id }}'}]",
    'Invalid value "flow" of metric "a": it must be a number',
  ],
  [
    "[{type: timer, name: a, value: soon}]",
    'Invalid value "soon" of metric "a": it must be seconds, or an ISO 8601 duration such as PT10S',
  ],
  ["'{{ [1] }}'", 'Invalid metric "1": it must have a type, a name and a value'],
  ["'{{ {} }}'", "Invalid metrics: they must be a list"],
];

for (const [metrics, message] of REFUSED) {
  Deno.test(`metric.Publish refuses ${metrics}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [`m metric.Publish {metrics: ${metrics}}`]);
    assertEquals(await logOf(app, execution.id), [`ERROR ${message}`]);
    assertEquals(execution.state.current, "FAILED");
  });
}
