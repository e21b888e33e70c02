import { assert, assertEquals } from "@std/assert";
import { flowAround } from "../../../../../src/ui/app/views/plugins/example_flow.ts";

Deno.test("flowAround() puts an example into a flow", () => {
  assertEquals(
    flowAround("- id: log\n  type: core.Log\n", "task"),
    "id: example\nnamespace: company.team\n\ntasks:\n  - id: log\n    type: core.Log\n",
  );
  const scheduled = flowAround("- id: s", "trigger");
  assert(scheduled.includes("\ntasks:\n") && scheduled.endsWith("\ntriggers:\n  - id: s\n"));
  assertEquals(flowAround("id: a\ntasks: []\n", "task"), "id: a\ntasks: []\n");
});
