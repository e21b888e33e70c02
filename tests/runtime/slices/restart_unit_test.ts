import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness, type TaskRunResponse } from "../../support/harness.ts";
import { json } from "../../support/flows/request_bodies.ts";

const CORE = "io.kestra.plugin.core.";
const SHARING = `id: flow
namespace: demo
tasks:
  - {id: o, type: ${EFFECT_TYPE}}
  - id: wd
    type: ${CORE}flow.WorkingDirectory
    tasks:
      - {id: a, type: ${CORE}storage.LocalFiles, inputs: {x.txt: hello}}
      - {id: b, type: ${CORE}storage.LocalFiles, outputs: ["x.txt"]}
      - {id: f, type: ${CORE}execution.Fail}
`;
const ASKING = `id: flow
namespace: demo
tasks:
  - {id: p, type: ${CORE}flow.Pause, onPause: {id: f, type: ${CORE}execution.Fail}}
`;

Deno.test("POST /executions/:id/replay from a task of a WorkingDirectory replays the whole directory", async () => {
  await using app = await Harness.start();
  await app.save(SHARING);
  const { id } = await app.start("flow");
  const source = await atRest(app, id);
  const target = taskRunOf(source.taskRunList, "b");
  const path = `/executions/${id}/replay?taskRunId=${target.id}`;
  const { id: copyId } = await app.json("POST", path) as JsonObject;
  const copy = await atRest(app, copyId);
  assertEquals(copy.taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`), [
    "o SUCCESS",
    "wd FAILED",
    "a SUCCESS",
    "b SUCCESS",
    "f FAILED",
  ]);
  assertEquals(taskRunOf(copy.taskRunList, "o").attempts?.length, 1);
});

const PARTS: readonly (readonly [whole: string, source: string])[] = [["wd", SHARING], ["p", ASKING]];
for (const [whole, source] of PARTS) {
  Deno.test(`POST /executions/:id/state refuses a task that runs again only with all of "${whole}"`, async () => {
    await using app = await Harness.start();
    await app.save(source);
    const { id } = await app.start("flow");
    const before = await atRest(app, id);
    const body = JSON.stringify({ taskRunId: taskRunOf(before.taskRunList, "f").id, state: "SUCCESS" });
    const response = await app.request("POST", `/executions/${id}/state`, json(body));
    assertEquals(response.status, 409);
    assertStringIncludes((await response.json()).message, `change the state of "${whole}"`);
    assertEquals((await app.execution(id)).state, before.state);
  });
}

/** The execution once it has ended or is paused: what it does in a directory takes its time. */
async function atRest(app: Harness, id: JsonValue | undefined): Promise<ExecutionResponse> {
  for (;;) {
    const execution = await app.execution(id);
    if (/^(SUCCESS|FAILED|PAUSED)$/.test(execution.state.current)) return execution;
    await settle();
  }
}

function taskRunOf(list: readonly TaskRunResponse[], id: string): TaskRunResponse {
  const found = list.find(({ taskId }) => taskId === id);
  if (!found) throw new Error(`there is no task run of ${id}`);
  return found;
}
