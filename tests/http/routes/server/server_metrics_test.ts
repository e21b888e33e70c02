import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serverMetricsText } from "../../../../src/http/responses/server_metrics_text.ts";
import { MAX_LABELLED_NAMESPACES } from "../../../../src/services/metrics/server_metrics.ts";
import { FAKE_START } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { ADMIN, basicHeader, bearerHeader, startApp } from "../../app_under_test.ts";

const flow = (id: string, namespace: string, type: string) =>
  `id: ${id}\nnamespace: ${namespace}\ntasks:\n  - id: a\n    type: io.svc.plugin.core.${type}\n`;

/** Values by name and labels, as written. */
async function scrape(server: Harness): Promise<Map<string, number>> {
  const text = await (await server.request("GET", "/prometheus")).text();
  const samples = text.trimEnd().split("\n").filter((line) => !line.startsWith("#"));
  return new Map(samples.map((line) => {
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  }));
}

Deno.test("GET /prometheus is text of the format that collectors read", async () => {
  await using server = await Harness.start();
  const response = await server.request("GET", "/prometheus");
  assertEquals(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const lines = (await response.text()).trimEnd().split("\n");
  const types = new Set<string>();
  for (const line of lines) {
    const [, name = ""] = /^# TYPE ([a-z_]+) (?:counter|gauge)$/.exec(line) ?? [];
    if (name !== "") {
      assert(!types.has(name), `${name} is told twice`);
      types.add(name);
    } else if (!line.startsWith("# HELP ")) {
      assertMatch(
        line,
        /^[a-z_]+(?:\{[a-z_]+="(?:[^"\\]|\\.)*"(?:,[a-z_]+="(?:[^"\\]|\\.)*")*\})? -?[0-9.e+-]+$/,
      );
      assert(types.has(/^[a-z_]+/.exec(line)?.[0] ?? ""), line);
    }
  }
});

Deno.test("GET /prometheus counts executions, flows, requests and commits", async () => {
  await using server = await Harness.start();
  await server.run(flow("good", "demo", "debug.Return\n    format: a"));
  await server.save(flow("bad", "demo.sub", "execution.Fail"));
  await server.json("POST", "/executions/demo.sub/bad");
  await server.run(flow("slow", "demo", "flow.Sleep\n    duration: PT1H"));
  await (await server.request("GET", "/flows/demo/missing")).body?.cancel();
  const values = await scrape(server);
  const expected: readonly (readonly [string, number])[] = [
    ['sluice_executions{tenant="main",namespace="demo",state="SUCCESS"}', 1],
    ['sluice_executions{tenant="main",namespace="demo",state="RUNNING"}', 1],
    ['sluice_executions{tenant="main",namespace="demo.sub",state="FAILED"}', 1],
    ['sluice_flows{tenant="main"}', 3],
    ['sluice_info{version="0.0.0"}', 1],
    ['sluice_http_requests_total{method="POST",route="/api/v1/:tenant/flows",status="2xx"}', 3],
    [
      'sluice_http_requests_total{method="GET",route="/api/v1/:tenant/flows/:namespace/:flowId",status="4xx"}',
      1,
    ],
    ["sluice_read_only", 0],
    ["sluice_queued_executions", 0],
    ["sluice_event_streams", 0],
    ["process_start_time_seconds", FAKE_START / 1_000],
  ];
  for (const [name, value] of expected) assertEquals(values.get(name), value, name);
  for (
    const name of ["sluice_commits_total", "sluice_commit_entries_total", "process_resident_memory_bytes"]
  ) {
    assert((values.get(name) ?? 0) > 0, name);
  }
});

Deno.test("GET /prometheus has a bounded number of namespaces", async () => {
  await using server = await Harness.start();
  const count = MAX_LABELLED_NAMESPACES + 5;
  for (let i = 0; i < count; i++) {
    await server.save(flow("f", `n${i}`, "debug.Return\n    format: a"));
    await server.json("POST", `/executions/n${i}/f`);
  }
  await server.json("POST", "/executions/n3/f");
  const values = await scrape(server);
  const told = [...values.keys()].filter((name) => name.startsWith("sluice_executions{"));
  assertEquals(told.length, MAX_LABELLED_NAMESPACES + 1);
  assertEquals(values.get('sluice_executions{tenant="main",namespace="n3",state="SUCCESS"}'), 2);
  assertEquals(values.get('sluice_executions{tenant="_other",namespace="_other",state="SUCCESS"}'), 5);
});

for (const path of ["/prometheus", "/metrics"]) {
  Deno.test(`GET ${path} asks for credentials that are not limited to tenants`, async () => {
    await using server = await startApp({ isProtected: true });
    const limited = await server.tokens.create("admin", {
      name: "limited",
      extended: false,
      tenants: ["main"],
    });
    const statuses = [];
    for (const headers of [{}, bearerHeader(limited.secret), basicHeader(ADMIN)]) {
      const response = await server.send(path, { headers });
      statuses.push(response.status);
      const text = await response.text();
      assertEquals(response.status === 200, text.includes("sluice_http_requests_total"));
    }
    assertEquals(statuses, [401, 403, 200]);
  });
}

Deno.test("serverMetricsText() escapes what would end a line or a label", () => {
  const samples = [{ labels: { a: 'x"y\\z\nw' }, value: 1.5 }, { value: Infinity }, { value: NaN }];
  const text = serverMetricsText([{ name: "n", help: "a\nb", type: "gauge", samples }]);
  assertStringIncludes(text, "# HELP n a\\nb\n# TYPE n gauge\n");
  assertStringIncludes(text, 'n{a="x\\"y\\\\z\\nw"} 1.5\nn +Inf\nn NaN\n');
  assertEquals(serverMetricsText([{ name: "n", help: "", type: "gauge", samples: [] }]), "");
});
