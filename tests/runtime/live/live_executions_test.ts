import { assertEquals } from "@std/assert";
import { LIVE_EXECUTIONS_OF_TENANT, MAX_LIVE_EXECUTIONS } from "../../../src/model/limits.ts";
import type { LiveExecution } from "../../../src/runtime/live/live_execution.ts";
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

/** That many executions of each tenant are in memory, others are coming: whether the tenant "a" may start no more. */
const FULL: readonly (readonly [Readonly<Record<string, number>>, coming: number, isFull: boolean])[] = [
  [{ a: MAX_LIVE_EXECUTIONS - 1 }, 0, false],
  [{ a: MAX_LIVE_EXECUTIONS }, 0, true],
  [{ a: MAX_LIVE_EXECUTIONS - 2 }, 2, true],
  [{ b: MAX_LIVE_EXECUTIONS }, 0, false],
  [{ a: LIVE_EXECUTIONS_OF_TENANT - 1, b: MAX_LIVE_EXECUTIONS }, 0, false],
  [{ a: LIVE_EXECUTIONS_OF_TENANT, b: MAX_LIVE_EXECUTIONS }, 0, true],
];
for (const [counts, coming, isFull] of FULL) {
  Deno.test(`isFullFor() of ${JSON.stringify(counts)} in memory and ${coming} that come is ${isFull}`, () => {
    const executions = new LiveExecutions(() => Promise.resolve(undefined));
    for (const [tenant, count] of Object.entries(counts)) {
      for (let n = 0; n < count; n++) {
        const live = { key: `${tenant}/${n}`, execution: { tenant }, isDropped: false };
        executions.keep(live as unknown as LiveExecution);
      }
    }
    assertEquals(executions.isFullFor("a", coming), isFull);
  });
}
