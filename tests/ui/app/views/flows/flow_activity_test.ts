import { assertEquals } from "@std/assert";
import { sumsOf } from "../../../../../src/ui/app/views/flows/flow_activity.tsx";

Deno.test("sumsOf() counts all executions of an hour, and those that failed or were killed", () => {
  const executionCounts = { SUCCESS: 4, WARNING: 1, FAILED: 2, KILLED: 1, RUNNING: 3 };
  assertEquals(sumsOf({ executionCounts }), { total: 11, failed: 3 });
  assertEquals(sumsOf({ executionCounts: {} }), { total: 0, failed: 0 });
});
