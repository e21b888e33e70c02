import { assertEquals } from "@std/assert";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../../../support/harness.ts";

const CORE = "io.kestra.plugin.core.";
const FLOW = `id: f
namespace: demo
tasks:
  - {id: first, type: ${CORE}debug.Return, format: x}
  - id: outer
    type: ${CORE}flow.ForEach
    values: [x, y]
    tasks:
      - id: inner
        type: ${CORE}flow.ForEach
        values: [a, b]
        tasks:
          - {id: before, type: ${CORE}debug.Return, format: "{{ taskrun.value }}"}
          - {id: target, type: ${EFFECT_TYPE}}
`;

/** Each task run as `id[value] STATE`. */
function shown({ taskRunList }: Pick<ExecutionResponse, "taskRunList">): string[] {
  return taskRunList.map((taskRun) => {
    const { taskId, state, value } = taskRun as typeof taskRun & { value?: string };
    return `${taskId}${value === undefined ? "" : `[${value}]`} ${state.current}`;
  });
}

Deno.test("POST /executions/:id/replay from a task run within nested loops keeps what came before", async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const effect = async () => {
    if (isHeld) await held.promise;
    return { state: "SUCCESS", outputs: {} } as const;
  };
  await using app = await Harness.start({ effect });
  const execution = await app.run(FLOW);
  const targets = execution.taskRunList.filter(({ taskId }) => taskId === "target");
  isHeld = true;
  const path = `/executions/${execution.id}/replay?taskRunId=${targets[2]?.id}`;
  const response = await app.json("POST", path) as unknown as ExecutionResponse;
  const ofX = ["before[a] SUCCESS", "target[a] SUCCESS", "before[b] SUCCESS", "target[b] SUCCESS"];
  const kept = ["first SUCCESS", "outer RUNNING", "inner[x] SUCCESS", ...ofX];
  const ofY = ["inner[y] RUNNING", "before[a] SUCCESS", "target[a] RESTARTED", "before[b] SUCCESS"];
  assertEquals(shown(response), [...kept, ...ofY]);
  held.resolve();
  await settle();
  const ended = await app.execution(response.id);
  assertEquals([ended.state.current, ended.taskRunList.length], ["SUCCESS", 12]);
});

const CHAIN = `id: chain
namespace: demo
tasks:
  - {id: read, type: ${CORE}debug.Return, format: "old"}
  - {id: use, type: ${CORE}debug.Return, format: "got {{ outputs.read.value }}"}
  - {id: last, type: ${CORE}debug.Return, format: "then {{ outputs.use.value }}"}
`;

Deno.test("POST /executions/:id/actions/replay replaces outputs of task runs that do not run again", async () => {
  await using app = await Harness.start();
  const { id, taskRunList } = await app.run(CHAIN);
  const [read, use, last] = taskRunList.map((taskRun) => taskRun.id);
  const replay = (from: string | undefined, body: unknown) =>
    app.request("POST", `/executions/${id}/actions/replay${from === undefined ? "" : `?taskRunId=${from}`}`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const response = await replay(use, { outputs: { [read ?? ""]: { value: "new" } } });
  const replayed = await response.json();
  await settle();
  const { taskRunList: after } = await app.execution(replayed.id);
  const values = after.map(({ outputs }) => (outputs as { value?: unknown })?.value);
  assertEquals(values, ["new", "got new", "then got new"]);
  const refused: [string | undefined, unknown][] = [
    [use, { outputs: { [last ?? ""]: { value: "x" } } }],
    [use, { outputs: { [use ?? ""]: { value: "x" } } }],
    [undefined, { outputs: { [read ?? ""]: { value: "x" } } }],
    [use, { outputs: { unknown: {} } }],
    [use, { outputs: { [read ?? ""]: "text" } }],
    [use, { outputs: [] }],
    [use, { outputs: { [read ?? ""]: { value: "x".repeat(1_100_000) } } }],
  ];
  for (const [from, body] of refused) {
    const { status } = await replay(from, body);
    assertEquals(status, 422, JSON.stringify(body).slice(0, 100));
  }
  assertEquals((await replay(use, {})).status, 200);
});
