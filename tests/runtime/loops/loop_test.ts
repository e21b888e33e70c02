import { assertEquals, assertMatch } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Effect, Harness } from "../../support/harness.ts";
import { linesOf, NAMED, outputsOf, passesOf, run } from "./loop_support.ts";

/** A loop, what its execution does, and what its passes put out as `v`. */
const RUNS: readonly {
  readonly name: string;
  readonly body: string;
  readonly line: string;
  readonly values?: readonly string[];
  readonly counts?: readonly [count: number, running: number, ended: Readonly<Record<string, number>>];
}[] = [
  {
    name: "each distinct value of a list, as text",
    body: `tasks: [{id: l, type: $.flow.Loop, values: [a, 2, {x: 1}, a, {x: 1}, 1.50], tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.index }}={{ item.value }}"}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["0=a", "1=2", '2={"x":1}', "3=1.5"],
    counts: [4, 0, { SUCCESS: 4 }],
  },
  {
    name: "each value of a map, with its key, equal ones too",
    body: `tasks: [{id: l, type: $.flow.Loop, values: {b: 1, a: [x], c: 1}, tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.index }} {{ item.key }} {{ item.value }}"}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["0 b 1", '1 a ["x"]', "2 c 1"],
  },
  {
    name: "values of an expression",
    body: `inputs: [{id: n, type: INT, defaults: 3}]
tasks: [{id: l, type: $.flow.Loop, values: "{{ range(1, inputs.n) }}", tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.value }} of {{ inputs.n }}"}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["1 of 3", "2 of 3", "3 of 3"],
  },
  {
    name: "a file with a value on each line",
    body: `tasks:
  - {id: w, type: $.storage.Write, content: "one\\ntwo\\n\\nthree", extension: .txt}
  - {id: l, type: $.flow.Loop, values: "{{ outputs.w.uri }}", tasks: [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}`,
    line: "SUCCESS: w SUCCESS, l SUCCESS",
    values: ["one", "two", "three"],
  },
  {
    name: "a file of records",
    body: `tasks:
  - {id: w, type: $.storage.Write, content: "{a:1}\\n\\"two\\"\\n3\\n", extension: .ion}
  - {id: l, type: $.flow.Loop, values: "{{ outputs.w.uri }}", tasks: [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}`,
    line: "SUCCESS: w SUCCESS, l SUCCESS",
    values: ['{"a":1}', "two", "3"],
  },
  {
    name: "no value",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: "{{ [] }}", outputs: [{id: o, value: x}], tasks: [{id: v, type: EFFECT}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: [],
    counts: [0, 0, {}],
  },
  {
    name: "many values are kept in a file",
    body: `tasks: [{id: l, type: $.flow.Loop, values: "{{ range(1001, 1300) }}", concurrencyLimit: 0, tasks:
      [{id: v, type: $.debug.Return, format: "{{ (item.value | number) - item.index }}"}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: Array.from({ length: 300 }, () => "1001"),
    counts: [300, 0, { SUCCESS: 300 }],
  },
  {
    name: "a list with null",
    body: `tasks: [{id: l, type: $.flow.Loop, values: [a, null], tasks: [{id: v, type: EFFECT}]}]`,
    line: "FAILED: l FAILED",
    values: [],
  },
  {
    name: "a map with null, as text",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: '{"a": 1, "b": null}', tasks: [{id: v, type: EFFECT}]}]`,
    line: "FAILED: l FAILED",
    values: [],
  },
  {
    name: "values that are none",
    body: `tasks: [{id: l, type: $.flow.Loop, values: "{{ 'abc' }}", tasks: [{id: v, type: EFFECT}]}]`,
    line: "FAILED: l FAILED",
    values: [],
  },
  {
    name: "a file that does not exist",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: "kestra:///demo/_files/no.txt", tasks: [{id: v, type: EFFECT}]}]`,
    line: "FAILED: l FAILED",
    values: [],
  },
  {
    name: "outputs, labels, variables and the trigger of what came before",
    body: `labels: {team: x}
variables: {city: Oslo}
tasks:
  - {id: p, type: $.flow.Parallel, tasks: [{id: before, type: $.debug.Return, format: early}]}
  - {id: set, type: $.execution.SetVariables, variables: {city: Bergen}}
  - {id: l, type: $.flow.Loop, values: [1], tasks: [
      {id: i, type: $.debug.Return, format: "{{ outputs.before.value }}"},
      {id: v, type: $.debug.Return, format: "{{ outputs.i.value }} {{ vars.city }} {{ labels.team }} {{ trigger ?? 'none' }} {{ outputs.later ?? 'none' }}"}]}
  - {id: later, type: $.debug.Return, format: x}`,
    line: "SUCCESS: p SUCCESS, before SUCCESS, set SUCCESS, l SUCCESS, later SUCCESS",
    values: ["early Bergen x none none"],
  },
  {
    name: "the item reaches every nested task",
    body: `tasks: [{id: l, type: $.flow.Loop, values: [a, b], tasks:
      [{id: i, type: $.flow.If, condition: "{{ item.value == 'b' }}", then: [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["b"],
  },
  {
    name: "loops within loops",
    body: `tasks:
  - {id: early, type: $.debug.Return, format: e}
  - {id: l, type: $.flow.Loop, values: [a, b], tasks: [
      {id: o, type: $.debug.Return, format: "o{{ item.value }}"},
      {id: m, type: $.flow.Loop, values: {k: 1}, tasks: [
        {id: n, type: $.flow.Loop, values: [x], tasks: [
          {id: v, type: $.debug.Return, format: "{{ item.value }} {{ item.parent.key }} {{ item.parents[1].value }} {{ outputs.o.value }} {{ outputs.early.value }}"}]}]}]}`,
    line: "SUCCESS: early SUCCESS, l SUCCESS",
    values: ["x k a oa e", "x k b ob e"],
  },
  {
    name: "a failure ends the loop after the pass",
    body: `tasks: [{id: l, type: $.flow.Loop, values: [ok, bad, fine], tasks:
      [{id: e, type: EFFECT, name: "{{ item.value }}"}, {id: v, type: $.debug.Return, format: done}], errors:
      [{id: h, type: $.debug.Return, format: "{{ item.index }}"}]}]`,
    line: "FAILED: l FAILED",
    values: ["done"],
    counts: [2, 0, { SUCCESS: 1, FAILED: 1 }],
  },
  {
    name: "a failure that is not transmitted",
    body: `tasks: [{id: l, type: $.flow.Loop, values: [ok, bad, fine], transmitFailed: false, tasks:
      [{id: e, type: EFFECT, name: "{{ item.value }}"}, {id: v, type: $.debug.Return, format: done}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["done", "done"],
    counts: [3, 0, { SUCCESS: 2, FAILED: 1 }],
  },
  {
    name: "a warning is one of the loop",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [ok, so, fine], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
    line: "WARNING: l WARNING",
    counts: [3, 0, { SUCCESS: 2, WARNING: 1 }],
  },
  {
    name: "finally runs once, after a failure too",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [bad], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}], finally:
      [{id: f, type: $.debug.Return, format: "{{ outputs.l.terminatedIterations.FAILED }}"}]}]
errors: [{id: oops, type: $.debug.Return, format: oops}]`,
    line: "FAILED: l FAILED, f SUCCESS, oops SUCCESS",
  },
  {
    name: "breakWhen ends it after a pass",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], breakWhen: "{{ outputs.v.value == 'b' }}", tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}]`,
    line: "SUCCESS: l SUCCESS",
    values: ["a", "b"],
    counts: [2, 0, { SUCCESS: 2 }],
  },
  {
    name: "breakWhen that cannot be rendered",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [a, b], transmitFailed: false, breakWhen: "{{ fromJson('{') }}", tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}]`,
    line: "FAILED: l FAILED",
    values: ["a"],
  },
  {
    name: "an output that is missing fails the pass",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [a, b], outputs: [{id: o, type: INT, value: "{{ item.value }}"}], tasks:
      [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}]`,
    line: "FAILED: l FAILED",
    values: ["a"],
  },
  {
    name: "a loop within a ForEach",
    body: `tasks: [{id: e, type: $.flow.ForEach, values: [x, y], concurrencyLimit: 0, tasks:
      [{id: l, type: $.flow.Loop, values: [1, 2], tasks: [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}]}]`,
    line: "SUCCESS: e SUCCESS, l SUCCESS, l SUCCESS",
    values: ["1", "1", "2", "2"],
  },
  {
    name: "a retry has passes of its own",
    body:
      `tasks: [{id: l, type: $.flow.Loop, values: [bad], retry: {type: constant, interval: PT0S, maxAttempts: 2}, tasks:
      [{id: e, type: EFFECT, name: "{{ item.value }}", allowFailure: false}]}]`,
    line: "FAILED: l FAILED",
    counts: [1, 0, { FAILED: 1 }],
  },
  {
    name: "what is said of whole executions is not said of passes",
    body: `concurrency: {limit: 1}
outputs: [{id: o, type: STRING, value: "{{ outputs.end.value }}"}]
tasks:
  - {id: l, type: $.flow.Loop, values: [1, 2], tasks: [{id: v, type: $.debug.Return, format: "{{ item.value }}"}]}
  - {id: end, type: $.debug.Return, format: e}
afterExecution: [{id: after, type: $.debug.Return, format: a}]`,
    line: "SUCCESS: l SUCCESS, end SUCCESS, after SUCCESS",
    values: ["1", "2"],
  },
];

for (const { name, body, line, values, counts } of RUNS) {
  Deno.test(`Loop: ${name}`, async () => {
    await using app = await Harness.start({ effect: NAMED });
    const execution = await run(app, body);
    assertEquals(linesOf(execution), line);
    const passes = await passesOf(app);
    const put = passes.flatMap((pass) => outputsOf(pass, "v").value ?? []);
    if (values) assertEquals([...put].sort(), [...values].sort());
    const { iterationCount, runningIterations, terminatedIterations } = outputsOf(execution, "l");
    if (counts) assertEquals([iterationCount, runningIterations, terminatedIterations], [...counts]);
  });
}

const OUTPUTS = 'outputs: [{id: o, type: INT, value: "{{ item.value }}0"}]';
const BODY = "tasks: [{id: v, type: $.debug.Return, format: x}]";

/** What `outputs.l.outputs` is, as a task after the loop reads it. */
const FETCHES: readonly [name: string, members: string, shown: string][] = [
  [
    "FETCH",
    `values: [1, 2], ${OUTPUTS}, fetchType: FETCH`,
    '[{"item":{"index":0,"value":"1"},"outputs":{"o":10}},{"item":{"index":1,"value":"2"},"outputs":{"o":20}}]',
  ],
  ["AUTO of a list", `values: [3], ${OUTPUTS}`, '[{"item":{"index":0,"value":"3"},"outputs":{"o":30}}]'],
  [
    "AUTO of a map",
    `values: {k: 3}, ${OUTPUTS}`,
    '[{"item":{"index":0,"value":"3","key":"k"},"outputs":{"o":30}}]',
  ],
  ["NONE", `values: [3], ${OUTPUTS}, fetchType: NONE`, ""],
  ["nothing declared", "values: [3]", ""],
];

for (const [name, members, shown] of FETCHES) {
  Deno.test(`Loop: outputs with ${name}`, async () => {
    await using app = await Harness.start();
    const execution = await run(
      app,
      `tasks:
  - {id: l, type: $.flow.Loop, concurrencyLimit: 0, ${members}, ${BODY}}
  - {id: after, type: $.debug.Return, format: "{{ outputs.l.outputs ?? '' }}"}`,
    );
    assertEquals(outputsOf(execution, "after").value, shown);
  });
}

/** Outputs that become a file. */
const STORES: readonly [name: string, members: string][] = [
  ["STORE", "values: [1, 2], fetchType: STORE"],
  ["AUTO of a file", 'values: "{{ outputs.w.uri }}"'],
];

for (const [name, members] of STORES) {
  Deno.test(`Loop: outputs with ${name} are a file`, async () => {
    await using app = await Harness.start();
    const execution = await run(
      app,
      `tasks:
  - {id: w, type: $.storage.Write, content: "1\\n2\\n", extension: .txt}
  - {id: l, type: $.flow.Loop, ${members}, ${OUTPUTS}, ${BODY}}
  - {id: after, type: $.debug.Return, format: "{{ read(outputs.l.outputs) }}"}`,
    );
    assertMatch(String(outputsOf(execution, "l").outputs), /^kestra:\/\/\/demo\/l\/executions\/.*\.ion$/);
    assertEquals(
      outputsOf(execution, "after").value,
      '{"item":{"index":0,"value":"1"},"outputs":{"o":10}}\n{"item":{"index":1,"value":"2"},"outputs":{"o":20}}\n',
    );
  });
}

Deno.test("Loop: at most concurrencyLimit passes at once", async () => {
  let [now, most] = [0, 0];
  const effect: Effect = async () => {
    most = Math.max(most, ++now);
    await settle();
    now--;
    return { state: "SUCCESS" };
  };
  for (
    const [limit, expected] of [["", 1], ["concurrencyLimit: 3,", 3], ["concurrencyLimit: 0,", 7]] as const
  ) {
    [now, most] = [0, 0];
    await using app = await Harness.start({ effect });
    const execution = await run(
      app,
      `tasks: [{id: l, type: $.flow.Loop, values: "{{ range(1, 7) }}", ${limit} tasks: [{id: e, type: EFFECT}]}]`,
    );
    assertEquals([execution.state.current, most], ["SUCCESS", expected]);
  }
});

Deno.test("Loop: the outputs of a pass may be larger than a message", async () => {
  const effect: Effect = () => ({ state: "SUCCESS", outputs: { value: "x".repeat(100_000) } });
  await using app = await Harness.start({ effect });
  const execution = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [1, 2], outputs: [{id: o, type: STRING, value: "{{ outputs.t.value }}"}],
      tasks: [{id: t, type: EFFECT}]}]`,
  );
  assertEquals(linesOf(execution), "SUCCESS: l SUCCESS");
  const outputs = outputsOf(execution, "l").outputs as { outputs: { o: string } }[];
  assertEquals(outputs.map(({ outputs }) => outputs.o.length), [100_000, 100_000]);
});
