/** A crash in the middle of a deletion must not leave what nobody refers to any more in the database for ever. */
import { assertEquals } from "@std/assert";
import { Story } from "./story.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const FLOW = `
id: story
namespace: demo
inputs:
  - {id: name, type: STRING}
tasks:
  - {id: a, type: ${RETURN}, format: "{{ inputs.name }}"}
  - {id: b, type: ${RETURN}, format: "${"medium".repeat(500)}"}
`;

Deno.test("DELETE /executions/:id cut short by a crash leaves no task runs, log lines and large values behind", async () => {
  const scenario = {
    name: "delete",
    flow: FLOW,
    form: { name: "x".repeat(70_000) },
    then: "delete",
  } as const;
  const story = new Story(scenario);
  const uncut = await story.play();
  const [commits = 0] = uncut.commits;
  for (let at = 1; at <= commits; at++) {
    const { rows } = await story.play([{ at, mode: "die_before" }]);
    assertEquals(rows, uncut.rows, `cut before commit ${at} of ${commits}`);
  }
});
