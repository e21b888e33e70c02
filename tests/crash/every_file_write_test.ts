/** The server dies at every single commit of tasks that write and delete files: no file is lost, and none is left over. */
import { assert, assertEquals } from "@std/assert";
import { executionProblems, type SeenExecution } from "./verification/execution_check.ts";
import type { Cut } from "./mortal_store.ts";
import { type Ending, type Scenario, Story } from "./story.ts";

const STORAGE = "io.svc.plugin.core.storage.";

/** Files of several chunks, more files than one commit takes, a deletion. */
const FILES: Scenario = {
  name: "files",
  form: { name: "x\n".repeat(70_000) },
  flow: `id: story
namespace: demo
inputs: [{id: name, type: STRING}]
tasks:
  - {id: w, type: ${STORAGE}Write, content: "{{ inputs.name }}"}
  - {id: s, type: ${STORAGE}Split, from: "{{ outputs.w.uri }}", rows: 1500}
  - {id: d, type: ${STORAGE}Delete, uri: "{{ outputs.w.uri }}"}
  - {id: c, type: ${STORAGE}Concat, files: "{{ outputs.s.uris }}"}
  - {id: z, type: ${STORAGE}Size, uri: "{{ outputs.c.uri }}"}
`,
};

Deno.test("every write of files: a crash there changes nothing in the end", async () => {
  const story = new Story(FILES);
  const uncut = await story.play();
  check(uncut, uncut, "uncut");
  const [commits = 0] = uncut.commits;
  assert(commits > 10);
  for (const mode of ["die_before", "die_after"] as const) {
    for (let at = 1; at <= commits + 1; at++) check(await story.play([{ at, mode }]), uncut, at, mode);
  }
});

Deno.test("every write of files: a second crash while the first is made good changes nothing in the end", async () => {
  const story = new Story(FILES);
  const uncut = await story.play();
  const [commits = 0] = uncut.commits;
  for (let first = 4; first <= commits; first += 5) {
    for (let second = 1; second <= 6; second++) {
      const cuts: Cut[] = [{ at: first, mode: "die_after" }, { at: second, mode: "die_after" }];
      check(await story.play(cuts), uncut, first, second);
    }
  }
});

function check(ending: Ending, uncut: Ending, ...where: readonly (string | number)[]): void {
  const message = where.join(" ");
  assertEquals(withoutIds(ending.summary), withoutIds(uncut.summary), message);
  const { logs: _logs, ...rows } = ending.rows;
  const { logs: _uncutLogs, ...uncutRows } = uncut.rows;
  assertEquals(ending.execution ? rows : {}, ending.execution ? uncutRows : {}, message);
  const execution = ending.execution as unknown as SeenExecution | undefined;
  if (execution) assertEquals(executionProblems(execution, ending.crashes), [], message);
}

/** Every try gives files other names. */
function withoutIds(summary: unknown): string {
  return JSON.stringify(summary)?.replaceAll(/kestra:[^"]*/g, "file") ?? "";
}
