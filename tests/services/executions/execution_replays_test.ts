/** Replays and restarts with another revision of the flow. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { CORE } from "../../tasks/core_flows.ts";

const INNER = `{id: a, type: ${CORE}debug.Return, format: x}, {id: b, type: ${EFFECT_TYPE}}`;
const RAN = flowOf(`{id: s, type: ${CORE}flow.Sequential, tasks: [${INNER}]}`);

/** A flow with one task before the last one. */
function flowOf(task: string): string {
  return `id: flow
namespace: demo
tasks: [${task}, {id: z, type: ${CORE}debug.Return, format: x}]
`;
}

interface Row {
  readonly change: string;
  readonly task: string;
  /** A restart finds nothing to run again, or another task. */
  readonly isReplayOnly?: true;
  /** Task runs of the replay; absent: it is refused. */
  readonly taskRuns?: string;
}

const ROWS: readonly Row[] = [
  {
    change: "another id of the task around it",
    isReplayOnly: true,
    task: `{id: s2, type: ${CORE}flow.Sequential, tasks: [${INNER}]}`,
  },
  {
    change: "another type of the task around it",
    task: `{id: s, type: ${CORE}flow.ForEach, values: [1, 2], tasks: [${INNER}]}`,
  },
  {
    change: "another task between them",
    task:
      `{id: s, type: ${CORE}flow.Sequential, tasks: [{id: t, type: ${CORE}flow.Sequential, tasks: [${INNER}]}]}`,
  },
  { change: "no task around it", isReplayOnly: true, task: INNER },
  {
    change: "another list of the task around it",
    isReplayOnly: true,
    task:
      `{id: s, type: ${CORE}flow.Sequential, tasks: [{id: c, type: ${EFFECT_TYPE}}], finally: [${INNER}]}`,
  },
  {
    change: "another type",
    task: `{id: s, type: ${CORE}flow.Sequential, tasks: [${
      INNER.replace(EFFECT_TYPE, `${CORE}log.Log, message: x`)
    }]}`,
    taskRuns: "s a b z",
  },
  {
    change: "another task behind it",
    task: `{id: s, type: ${CORE}flow.Sequential, tasks: [${INNER}, {id: c, type: ${EFFECT_TYPE}}]}`,
    taskRuns: "s a b c z",
  },
];

Deno.test("POST /executions/:id/replay runs a revision without the pause that the task to run again was in", async () => {
  const tasks = (pause: string) => flowOf(`{id: s, type: ${CORE}flow.Sequential, tasks: [${pause}${INNER}]}`);
  await using app = await Harness.start();
  await app.save(tasks(`{id: p, type: ${CORE}flow.Pause}, `));
  const { id } = await app.start("flow");
  const source = await app.execution(id);
  assertEquals([source.state.current, namesOf(source)], ["PAUSED", "s p"]);
  await app.json("PUT", "/flows/demo/flow", yaml(tasks("")));
  const path = `/executions/${id}/replay?taskRunId=${source.taskRunList[0]?.id}&revision=2`;
  const body = await app.json("POST", path) as JsonObject;
  for (let turn = 0; turn < 5; turn++) await settle();
  const copy = await app.execution(body.id);
  assertEquals([copy.state.current, namesOf(copy)], ["SUCCESS", "s a b z"]);
});

for (const how of ["replay", "restart"] as const) {
  for (const { change, task, taskRuns, isReplayOnly } of ROWS) {
    if (isReplayOnly && how === "restart") continue;
    const rule = taskRuns ? "runs" : "refuses";
    Deno.test(`POST /executions/:id/${how} ${rule} a revision that gives the task to run again ${change}`, async () => {
      let isBroken = true;
      await using app = await Harness.start({
        effect: () => ({ state: isBroken ? "FAILED" : "SUCCESS" }),
      });
      await app.save(RAN);
      const { id } = await app.start("flow", {}, "?wait=true");
      const source = await app.execution(id);
      assertEquals([source.state.current, namesOf(source)], ["FAILED", "s a b"]);
      isBroken = false;
      await app.json("PUT", "/flows/demo/flow", yaml(flowOf(task)));
      const from = source.taskRunList.find(({ taskId }) => taskId === "b")?.id;
      const query = how === "replay" ? `taskRunId=${from}&revision=2` : "revision=2";
      const response = await app.request("POST", `/executions/${id}/${how}?${query}`);
      const body = await response.json() as JsonObject;
      if (taskRuns === undefined) {
        assertEquals(response.status, 422);
        return assertStringIncludes(
          String(body.message),
          'revision 2 of the flow has other tasks around "b"',
        );
      }
      assertEquals(response.status, 200);
      for (let turn = 0; turn < 5; turn++) await settle();
      const copy = await app.execution(String(body.id));
      assertEquals([copy.state.current, namesOf(copy)], ["SUCCESS", taskRuns]);
    });
  }
}

function namesOf({ taskRunList }: ExecutionResponse): string {
  return taskRunList.map(({ taskId }) => taskId).join(" ");
}
