import { assertEquals } from "@std/assert";
import {
  operationOf,
  READING_OPERATIONS,
  STARTING_OPERATIONS,
} from "../../../src/http/audit/audited_operations.ts";
import { OPERATION_NAMES } from "../../../src/http/openapi/operation_names.ts";
import { OPERATIONS } from "../../../src/http/openapi/operations.ts";
import { operationId } from "../../../src/http/openapi/path_template.ts";

Deno.test("every operation that the audit log leaves out is one of the description, and no GET", () => {
  const names = [...OPERATIONS.keys()].filter((key) => !key.startsWith("GET ")).map((key) =>
    OPERATION_NAMES.get(key) ?? operationId(key)
  );
  const known = new Set(names);
  assertEquals([...READING_OPERATIONS, ...STARTING_OPERATIONS].filter((name) => !known.has(name)), []);
});

const ROUTES: readonly (readonly [string, string, ...ReturnType<typeof summary>])[] = [
  ["POST", "/api/v1/:tenant/flows", "createFlow", "CREATE", "change"],
  ["DELETE", "/api/v1/:tenant/flows/:namespace/:flowId", "deleteFlow", "DELETE", "change"],
  ["POST", "/api/v1/:tenant/flows/validate", "validateFlows", "READ", "none"],
  ["GET", "/api/v1/:tenant/flows/search", "searchFlows", "READ", "none"],
  ["POST", "/api/v1/:tenant/executions/:namespace/:flowId", "createExecution", "CREATE", "start"],
  ["DELETE", "/api/v1/:tenant/executions/:id/actions/kill", "killExecution", "UPDATE", "change"],
  [
    "POST",
    "/api/v1/:tenant/executions/:id{[A-Z][0-9A-Za-z]{21}}/actions/kill",
    "killExecutionByPost",
    "UPDATE",
    "change",
  ],
  ["POST", "/api/v1/me/api-tokens", "createApiTokenForCurrentUser", "CREATE", "change"],
  ["PUT", "/api/v1/:tenant/namespaces/:namespace/kv/:key", "setKeyValue", "UPDATE", "change"],
  ["POST", "/api/v1/:tenant/triggers/backfill/delete", "deleteBackfill", "DELETE", "change"],
  ["GET", "/api/v1/backups/:id/download", "downloadBackup", "READ", "change"],
  ["POST", "/api/v1/login", "login", "LOGIN", "change"],
  ["POST", "/ui/login", "login", "LOGIN", "change"],
  ["POST", "/ui/logout/", "logout", "LOGOUT", "change"],
  ["POST", "/ui/setup", "createBasicAuth", "CREATE", "change"],
];

function summary(method: string, path: string) {
  const { name, type, kind } = operationOf({ method, path, access: "protected" });
  return [name, type, kind] as const;
}

for (const [method, path, ...expected] of ROUTES) {
  Deno.test(`operationOf() ${method} ${path} is ${expected.join(", ")}`, () => {
    assertEquals(summary(method, path), expected);
  });
}

Deno.test("operationOf() takes webhooks for starts, and leaves out workers", () => {
  const path = "/api/v1/:tenant/executions/webhook/:namespace/:flowId/:key";
  assertEquals(operationOf({ method: "GET", path, access: "webhook" }).kind, "start");
  assertEquals(
    operationOf({ method: "POST", path: "/api/v1/worker/connect", access: "worker" }).kind,
    "none",
  );
});
