import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { CORE, logOf, resultsOf, runTasks } from "./core_flows.ts";

Deno.test("state.Set merges, state.Get reads and state.Delete removes the state of the flow", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, [
    "get0 state.Get",
    'set1 state.Set {data: {"{{ \'a\' }}": "{{ 1 }}"}}',
    `set2 state.Set {data: '{"a": 2, "b": [3]}'}`,
    "get2 state.Get",
    "del state.Delete",
    "none state.Delete",
    "get3 state.Get",
  ]);
  assertEquals(resultsOf(execution), {
    get0: 'SUCCESS {"count":0,"data":{}}',
    set1: 'SUCCESS {"count":1,"key":"flow_states_default"}',
    set2: 'SUCCESS {"count":2,"key":"flow_states_default"}',
    get2: 'SUCCESS {"count":2,"data":{"a":2,"b":[3]}}',
    del: 'SUCCESS {"deleted":true}',
    none: 'SUCCESS {"deleted":false}',
    get3: 'SUCCESS {"count":0,"data":{}}',
  });
});

/** Data of two Sets, and the state after them. */
const MERGES: readonly (readonly [first: string, second: string, data: string])[] = [
  ["{m: {x: 1, d: {a: 1}}}", "{m: {y: 2, d: {b: 2}}}", '{"m":{"x":1,"d":{"a":1,"b":2},"y":2}}'],
  ["{m: {l: [1, {a: 1}]}}", "{m: {l: [{b: 2}]}}", '{"m":{"l":[1,{"a":1},{"b":2}]}}'],
  ["{a: 1, m: {b: 2}}", "{a: null, m: {b: null}, c: null}", '{"a":1,"m":{"b":2},"c":null}'],
  ["{a: {b: 1}, c: [1], d: 1}", "{a: 1, c: {e: 1}, d: [1]}", '{"a":1,"c":{"e":1},"d":[1]}'],
  ["{a: {__proto__: {x: 1}}}", "{a: {__proto__: {y: 2}}}", '{"a":{"__proto__":{"x":1,"y":2}}}'],
];

for (const [first, second, data] of MERGES) {
  Deno.test(`state.Set of ${second} after ${first} stores ${data}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [
      `a state.Set {data: ${first}}`,
      `b state.Set {data: ${second}}`,
      "g state.Get",
    ]);
    assertEquals(JSON.stringify(execution.taskRunList.at(-1)?.outputs.data), data);
  });
}

Deno.test("state.Set does not append to a list beyond 1 MiB", async () => {
  await using app = await Harness.start();
  const set = `state.Set {data: '{"l": {{ range(1, 50000) }}}'}`;
  const execution = await runTasks(app, [`a ${set}`, `b ${set}`, `c ${set}`]);
  assertEquals(execution.taskRunList.map(({ state }) => state.current), ["SUCCESS", "SUCCESS", "FAILED"]);
  assertEquals((await logOf(app, execution.id)).at(-1)?.includes("larger than 1048576 bytes"), true);
});

/** Properties of a state, and its keys in a loop over `a` and `b/c`. */
const NAMES: readonly (readonly [members: string, keys: readonly string[]])[] = [
  ["", ["flow_states_default_a", "flow_states_default_b-c-"]],
  ["taskrunValue: false", ["flow_states_default"]],
  ["namespace: true", ["states_default_a", "states_default_b-c-"]],
  ["namespace: true, taskrunValue: false, name: n.1", ["states_n.1"]],
  ["taskrunValue: false, name: 'x_y z'", ["flow_states_x-y-z-"]],
];

for (const [members, keys] of NAMES) {
  Deno.test(`state.Set {${members}} stores the state as ${keys.join(", ")}`, async () => {
    await using app = await Harness.start();
    await runTasks(app, [
      `{id: f, type: ${CORE}flow.ForEach, values: [a, b/c], tasks: [{id: s, type: ${CORE}state.Set, data: {v: 1}` +
      `${members && `, ${members}`}}]}`,
    ]);
    const pairs = await app.json("GET", "/namespaces/demo/kv") as { key: string }[];
    const shown = pairs.map(({ key }) => key.replace(/[0-9a-f]{16}$/, ""));
    assertEquals(shown, [...keys]);
  });
}

Deno.test("state.Set in parallel tasks loses no value", async () => {
  await using app = await Harness.start();
  const names = ["a", "b", "c", "d"];
  const tasks = names.map((name) => `{id: s${name}, type: ${CORE}state.Set, data: {${name}: 1}}`);
  const execution = await runTasks(app, [
    `{id: p, type: ${CORE}flow.Parallel, tasks: [${tasks.join(", ")}]}`,
    "g state.Get",
  ]);
  assertEquals(resultsOf(execution).g, 'SUCCESS {"count":4,"data":{"a":1,"b":1,"c":1,"d":1}}');
});

for (const type of ["Get", "Delete"]) {
  Deno.test(`state.${type} with errorOnMissing fails on a missing state`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [`g state.${type} {name: n, errorOnMissing: true}`]);
    assertEquals(execution.state.current, "FAILED");
    const message = "ERROR No state found for name 'n' and `errorOnMissing` is set to true";
    assertEquals(await logOf(app, execution.id), [message]);
  });
}
