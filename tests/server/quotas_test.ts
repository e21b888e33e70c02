/** Quotas of tenants: what exceeds one is refused, whatever stores it, and other tenants are not affected. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import type { QuotaKind, QuotaOptions } from "../../src/model/access/quota.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { GatedStore } from "../support/fakes/gated_store.ts";
import { Harness } from "../support/harness.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";

const ACME = "/api/v1/acme";
const WRITE = "io.svc.plugin.core.storage.Write";
const FAIL = "io.svc.plugin.core.execution.Fail";
const RETURN = "    type: io.svc.plugin.core.debug.Return\n    format: a\n";

function limited(kind: QuotaKind, others: number): QuotaOptions {
  return { [kind]: { others, tenants: new Map() } };
}

async function start(quotaLimits: QuotaOptions, fileRevisions?: number): Promise<Harness> {
  const server = await Harness.start({ quotaLimits, fileRevisions });
  await server.json("POST", "/api/v1/tenants", json({ id: "acme" }));
  return server;
}

const flow = (id: string) => `id: ${id}\nnamespace: demo\ntasks:\n  - id: a\n${RETURN}`;

function upload(content: string): RequestInit {
  const form = new FormData();
  form.append("fileContent", new Blob([content]), "a.txt");
  return { method: "POST", body: form };
}

const WAYS: Readonly<
  Record<string, {
    readonly kind: QuotaKind;
    readonly add: (server: Harness, api: string, n: number) => Promise<Response>;
    readonly remove: (server: Harness, api: string, n: number) => Promise<Response>;
  }>
> = {
  "KV pairs": {
    kind: "kvPairs",
    add: (server, api, n) => server.request("PUT", `${api}/namespaces/demo/kv/k${n}`, json("v")),
    remove: (server, api, n) => server.request("DELETE", `${api}/namespaces/demo/kv/k${n}`),
  },
  secrets: {
    kind: "secrets",
    add: (server, api, n) =>
      server.request("PUT", `${api}/namespaces/demo/secrets`, json({ key: `S${n}`, value: "v" })),
    remove: (server, api, n) => server.request("DELETE", `${api}/namespaces/demo/secrets/S${n}`),
  },
  flows: {
    kind: "flows",
    add: (server, api, n) => server.request("POST", `${api}/flows`, yaml(flow(`f${n}`))),
    remove: (server, api, n) => server.request("DELETE", `${api}/flows/demo/f${n}`),
  },
};

for (const [name, { kind, add, remove }] of Object.entries(WAYS)) {
  Deno.test(`a tenant may not store more ${name} than its quota, also after a restart`, async () => {
    const quotaLimits = limited(kind, 3);
    let server = await start(quotaLimits);
    for (let n = 0; n < 3; n++) assertEquals((await add(server, ACME, n)).status, 200, `${n}`);
    server = await server.crash({ quotaLimits });
    await using _server = server;
    const refused = await add(server, ACME, 3);
    assertEquals(refused.status, 403);
    const { message, type } = await refused.json();
    assertStringIncludes(message, 'Quota Exceeded: tenant "acme" may store 3');
    assertStringIncludes(message, "and has 3; delete some, or ask the operator to raise --quota-");
    assertStringIncludes(type, "/problems/quota-exceeded");
    for (let n = 0; n < 6; n++) assertEquals((await add(server, "/api/v1/main", n)).status, 200);
    assertEquals((await remove(server, ACME, 1)).status < 300, true);
    assertEquals((await add(server, ACME, 4)).status, 200);
    assertEquals((await add(server, ACME, 5)).status, 403);
  });

  Deno.test(`concurrent requests do not exceed the quota of ${name}`, async () => {
    await using server = await start(limited(kind, 5));
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => add(server, ACME, n)));
    assertEquals(responses.filter(({ status }) => status === 200).length, 5);
    assertEquals(responses.filter(({ status }) => status === 403).length, 15);
    const { quotas } = await server.json("GET", "/api/v1/tenants/acme") as JsonObject;
    assertEquals(JSON.stringify(quotas), JSON.stringify([{ kind, used: 5, limit: 5 }]));
  });
}

Deno.test("replacing and changing what exists needs no room in a quota", async () => {
  const one = { others: 1, tenants: new Map() };
  await using server = await start({ kvPairs: one, secrets: one, flows: one });
  for (const { add } of Object.values(WAYS)) assertEquals((await add(server, ACME, 0)).status, 200);
  for (let round = 0; round < 3; round++) {
    assertEquals((await server.request("PUT", `${ACME}/namespaces/demo/kv/k0`, json(round))).status, 200);
    const secret = json({ key: "S0", value: `${round}` });
    assertEquals((await server.request("PUT", `${ACME}/namespaces/demo/secrets`, secret)).status, 200);
    const changed = yaml(`${flow("f0")}description: v${round}\n`);
    assertEquals((await server.request("PUT", `${ACME}/flows/demo/f0`, changed)).status, 200);
  }
});

Deno.test("a quota of one tenant goes before that of all, and main has none unless it is named", async () => {
  const tenants = new Map([["acme", 2], ["main", 4]]);
  await using server = await start({ kvPairs: { others: 1, tenants } });
  await server.json("POST", "/api/v1/tenants", json({ id: "beta" }));
  for (const [tenant, limit] of [["acme", 2], ["beta", 1], ["main", 4]] as const) {
    const add = (n: number) => server.request("PUT", `/api/v1/${tenant}/namespaces/demo/kv/k${n}`, json("v"));
    for (let n = 0; n < limit; n++) assertEquals((await add(n)).status, 200);
    assertEquals((await add(limit)).status, 403);
  }
});

Deno.test("namespace files of a tenant stay within its quota of bytes; what is dropped or deleted makes room", async () => {
  await using server = await start(limited("fileBytes", 300_000), 1);
  const put = async (path: string, length: number) => {
    const url = `${ACME}/namespaces/demo/files?path=${path}`;
    return (await server.request("POST", url, upload("x".repeat(length)))).status;
  };
  assertEquals(await put("a", 150_000), 200);
  assertEquals(await put("b", 150_000), 200);
  assertEquals(await put("c", 1), 403);
  assertEquals(await put("a", 100_000), 403); // The new content is stored before the old one is removed.
  assertEquals((await server.request("DELETE", `${ACME}/namespaces/demo/files?path=b`)).status, 200);
  assertEquals(await put("a", 140_000), 200);
  assertEquals(await put("c", 160_000), 200);
  assertEquals(await put("d", 1), 403);
  const { quotas } = await server.json("GET", "/api/v1/tenants/acme") as JsonObject;
  assertEquals(JSON.stringify(quotas), '[{"kind":"fileBytes","used":300000,"limit":300000}]');
});

Deno.test("earlier revisions of namespace files count towards the quota until they are dropped", async () => {
  await using server = await start(limited("fileBytes", 300_000), 2);
  const put = async (content: string) =>
    (await server.request("POST", `${ACME}/namespaces/demo/files?path=a`, upload(content.repeat(100_000))))
      .status;
  const used = async () => {
    const { quotas } = await server.json("GET", "/api/v1/tenants/acme") as JsonObject;
    return JSON.stringify(quotas);
  };
  assertEquals(await put("x"), 200);
  assertEquals(await put("y"), 200);
  assertEquals(await put("z"), 200);
  assertEquals(await used(), '[{"kind":"fileBytes","used":200000,"limit":300000}]');
});

Deno.test("a task that writes a file beyond the quota fails with the reason, and leaves nothing", async () => {
  await using server = await start(limited("fileBytes", 100_000));
  const source = "id: writes\nnamespace: demo\ninputs:\n  - id: text\n    type: STRING\ntasks:\n" +
    `  - id: w\n    type: ${WRITE}\n    content: "{{ inputs.text }}"\n`;
  await server.json("POST", `${ACME}/flows`, yaml(source));
  const run = async (length: number) => {
    const body = new URLSearchParams({ text: "x".repeat(length) });
    const { id } = await server.json("POST", `${ACME}/executions/demo/writes`, { body }) as JsonObject;
    await settle();
    const execution = await server.json("GET", `${ACME}/executions/${id}`) as JsonObject;
    const logs = await (await server.request("GET", `${ACME}/logs/${id}/download`)).text();
    return { state: (execution.state as JsonObject).current, logs };
  };
  assertEquals((await run(60_000)).state, "SUCCESS");
  const failed = await run(60_000);
  assertEquals(failed.state, "FAILED");
  assertStringIncludes(failed.logs, 'Quota Exceeded: tenant "acme" may store 100000 bytes of files');
  assertEquals((await run(40_000)).state, "SUCCESS");
});

Deno.test("starts beyond the quota of executions are refused, and deletions make room", async () => {
  await using server = await start(limited("executions", 3));
  await server.json("POST", `${ACME}/flows`, yaml(flow("runs")));
  const begin = () => server.request("POST", `${ACME}/executions/demo/runs`);
  const responses = await Promise.all(Array.from({ length: 8 }, begin));
  assertEquals(responses.filter(({ status }) => status === 200).length, 3);
  assertEquals(responses.filter(({ status }) => status === 403).length, 5);
  await settle();
  const [first] = (await server.page(`${ACME}/executions/search`)).results;
  assertEquals((await server.request("DELETE", `${ACME}/executions/${first?.id}`)).status, 204);
  assertEquals((await begin()).status, 200);
  assertEquals((await begin()).status, 403);
});

Deno.test("a deletion of an execution makes room once it is durable, also for a start that was refused meanwhile", async () => {
  let gate: GatedStore | undefined;
  const quotaLimits = limited("executions", 1);
  await using server = await Harness.start({ quotaLimits, wrap: (memory) => gate = new GatedStore(memory) });
  assert(gate);
  await server.json("POST", "/api/v1/tenants", json({ id: "acme" }));
  await server.json("POST", `${ACME}/flows`, yaml(flow("runs")));
  const begin = async () => (await server.request("POST", `${ACME}/executions/demo/runs`)).status;
  assertEquals(await begin(), 200);
  await server.advance(1_000);
  const [first] = (await server.page(`${ACME}/executions/search`)).results;
  gate.isClosed = true;
  const deletion = server.request("DELETE", `${ACME}/executions/${first?.id}`);
  await settle();
  const refused = begin();
  await settle();
  gate.isClosed = false;
  await gate.letThrough();
  assertEquals([(await deletion).status, await refused, await begin()], [204, 403, 200]);
});

for (const action of ["replay/by-ids?", "restart/by-ids?latestRevision=true&"]) {
  Deno.test(`POST /executions/${action} starts as many as the quota has room for, and is refused without room`, async () => {
    await using server = await start(limited("executions", 5));
    const failing = (text: string) =>
      yaml(`id: fails\nnamespace: demo\ntasks:\n  - id: a\n    type: ${FAIL}\n    errorMessage: ${text}\n`);
    await server.json("POST", `${ACME}/flows`, failing("first"));
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { id } = await server.json("POST", `${ACME}/executions/demo/fails`) as JsonObject;
      ids.push(String(id));
    }
    await settle();
    await server.json("PUT", `${ACME}/flows/demo/fails`, failing("second"));
    const bulk = () => server.request("POST", `${ACME}/executions/${action}`, json(ids));
    const partial = await bulk();
    assertEquals(partial.status, 200);
    const { count, totalItems } = await partial.json();
    assertEquals([count, totalItems], [2, 3]);
    await settle();
    assertEquals(Number((await server.page(`${ACME}/executions/search`)).total), 5);
    const refused = await bulk();
    assertEquals(refused.status, 403);
    assertStringIncludes((await refused.json()).message, "may store 5 executions and has 5");
  });
}

Deno.test("a schedule of a tenant at its quota of executions starts none, and says why", async () => {
  await using server = await start(limited("executions", 2));
  const source = `${
    flow("ticks")
  }triggers:\n  - id: each\n    type: io.svc.plugin.core.trigger.Schedule\n    cron: "* * * * *"\n`;
  await server.json("POST", `${ACME}/flows`, yaml(source));
  for (let minute = 0; minute < 6; minute++) await server.advance(60_000);
  const { total } = await server.page(`${ACME}/executions/search`);
  assertEquals(Number(total), 2);
  const trigger = JSON.stringify(await server.json("GET", `${ACME}/triggers/search`));
  assertStringIncludes(trigger, "may store 2 executions and has 2");
});

Deno.test("a Flow trigger of a tenant at its quota of executions starts none, and says why", async () => {
  await using server = await start(limited("executions", 1));
  const sleep = "io.svc.plugin.core.flow.Sleep";
  const first = `id: first\nnamespace: demo\ntasks:\n  - {id: a, type: ${sleep}, duration: PT1M}\n`;
  const source = `${flow("second")}triggers:\n  - id: each\n    type: io.svc.plugin.core.trigger.Flow\n` +
    `    preconditions: {id: p, flows: [{namespace: demo, flowId: first}]}\n`;
  for (const each of [first, source]) await server.json("POST", `${ACME}/flows`, yaml(each));
  await server.json("POST", `${ACME}/executions/demo/first`);
  await server.advance(60_000);
  const { total } = await server.page(`${ACME}/executions/search`);
  assertEquals(Number(total), 1);
  const trigger = JSON.stringify(await server.json("GET", `${ACME}/triggers/search`));
  assertStringIncludes(trigger, "may store 1 executions and has 1");
});
