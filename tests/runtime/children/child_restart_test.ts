import { assertEquals, assertStringIncludes } from "@std/assert";
import { goneReply, restartableChild } from "../../../src/runtime/children/child_restart.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import type { AttemptOutcome } from "../../../src/model/tasks/task_catalog.ts";
import { EFFECT_TYPE, Harness, statesOf } from "../../support/harness.ts";

const CORE = "io.kestra.plugin.core.";
const PARENT = `id: parent
namespace: demo
tasks: [{id: s, type: ${CORE}flow.Subflow, namespace: demo, flowId: child}]
`;
const CHILD = `id: child
namespace: demo
tasks: [{id: f, type: ${CORE}execution.Fail}]
`;

Deno.test("restart() starts a new execution if the child was deleted", async () => {
  await using app = await Harness.start();
  await app.save(CHILD);
  const { id, taskRunList } = await app.run(PARENT);
  const first = String(taskRunList[0]?.outputs.executionId);
  await app.json("DELETE", `/executions/${first}`);
  await app.json("POST", `/executions/${id}/restart`);
  await settle();
  const ended = await app.execution(id);
  assertEquals(statesOf(ended), "CREATED RUNNING FAILED RESTARTED RUNNING FAILED");
  assertEquals(ended.taskRunList[0]?.outputs.executionId === first, false);
});

Deno.test("deliver() of a restart to a deleted execution fails the waiting task", async () => {
  await using app = await Harness.start();
  await app.save(CHILD.replace("execution.Fail", "flow.Pause"));
  const { id, taskRunList } = await app.run(PARENT);
  const startedId = String(taskRunList[0]?.outputs.executionId);
  await app.assembly.executor.deliver({
    key: ["ob", "main", "gone", id, "again/0"],
    tenant: "main",
    targetId: "gone",
    event: { type: "restarted", by: { executionId: id, taskRun: 0, startedId } },
  });
  assertEquals((await app.execution(id)).state.current, "FAILED");
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertStringIncludes(lines.map(({ message }) => message).join(), 'the execution "gone": it was deleted');
});

Deno.test("goneReply() returns nothing for a restart without a waiting parent", () => {
  const message = { key: [], tenant: "main", targetId: "x" };
  assertEquals(goneReply({ ...message, event: { type: "restarted" } }), undefined);
  assertEquals(goneReply({ ...message, event: { type: "kill_asked" } }), undefined);
});

Deno.test("restartableChild() returns nothing for an unknown execution", async () => {
  const factory = { load: () => Promise.resolve(undefined) };
  assertEquals(await restartableChild(factory, "main", "x"), undefined);
});

Deno.test("deliver() renders the outputs of a Subflow in the execution that replaced a RETRIED one", async () => {
  let calls = 0;
  const effect = (): AttemptOutcome =>
    ++calls === 1 ? { state: "FAILED" } : { state: "SUCCESS", outputs: { value: `attempt ${calls}` } };
  await using app = await Harness.start({ effect });
  await app.save(`id: child
namespace: demo
retry: {type: constant, interval: PT1S, maxAttempt: 3, behavior: CREATE_NEW_EXECUTION}
tasks: [{id: t, type: ${EFFECT_TYPE}}]
`);
  const { id } = await app.run(
    PARENT.replace("flowId: child", 'flowId: child, outputs: {o: "{{ outputs.t.value }}"}'),
  );
  await app.advance(2_000);
  await settle();
  const { state, taskRunList } = await app.execution(id);
  assertEquals([state.current, taskRunList[0]?.outputs.outputs], ["SUCCESS", { o: "attempt 2" }]);
});
