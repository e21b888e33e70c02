import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { CORE, flowOf, logOf, runTasks } from "./core_flows.ts";

const HOOKED = flowOf("hooked", ["r debug.Return {format: a}"]) +
  `triggers:\n  - {id: hook, type: ${CORE}trigger.Webhook, key: abc}\n`;

Deno.test("trigger.Toggle disables a trigger and enables it again", async () => {
  await using app = await Harness.start();
  await app.save(HOOKED);
  const call = async () => {
    const response = await app.request("GET", "/executions/webhook/demo/hooked/abc");
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await call(), 200);
  const off = await runTasks(app, ["t trigger.Toggle {flowId: hooked, trigger: hook}"]);
  assertEquals([off.state.current, await call()], ["SUCCESS", 404]);
  const on = await app.run(flowOf("on", [
    "t trigger.Toggle {namespace: demo, flowId: hooked, trigger: hook, enabled: true}",
  ]));
  assertEquals([on.state.current, await call()], ["SUCCESS", 200]);
});

Deno.test("trigger.Toggle fails for a trigger that does not exist", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, ["t trigger.Toggle {trigger: none}"]);
  assertEquals(await logOf(app, execution.id), ['ERROR Not Found: trigger "demo.flow.none" does not exist']);
});
