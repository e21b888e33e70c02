/** Conditions of task runs that people let run again. */
import { assertEquals } from "@std/assert";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";

const TYPE = "io.svc.plugin.core";
const FLOW = `id: again
namespace: demo
inputs:
  - {id: go, type: STRING}
tasks:
  - {id: first, type: ${TYPE}.debug.Return, format: x}
  - TASK
  - {id: last, type: ${TYPE}.debug.Return, format: x}
`;

/** A task that runs when the input \`go\` or the KV pair \`go\` says so, and what runs below it. */
const TASKS: readonly (readonly [kind: string, task: string, below: readonly string[]])[] = [
  ["a runnable task", `{id: it, type: ${TYPE}.debug.Return, format: x, runIf: "IF"}`, []],
  [
    "a flowable task",
    `{id: it, type: ${TYPE}.flow.Sequential, runIf: "IF", tasks: [{id: in, type: ${TYPE}.debug.Return, format: x}]}`,
    ["in SUCCESS"],
  ],
];

const CHOICES = ["yes", "no"] as const;

async function states(app: Harness, id: string): Promise<string[]> {
  await settle();
  const { taskRunList } = await app.execution(id);
  return taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`);
}

for (const [kind, task, below] of TASKS) {
  for (const choice of CHOICES) {
    const after = choice === "yes"
      ? ["it SUCCESS", ...below, "last SUCCESS"]
      : ["it SKIPPED", "last SUCCESS"];

    Deno.test(`POST /executions/:id/replay-with-inputs from ${kind} that was SKIPPED asks its condition: ${choice}`, async () => {
      await using app = await Harness.start();
      await app.save(FLOW.replace("TASK", task.replace("IF", "{{ inputs.go == 'yes' }}")));
      const id = String((await app.start("again", { go: "no" })).id);
      assertEquals(await states(app, id), ["first SUCCESS", "it SKIPPED", "last SUCCESS"]);
      const taskRunId = (await app.execution(id)).taskRunList[1]?.id;
      const body = new FormData();
      body.append("go", choice);
      const path = `/executions/${id}/actions/replay-with-inputs?taskRunId=${taskRunId}`;
      const replay = await (await app.request("POST", path, { body })).json();
      assertEquals(await states(app, replay.id), ["first SUCCESS", ...after]);
    });

    Deno.test(`POST /executions/:id/restart asks the condition of ${kind} that could not be rendered: ${choice}`, async () => {
      await using app = await Harness.start();
      await app.save(
        FLOW.replace("TASK", task.replace("IF", "{{ kv('go', errorOnMissing=true) == 'yes' }}")),
      );
      const id = String((await app.start("again", { go: "no" })).id);
      assertEquals(await states(app, id), ["first SUCCESS", "it FAILED"]);
      const pair = json(choice);
      await (await app.request("PUT", "/namespaces/demo/kv/go", pair)).body?.cancel();
      await (await app.request("POST", `/executions/${id}/restart`)).body?.cancel();
      assertEquals(await states(app, id), ["first SUCCESS", ...after]);
    });
  }
}
