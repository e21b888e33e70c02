import { assertEquals } from "@std/assert";
import { applyMessage } from "../../../../../src/ui/app/views/execution/execution_delta.ts";
import { execution, failedRun, taskRun } from "./task_run_infos.ts";

const known = {
  ...execution("RUNNING", [taskRun("a"), taskRun("b")]),
  waiting: { reason: "TIMER" as const, since: "" },
};
const idsAfter = (message: Parameters<typeof applyMessage>[1]) =>
  applyMessage(known, message)?.taskRunList?.map(({ id, state }) => `${id} ${state.current}`);

Deno.test("applyMessage() replaces everything by a whole execution", () => {
  const whole = execution("SUCCESS");
  assertEquals(applyMessage(known, { execution: whole }), whole);
});

Deno.test("applyMessage() changes members, and removes those that are null", () => {
  const after = applyMessage(known, { changed: { outputs: { x: 1 }, waiting: null } });
  assertEquals(after?.outputs, { x: 1 });
  assertEquals(after && "waiting" in after, false);
  assertEquals(after?.taskRunList, known.taskRunList);
});

Deno.test("applyMessage() replaces changed task runs in their place and appends new ones", () => {
  assertEquals(idsAfter({ taskRuns: [failedRun("a", 1), taskRun("c")] }), [
    "a FAILED",
    "b SUCCESS",
    "c SUCCESS",
  ]);
});

Deno.test("applyMessage() drops removed task runs, and after a reconnect those that are not listed", () => {
  assertEquals(idsAfter({ removed: ["a"] }), ["b SUCCESS"]);
  assertEquals(idsAfter({ taskRunIds: ["a"] }), ["a SUCCESS"]);
});

Deno.test("applyMessage() ignores changes of an execution that it does not know", () => {
  assertEquals(applyMessage(undefined, { changed: { outputs: {} } }), undefined);
});
