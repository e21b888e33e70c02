import { assertEquals } from "@std/assert";
import { settle } from "../../../support/fake_clock.ts";
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
  assertEquals(shown(response).slice(0, -1), [...kept, "inner[y] RUNNING", "before[a] SUCCESS"]);
  assertEquals(response.taskRunList.at(-1)?.taskId, "target");
  held.resolve();
  await settle();
  const ended = await app.execution(response.id);
  assertEquals([ended.state.current, ended.taskRunList.length], ["SUCCESS", 12]);
});
