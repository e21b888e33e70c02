import { assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import { triggeredFlow } from "../../support/flows/triggers.ts";

const SANDBOX = "sandbox; default-src 'none'";
const NAMES = ["content-security-policy", "x-content-type-options", "referrer-policy"];

async function policyOf(response: Response): Promise<(string | null)[]> {
  await response.body?.cancel();
  return NAMES.map((name) => response.headers.get(name));
}

/** Media type of a webhook's response, and how a browser must treat it. */
const TYPES: readonly (readonly [contentType: string, disposition: string | null])[] = [
  ["text/html", "attachment"],
  ["TEXT/HTML; charset=utf-8", "attachment"],
  ["image/svg+xml", "attachment"],
  ["application/xhtml+xml", "attachment"],
  ["text/xml", "attachment"],
  ["text/plain, text/html", "attachment"],
  ["text/csv;a=b, text/html", "attachment"],
  ["nothing", "attachment"],
  ["text/plain", null],
  ["Text/Plain ; charset=utf-8", null],
  ["application/json", null],
  ["image/png", null],
];

for (const [responseContentType, disposition] of TYPES) {
  Deno.test(`a webhook that responds with "${responseContentType}" cannot act as a page of the server`, async () => {
    await using app = await Harness.start();
    const trigger = {
      type: "io.kestra.plugin.core.trigger.Webhook",
      key: "key",
      wait: true,
      returnOutputs: true,
      responseContentType,
    };
    const outputs = [{ id: "page", type: "STRING", value: "<script>top.stolen = 1</script>" }];
    await app.save(triggeredFlow("w", trigger, { outputs }));
    const response = await app.request("GET", "/executions/webhook/demo/w/key");
    assertEquals([response.status, response.headers.get("content-type")], [200, responseContentType]);
    assertEquals(response.headers.get("content-disposition"), disposition);
    assertEquals(await policyOf(response), [SANDBOX, "nosniff", "no-referrer"]);
  });
}

Deno.test("every response that is no page is sandboxed, errors, files and streams included", async () => {
  await using app = await Harness.start();
  await app.save("id: a\nnamespace: demo\ntasks: [{id: t, type: core.debug.Return, format: x}]");
  const { id } = await app.start("a");
  const form = new FormData();
  form.append("fileContent", new File(["<script></script>"], "a.html"));
  await app.json("POST", "/namespaces/demo/files?path=/a.html", { body: form });
  const paths = [
    "/ping",
    "/health",
    "/nothing",
    "/api/v1/configs",
    `/executions/${id}`,
    `/executions/${id}/follow`,
    `/executions/${id}/file?path=nothing`,
    `/executions/${id}/file/preview?path=nothing`,
    `/logs/${id}/download`,
    "/executions/export/by-query/csv",
    "/executions/webhook/demo/a/wrong",
    "/namespaces/demo/files?path=/a.html",
    "/namespaces/demo/files/export",
  ];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "PATCH"]) {
      const response = await app.request(method, path, { headers: { "accept-encoding": "gzip" } });
      assertEquals(await policyOf(response), [SANDBOX, "nosniff", "no-referrer"], `${method} ${path}`);
    }
  }
});

Deno.test("pages have a policy of their own", async () => {
  await using app = await Harness.start();
  const [policy, sniffing, referrer] = await policyOf(await app.request("GET", "/ui/"));
  assertMatch(policy ?? "", /frame-ancestors 'none'/);
  assertEquals([sniffing, referrer], ["nosniff", "same-origin"]);
});

Deno.test("every response asks for HTTPS where the public address uses it", async () => {
  for (
    const [baseUrl, expected] of [["https://s.example", "max-age=31536000"], [
      "http://s.example",
      null,
    ]] as const
  ) {
    await using app = await Harness.start({ baseUrl });
    for (const path of ["/ui/", "/ping", "/flows/search", "/nothing", "/executions/webhook/a/b/c"]) {
      const response = await app.request("GET", path);
      await response.body?.cancel();
      assertEquals(response.headers.get("strict-transport-security"), expected, `${baseUrl} ${path}`);
    }
  }
});
