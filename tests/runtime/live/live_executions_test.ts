import { assertEquals } from "@std/assert";
import { LiveExecutions } from "../../../src/runtime/live/live_executions.ts";
import { liveExecution } from "../live_support.ts";

for (const isRefused of [true, false]) {
  const outcome = isRefused ? "refused" : "still under way";
  Deno.test(`find() of an execution whose deletion began while it was read and is ${outcome}`, async () => {
    const live = liveExecution();
    const { tenant, id } = live.execution;
    const read = Promise.withResolvers<typeof live>();
    const executions = new LiveExecutions(() => read.promise);
    const found = executions.find(tenant, id);
    executions.beginDeletion(tenant, id);
    if (isRefused) executions.endDeletion(tenant, id);
    read.resolve(live);
    assertEquals(await found === live, isRefused);
    assertEquals(executions.has(tenant, id), isRefused);
  });
}
