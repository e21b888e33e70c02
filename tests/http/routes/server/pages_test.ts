import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/request_bodies.ts";

const FLOW = `id: hello
namespace: demo
tasks:
  - id: say
    type: io.svc.plugin.core.log.Log
    message: "<script>alert(1)</script>"
`;
const SLOW =
  "id: slow\nnamespace: demo\ntasks:\n  - id: wait\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n";
const FAILING =
  "id: bad\nnamespace: demo\ntasks:\n  - id: break\n    type: io.svc.plugin.core.execution.Fail\n    errorMessage: it broke\n";

for (const [prefix, suffix] of [["", ""], ["/main", ""], ["", "/logs"], ["/main", "/outputs"]]) {
  Deno.test(`GET /ui${prefix}/executions/:namespace/:flowId/:id${suffix} shows the execution`, async () => {
    await using server = await Harness.start();
    const { id } = await server.run(FLOW);
    const response = await server.request("GET", `/ui${prefix}/executions/demo/hello/${id}${suffix}`);
    assertEquals([response.status, response.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    const text = await response.text();
    assertStringIncludes(text, "SUCCESS");
    assertStringIncludes(text, "&lt;script&gt;alert(1)&lt;/script&gt;");
    assertNotMatch(text, /<script/);
  });
}

Deno.test("GET /ui/… is sent with a policy that allows no inline script", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  for (const path of ["/ui/", `/ui/executions/demo/hello/${id}`, "/ui/executions/demo/hello/none"]) {
    const response = await server.request("GET", path);
    await response.body?.cancel();
    const policy = response.headers.get("content-security-policy") ?? "";
    assertMatch(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/);
    assertNotMatch(policy, /unsafe/);
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  }
});

Deno.test("GET /ui/executions/… of a live execution follows it, of an ended one does not", async () => {
  await using server = await Harness.start();
  await server.save(SLOW);
  const { id } = await server.start("slow");
  const path = `/ui/executions/demo/slow/${id}`;
  const live = await (await server.request("GET", path)).text();
  assertStringIncludes(live, `data-follow="/api/v1/main/executions/${id}/follow"`);
  assertStringIncludes(live, "RUNNING");
  await server.advance(61_000);
  assertNotMatch(await (await server.request("GET", path)).text(), /data-follow/);
});

Deno.test("GET /ui/executions/… of a failed execution shows the error", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FAILING);
  const text = await (await server.request("GET", `/ui/executions/demo/bad/${id}`)).text();
  assertMatch(text, /Failed in task break<\/strong><pre>it broke/);
});

Deno.test("GET /ui/executions/… of what does not exist returns a page with 404", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  const paths = [
    "/ui/executions/demo/hello/%3Cscript%3E",
    `/ui/executions/demo/hello/${"A".repeat(22)}`,
    `/ui/executions/demo/other/${id}`,
    `/ui/executions/other/hello/${id}`,
  ];
  for (const path of paths) {
    const response = await server.request("GET", path);
    assertEquals([response.status, response.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
    const text = await response.text();
    assertStringIncludes(text, "There is nothing here");
    assertNotMatch(text, /<script>/);
  }
});

Deno.test("GET /ui/:tenant/executions/… of another tenant does not show this one's", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  await server.json("POST", "/api/v1/tenants", json('{"id":"blue","name":"Blue"}'));
  for (const tenant of ["blue", "nowhere"]) {
    const response = await server.request("GET", `/ui/${tenant}/executions/demo/hello/${id}`);
    await response.body?.cancel();
    assertEquals(response.status, 404);
  }
});

Deno.test("GET /ui/ shows the latest executions", async () => {
  await using server = await Harness.start({ version: "9.8.7" });
  const empty = await (await server.request("GET", "/ui/")).text();
  assertStringIncludes(empty, "Nothing has run yet");
  assertStringIncludes(empty, "version 9.8.7");
  assertStringIncludes(empty, "http://127.0.0.1:8080/api/v1/main");
  const { id } = await server.run(FLOW);
  const text = await (await server.request("GET", "/ui")).text();
  assertStringIncludes(text, `href="/ui/executions/demo/hello/${id}"`);
  assertStringIncludes(text, "1 of 1");
});

const ASSETS: readonly (readonly [string, string])[] = [
  ["style.css", "text/css; charset=utf-8"],
  ["follow.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
];
for (const [name, type] of ASSETS) {
  Deno.test(`GET /ui/assets/${name} is sent once for each version`, async () => {
    await using server = await Harness.start();
    const first = await server.request("GET", `/ui/assets/${name}`);
    assertEquals([first.status, first.headers.get("content-type")], [200, type]);
    const etag = first.headers.get("etag") ?? "";
    const text = await first.text();
    assertEquals(text.length > 100, true);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const second = await server.request("GET", `/ui/assets/${name}`, { headers: { "if-none-match": tag } });
      assertEquals([second.status, await second.text()], [304, ""]);
    }
  });
}

for (const name of ["nothing.css", "__proto__", "..%2fassets.ts"]) {
  Deno.test(`GET /ui/assets/${name} returns 404`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/ui/assets/${name}`);
    await response.body?.cancel();
    assertEquals(response.status, 404);
  });
}
