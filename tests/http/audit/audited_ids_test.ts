import { assertEquals } from "@std/assert";
import { childFlow, fillNamespace } from "../../support/flows/namespace_scene.ts";
import { fileForm, json, yaml } from "../../support/flows/request_bodies.ts";
import { type ExecutionResponse, Harness } from "../../support/harness.ts";

const HOOK = { namespace: "old", flowId: "main", triggerId: "daily" };
const KEY = "namespace=old flowId=main triggerId=daily";

/** Requests and the ids of their records; `ID` is the id of an execution. */
const CHANGES: readonly (readonly [method: string, path: string, init: RequestInit, ids: string])[] = [
  ["POST", "/namespaces", json({ id: "made" }), "namespace=made"],
  ["PUT", "/namespaces/old/secrets", json({ key: "S", value: "hidden-value" }), "namespace=old key=S"],
  ["POST", "/namespaces/old/files?path=/a.txt", fileForm("hidden-value"), "namespace=old path=/a.txt"],
  ["PUT", "/namespaces/old/files?from=/a.txt&to=/b.txt", {}, "namespace=old from=/a.txt to=/b.txt"],
  ["DELETE", "/namespaces/old/files?path=/b.txt", {}, "namespace=old path=/b.txt"],
  ["DELETE", "/namespaces/old/kv", json({ keys: ["k", "none"] }), "namespace=old count=1 ids=k"],
  ["PUT", "/triggers/set-disabled", json({ ...HOOK, disabled: true }), KEY],
  ["PUT", "/triggers", json({ ...HOOK, disabled: false }), KEY],
  [
    "POST",
    "/triggers/set-disabled/by-triggers",
    json({ triggers: [HOOK], disabled: true }),
    "count=1 ids=old.main.daily",
  ],
  ["POST", "/flows/disable/by-ids", json([{ namespace: "old", id: "child" }]), "count=1 ids=old.child"],
  ["POST", "/flows/enable/by-query?namespace=old", {}, "count=1 ids=old.child old.main old.sub.child"],
  ["POST", "/flows/bulk?delete=false", yaml(childFlow("bulk")), "count=1 ids=bulk.child"],
  [
    "POST",
    "/flows/import",
    fileForm(childFlow("imported"), "flows.yml", "fileUpload"),
    "count=1 ids=imported.child",
  ],
  [
    "POST",
    "/executions/labels/by-ids",
    json({ executionsId: ["ID"], executionLabels: [] }),
    "count=1 ids=ID",
  ],
  ["DELETE", "/executions/by-query?namespace=old", {}, "count=1"],
  ["POST", "/namespaces/old/rename", json({ id: "new" }), "namespace=old renamedTo=new count=2"],
];

Deno.test("the audit log names what a change concerns, also where the body or a filter says it", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  const { id } = await app.json("POST", "/executions/old/child?wait=true") as unknown as ExecutionResponse;
  const shown: string[] = [];
  for (const [method, path, init] of CHANGES) {
    const body = typeof init.body === "string" ? init.body.replace("ID", id) : init.body;
    const response = await app.request(method, path, { ...init, body });
    await response.body?.cancel();
    await app.advance(1);
    const { results } = await app.page("/auditlogs/search?size=1");
    const [{ auditLog }] = results as unknown as [{ auditLog: { detail: Record<string, unknown> } }];
    const { operation: _operation, method: _method, status, ...ids } = auditLog.detail;
    shown.push(`${status} ${Object.entries(ids).map(([name, value]) => `${name}=${value}`).join(" ")}`);
  }
  assertEquals(shown, CHANGES.map(([, , , ids]) => `200 ${ids.replace("ID", id)}`));
  assertEquals(
    await (await app.request("GET", "/auditlogs/export/by-query/json")).text().then((text) =>
      text.includes("hidden-value")
    ),
    false,
  );
});
