/** What a parent logs about executions that have not succeeded. */
import { assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";

const FAIL = "{id: boom, type: io.kestra.plugin.core.execution.Fail, errorMessage: no data}";
const EFFECT = "{id: boom, type: io.svc.plugin.harness.Effect, name: a}";

function childOf(task: string, further = ""): string {
  return `id: child\nnamespace: demo\ntasks:\n  - ${task}\n${further}`;
}

function subflow(members = ""): string {
  return `id: parent
namespace: demo
tasks:
  - {id: sub, type: io.kestra.plugin.core.flow.Subflow, namespace: demo, flowId: child${members}}
`;
}

async function untilQuiet(app: Harness): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await settle();
  await app.advance(1_000);
  for (let turn = 0; turn < 60; turn++) await settle();
}

/** The state and the log of a parent: `LEVEL task message`, ids of executions as `ID`. */
async function logOf(app: Harness, id: unknown): Promise<readonly string[]> {
  const { state } = await app.execution(String(id));
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string; taskId: string }[];
  return [
    state.current,
    ...logs.map(({ level, message, taskId }) =>
      `${level} ${taskId} ${message.replace(/"[a-zA-Z0-9]{20,}"/g, "ID")}`
    ),
  ];
}

async function run(flows: readonly string[], app: Harness): Promise<readonly string[]> {
  for (const flow of flows) await app.save(flow);
  const { id } = await app.start("parent");
  await untilQuiet(app);
  return await logOf(app, id);
}

interface ReportCase {
  readonly name: string;
  readonly flows: readonly string[];
  readonly effect?: (log: (level: "INFO" | "ERROR", message: string) => Promise<void> | undefined) => unknown;
  readonly lines: readonly string[];
}

const CASES: readonly ReportCase[] = [
  {
    name: "a failed child, created in the same commit",
    flows: [childOf(FAIL), subflow()],
    lines: ["FAILED", 'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": no data'],
  },
  {
    name: "a failed child with a long error: the beginning of it",
    flows: [childOf(FAIL.replace("no data", `no data${"x".repeat(30_000)}`)), subflow()],
    lines: [
      "FAILED",
      `ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": no data${"x".repeat(293)} …`,
    ],
  },
  {
    name: "a failed child with side effects: its last two error lines",
    flows: [childOf(EFFECT), subflow()],
    effect: (log) => {
      log("ERROR", "first");
      log("ERROR", "ModuleNotFoundError");
      log("INFO", "note");
      throw new Error("exit code 1");
    },
    lines: [
      "FAILED",
      'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": ModuleNotFoundError; exit code 1',
    ],
  },
  {
    name: "an error that was committed long before the end",
    flows: [childOf(EFFECT), subflow()],
    effect: async (log) => {
      log("ERROR", "ModuleNotFoundError");
      for (let line = 0; line < 300; line++) await log("INFO", "x".repeat(1_000));
      throw new Error("exit code 1");
    },
    lines: [
      "FAILED",
      'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": ModuleNotFoundError; exit code 1',
    ],
  },
  {
    name: "the lines of the last attempt only",
    flows: [
      childOf(EFFECT.replace("{", "{retry: {type: constant, interval: PT0.1S, maxAttempts: 2}, ")),
      subflow(),
    ],
    effect: () => {
      throw new Error("exit code 1");
    },
    lines: ["FAILED", 'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": exit code 1'],
  },
  {
    name: "the first task that failed, not its parent and no error handler",
    flows: [
      `id: child
namespace: demo
tasks:
  - {id: outer, type: io.kestra.plugin.core.flow.Sequential, tasks: [${FAIL}]}
errors:
  - {id: tidy, type: io.kestra.plugin.core.execution.Fail, errorMessage: later}
`,
      subflow(),
    ],
    lines: ["FAILED", 'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "boom": no data'],
  },
  {
    name: "a failure that is not taken over, as a warning",
    flows: [childOf(FAIL), subflow(", transmitFailed: false")],
    lines: ["SUCCESS", 'WARN sub Execution ID of flow "demo.child" ended FAILED: task "boom": no data'],
  },
  {
    name: "a warning",
    flows: [childOf(FAIL.replace("{", "{allowFailure: true, ")), subflow()],
    lines: ["WARNING", 'WARN sub Execution ID of flow "demo.child" ended WARNING: task "boom": no data'],
  },
  {
    name: "nothing for a child that it does not wait for",
    flows: [childOf(FAIL), subflow(", wait: false")],
    lines: ["SUCCESS"],
  },
  {
    name: "the chain of causes",
    flows: [
      childOf(FAIL).replace("id: child", "id: grandchild"),
      subflow().replace("id: parent", "id: child").replace("flowId: child", "flowId: grandchild"),
      subflow(),
    ],
    lines: [
      "FAILED",
      'ERROR sub Execution ID of flow "demo.child" ended FAILED: task "sub": Execution ID of flow "demo.grandchild" ' +
      'ended FAILED: task "boom": no data',
    ],
  },
  {
    name: "the pass of a Loop",
    flows: [
      `id: parent
namespace: demo
tasks:
  - {id: loop, type: io.kestra.plugin.core.flow.Loop, values: [1], tasks: [${FAIL}]}
`,
    ],
    lines: [
      "FAILED",
      'ERROR loop Iteration 0: execution ID of flow "demo.parent" ended FAILED: task "boom": no data',
    ],
  },
];

for (const { name, flows, effect, lines } of CASES) {
  Deno.test(`a parent logs ${name}`, async () => {
    await using app = await Harness.start({
      effect: async (_properties, context) => {
        await effect?.((level, message) => (context.log(level, message), context.logged()));
        return { state: "SUCCESS" };
      },
    });
    assertEquals(await run(flows, app), lines);
  });
}

Deno.test("a ForEachItem logs the first ten executions that have failed", async () => {
  await using app = await Harness.start();
  const items = Array.from({ length: 14 }, (_, index) => index).join("\\n");
  const lines = await run([
    childOf(FAIL),
    `id: parent
namespace: demo
tasks:
  - {id: w, type: io.kestra.plugin.core.storage.Write, content: "${items}", extension: .txt}
  - {id: each, type: io.kestra.plugin.core.flow.ForEachItem, items: "{{ outputs.w.uri }}", batch: {rows: 1}, namespace: demo, flowId: child}
`,
  ], app);
  const ended = (index: number) =>
    `ERROR each_items Iteration ${index}: execution ID of flow "demo.child" ended FAILED: task "boom": no data`;
  assertEquals(lines.filter((line) => line.includes("each_items")), [
    ...Array.from({ length: 10 }, (_, index) => ended(index)),
    "WARN each_items Further executions that have not succeeded are not listed: there are more than 10",
  ]);
});

Deno.test("a kill of the parent logs nothing about the executions that it stops", async () => {
  const started = Promise.withResolvers<void>();
  await using app = await Harness.start({
    effect: (_properties, { signal }) =>
      new Promise((resolve) => {
        started.resolve();
        signal.addEventListener("abort", () => resolve({ state: "KILLED" }));
      }),
  });
  await app.save(childOf(EFFECT));
  await app.save(subflow());
  const { id } = await app.start("parent");
  await started.promise;
  await app.json("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app);
  assertEquals(await logOf(app, id), ["KILLED"]);
});
