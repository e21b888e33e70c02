/** A server that stops leaves nothing under way. */
import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";

Deno.test("Assembly.stop() waits for the password that is being hashed", async () => {
  const credentials = { user: "anna", password: "pass-word" };
  // As much work as on a real server: it is not over with the request.
  await using server = await Harness.start({ credentials, noAuthExplicit: false, hashWork: undefined });
  assertEquals((await server.request("GET", "/flows/search")).status, 401);
});

Deno.test("POST /namespaces/:namespace/files refuses a declared length over the cap before it reads", async () => {
  await using server = await Harness.start({ maxUploadBytes: 1_000_000 });
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1_000));
      if (++pulls > 500) controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": "99999999999" };
  const response = await server.request("POST", "/namespaces/demo/files?path=a", { headers, body });
  await response.body?.cancel();
  assertEquals([response.status, pulls], [413, 0]);
});
