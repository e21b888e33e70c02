import { assertEquals } from "@std/assert";
import { partsOf } from "../../../../../src/ui/app/views/flows/flow_activity.tsx";

Deno.test("partsOf() counts the executions of an hour by the severity of their states", () => {
  const executionCounts = { SUCCESS: 4, WARNING: 1, FAILED: 2, KILLED: 1, RUNNING: 3, PAUSED: 2, QUEUED: 5 };
  assertEquals(partsOf({ executionCounts }), [
    { tone: "bad", count: 3 },
    { tone: "warn", count: 1 },
    { tone: "held", count: 2 },
    { tone: "busy", count: 3 },
    { tone: "idle", count: 5 },
    { tone: "good", count: 4 },
  ]);
});

Deno.test("partsOf() does not draw paused executions as successful ones", () => {
  assertEquals(partsOf({ executionCounts: { PAUSED: 1 } }), [{ tone: "held", count: 1 }]);
  assertEquals(partsOf({ executionCounts: {} }), []);
});
