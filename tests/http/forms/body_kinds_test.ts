/** Bodies of JSON of another kind than their route takes. */
import { assertEquals } from "@std/assert";
import { json } from "../../support/flows/request_bodies.ts";
import { Harness } from "../../support/harness.ts";

const BODIES: readonly (readonly [method: string, path: string, body: unknown, reason: string])[] = [
  ["POST", "/executions/restart/by-ids", { a: 1 }, "the body must name executions by a list of ids"],
  ["POST", "/executions/restart/by-ids", [1], "the body must name executions by a list of ids"],
  ["POST", "/executions/latest", { a: 1 }, 'the body must be a list of "namespace" and "id"'],
  ["POST", "/flows/export/by-ids", null, 'the body must be a list of "namespace" and "id"'],
  ["POST", "/flows/disable/by-ids", "x", 'the body must be a list of "namespace" and "id"'],
  ["PUT", "/triggers/backfill/pause", [], "the body must be an object"],
  ["POST", "/namespaces", [], "a namespace is an object"],
];

Deno.test("a body of another kind than the route takes is 422 and says which one it takes", async (test) => {
  await using server = await Harness.start();
  for (const [method, path, body, reason] of BODIES) {
    await test.step(`${method} ${path} ${JSON.stringify(body)}`, async () => {
      const response = await server.request(method, path, json(JSON.stringify(body)));
      const { type, message } = await response.json();
      assertEquals([response.status, type, message], [
        422,
        "/problems/invalid-request-body",
        `Invalid route params: ${reason}`,
      ]);
    });
  }
});
