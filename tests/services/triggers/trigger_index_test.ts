import { assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { executionsOf, flowTrigger, triggeredFlow } from "../../support/flows/triggers.ts";

Deno.test("TriggerIndex.announcementsOf() ignores executions of other kinds than NORMAL", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("listener", flowTrigger()));
  const tasks = [{ id: "l", type: "io.kestra.plugin.core.log.Log", message: "m" }];
  await app.save(JSON.stringify({ id: "a", namespace: "demo", tasks }));
  for (const kind of ["TEST", "PLAYGROUND"]) await app.start("a", {}, `?kind=${kind}`);
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 0);
  await app.start("a", {}, "?kind=NORMAL");
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 1);
});
