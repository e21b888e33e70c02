/** Only an execution, its ancestors and its descendants may access its files; no task returns files of unrelated executions. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { CORE, flowOf, logOf } from "./core_flows.ts";
import { json } from "../support/flows/request_bodies.ts";

const INPUT = "inputs: [{id: u, type: STRING}]\n";

/** Tasks that take the URI of a file. */
const TASKS: readonly string[] = [
  't debug.Return {format: "{{ read(inputs.u) }}"}',
  't debug.Return {format: "{{ fileSize(inputs.u) }}"}',
  't debug.Return {format: "{{ fileExists(inputs.u) }}"}',
  't debug.Return {format: "{{ isFileEmpty(inputs.u) }}"}',
  't storage.Concat {files: ["{{ inputs.u }}"]}',
  't storage.Size {uri: "{{ inputs.u }}"}',
  't storage.Delete {uri: "{{ inputs.u }}"}',
  't storage.Reverse {from: "{{ inputs.u }}"}',
  't storage.Split {from: "{{ inputs.u }}", rows: 1}',
  't storage.DeduplicateItems {from: "{{ inputs.u }}", expr: "{{ key }}"}',
  't storage.FilterItems {from: "{{ inputs.u }}", filterCondition: "{{ true }}"}',
  't namespace.UploadFiles {namespace: demo, filesMap: {x: "{{ inputs.u }}"}}',
  't flow.ForEachItem {items: "{{ inputs.u }}", namespace: demo, flowId: owner}',
  't http.Request {uri: "http://127.0.0.1:9/", method: POST, contentType: multipart/form-data, formData: {f: "{{ inputs.u }}"}}',
  `t flow.WorkingDirectory {inputFiles: {a: "{{ inputs.u }}"}, tasks: [{id: l, type: ${CORE}log.Log, message: x}]}`,
  `t flow.WorkingDirectory {tasks: [{id: l, type: ${CORE}storage.LocalFiles, inputs: {a: "{{ inputs.u }}"}}]}`,
];

for (const task of TASKS) {
  Deno.test(`${task.split(" ")[1]} refuses a file of another execution: ${task.slice(0, 90)}`, async () => {
    await using app = await Harness.start();
    await app.save(flowOf("owner", ["w storage.Write {content: private}"]));
    const owner = await app.execution((await app.start("owner", {}, "?wait=true")).id);
    const uri = String(owner.taskRunList[0]?.outputs.uri);
    await app.save(flowOf("thief", [task], INPUT));
    const id = String((await app.start("thief", { u: uri }, "?wait=true")).id);
    const thief = await app.execution(id);
    assertEquals(thief.state.current, "FAILED");
    assertMatch(
      (await logOf(app, id)).join("\n"),
      /neither .* nor|belongs to another execution|didn't belong to the current execution/,
    );
    const path = `/executions/${owner.id}/file?path=${encodeURIComponent(uri)}`;
    assertEquals(await (await app.request("GET", path)).text(), "private");
  });
}

/** Texts that a caller may send instead of a file. */
const PATHS = ["/etc/passwd", "../../etc/passwd", '{"path":"/etc/passwd"}', "C:\\secrets"];

for (const path of PATHS) {
  Deno.test(`POST /executions/… does not accept a path as a file: ${path}`, async () => {
    await using app = await Harness.start();
    await app.save(flowOf("files", ['t debug.Return {format: "x"}'], "inputs: [{id: u, type: FILE}]\n"));
    const body = new FormData();
    body.append("u", path);
    const response = await app.request("POST", "/executions/demo/files", { body });
    assertEquals(response.status, 422);
    await response.body?.cancel();
  });
}

Deno.test("POST /executions/… with a JSON body cannot contain files", async () => {
  await using app = await Harness.start();
  await app.save(flowOf("files", ['t debug.Return {format: "x"}'], "inputs: [{id: u, type: FILE}]\n"));
  const body = JSON.stringify({ u: "/etc/passwd", files: { u: { filepath: "/etc/passwd" } } });
  const response = await app.request("POST", "/executions/demo/files", json(body));
  assertEquals(response.status >= 400 && response.status < 500, true, String(response.status));
  await response.body?.cancel();
});
