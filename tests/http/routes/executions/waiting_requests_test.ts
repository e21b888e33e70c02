/** Requests that wait for the end of an execution: how many a caller may have open. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  MAX_WAITING_REQUESTS_PER_CALLER,
  MAX_WAITING_REQUESTS_PER_TENANT,
} from "../../../../src/model/limits.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";

const FLOW = `id: slow
namespace: demo
triggers:
  - { id: hook, type: io.svc.plugin.core.trigger.Webhook, key: k1, wait: true }
tasks:
  - { id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT1S }
`;
const LOGIN = { authorization: `Basic ${btoa("anna:right")}` };
const PROTECTED = { credentials: { user: "anna", password: "right" }, noAuthExplicit: false };
const TEST_CASE = "id: t\nassertions:\n  - { value: '{{ execution.state }}', equalTo: SUCCESS }\n";

interface Waiting {
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who has too many, and how many are allowed. */
  readonly holder: { readonly tenant: string; readonly user?: string };
  readonly bound: number;
}

const ANNA = { holder: { tenant: "main", user: "anna" }, bound: MAX_WAITING_REQUESTS_PER_CALLER };
const TENANT = { holder: { tenant: "main" }, bound: MAX_WAITING_REQUESTS_PER_TENANT };
const HOOK = "/executions/webhook/demo/slow/k1";
const REQUESTS: readonly (readonly [name: string, request: Waiting])[] = [
  ["a start", { path: "/executions/demo/slow?wait=true", headers: LOGIN, ...ANNA }],
  ["a start with an idempotency key", {
    path: "/executions/demo/slow?wait=true",
    headers: { ...LOGIN, "idempotency-key": "once" },
    ...ANNA,
  }],
  ["a webhook", { path: HOOK, ...TENANT }],
  ["a webhook with an idempotency key", { path: HOOK, headers: { "idempotency-key": "once" }, ...TENANT }],
  ["a test of a flow", {
    path: "/flows/demo/slow/test",
    headers: { ...LOGIN, "content-type": "application/x-yaml" },
    body: TEST_CASE,
    ...ANNA,
  }],
];

for (const [name, { path, body, headers, holder, bound }] of REQUESTS) {
  Deno.test(`${name} that waits is refused with 429 while ${bound} others wait, and starts nothing`, async () => {
    await using server = await Harness.start(PROTECTED);
    await server.json("POST", "/flows", { headers: { ...LOGIN, "content-type": "text/yaml" }, body: FLOW });
    for (let count = 1; count < bound; count++) server.assembly.services.waiting.take(holder);
    const send = () => server.request("POST", path, { headers, body });
    const started = async () => {
      const page = await server.json("GET", "/executions/search?filters[kind][IN]=NORMAL,TEST", {
        headers: LOGIN,
      });
      return (page as { readonly total: number }).total;
    };

    const first = send();
    await settle();
    const refused = await send();
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "10"]);
    assertEquals(await started(), 1);
    await server.advance(1_000);
    assertEquals((await first).status, 200);

    const next = send();
    await settle();
    await server.advance(1_000);
    assertEquals((await next).status, 200);
    assertEquals(await started(), headers && "idempotency-key" in headers ? 1 : 2);
  });
}

Deno.test("a trigger shows that a call was refused because too many wait", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  for (let count = 0; count < TENANT.bound; count++) server.assembly.services.waiting.take(TENANT.holder);
  const { status } = await server.request("POST", HOOK);
  await settle();
  const triggers = JSON.stringify(await server.json("GET", "/triggers/search"));
  assertEquals(status, 429);
  assertStringIncludes(triggers, `the tenant \\"main\\" has ${TENANT.bound}`);
});

Deno.test("a start that does not wait needs no place among those that do", async () => {
  await using server = await Harness.start(PROTECTED);
  await server.json("POST", "/flows", { headers: { ...LOGIN, "content-type": "text/yaml" }, body: FLOW });
  for (let count = 0; count < ANNA.bound; count++) server.assembly.services.waiting.take(ANNA.holder);
  const statuses = ["", "?wait=false"].map(async (query) => {
    const response = await server.request("POST", `/executions/demo/slow${query}`, { headers: LOGIN });
    await response.body?.cancel();
    return response.status;
  });
  assertEquals(await Promise.all(statuses), [200, 200]);
});
