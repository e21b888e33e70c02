import { assertEquals, assertStringIncludes } from "@std/assert";
import { newFileName } from "../../../../src/model/namespaces/new_file_name.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { FakeWorker, REMOTE_TASK, remoteFlow } from "../../../support/fakes/fake_worker.ts";
import { Harness } from "../../../support/harness.ts";

const HELLO = { id: "w1", name: "w1", version: "1", groups: ["gpu"], concurrency: 1, leases: [] };
const ADMIN = { user: "admin", password: "correct:horse" };
const AS_ADMIN = { authorization: `Basic ${btoa("admin:correct:horse")}` };

function connect(
  app: Harness,
  body: object,
  { headers, from }: { headers?: HeadersInit; from?: string } = {},
) {
  const request = new Request("http://127.0.0.1:8080/api/v1/worker/connect", {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return app.assembly.fetch(request, from && { remoteAddr: { hostname: from } });
}

/** The status of a try to connect, which ends at once. */
async function statusOf(response: Response | Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  await settle();
  return status;
}

async function tokenFor(app: Harness, more: object): Promise<string> {
  const response = await app.open("POST", "/api/v1/me/api-tokens", {
    headers: { ...AS_ADMIN, "content-type": "application/json" },
    body: JSON.stringify({ name: "w", ...more }),
  });
  return (await response.json()).fullToken;
}

const BAD: readonly [string, object][] = [
  ["no groups", { groups: [] }],
  ["a group that is no name", { groups: ["a b"] }],
  ["no id", { id: "" }],
  ["no concurrency", { concurrency: 0 }],
  ["a fraction", { concurrency: 1.5 }],
  ["leases that are no texts", { leases: [1] }],
];

Deno.test("POST /worker/connect refuses what is no worker", async () => {
  await using app = await Harness.start();
  for (const [what, change] of BAD) {
    assertEquals([what, await statusOf(connect(app, { ...HELLO, ...change }))], [what, 422]);
  }
});

Deno.test("POST /worker/connect asks another machine for https", async () => {
  const rows: readonly [string, string | undefined, string | undefined, number][] = [
    ["the same machine", "127.0.0.1", undefined, 200],
    ["another machine", "192.0.2.1", undefined, 403],
    ["behind a public https address", "192.0.2.1", "https://sluice.example.org", 200],
  ];
  for (const [what, from, baseUrl, status] of rows) {
    await using app = await Harness.start({ baseUrl });
    assertEquals([what, await statusOf(connect(app, HELLO, { from }))], [what, status]);
  }
});

Deno.test("A worker runs attempts of the groups and tenants of its token, and no others", async () => {
  await using app = await Harness.start({
    credentials: ADMIN,
    noAuthExplicit: false,
    extraTasks: [REMOTE_TASK],
  });
  const gpu = { authorization: `Bearer ${await tokenFor(app, { workerGroups: ["gpu"] })}` };
  const other = { workerGroups: ["gpu"], tenants: [] };
  const nowhere = { authorization: `Bearer ${await tokenFor(app, other)}` };
  const eu = { authorization: `Bearer ${await tokenFor(app, { workerGroups: ["eu"] })}` };
  assertEquals(await statusOf(connect(app, HELLO)), 401);
  assertEquals(await statusOf(connect(app, HELLO, { headers: AS_ADMIN })), 403);
  assertEquals(await statusOf(connect(app, HELLO, { headers: eu })), 403);

  const yaml = { ...AS_ADMIN, "content-type": "application/x-yaml" };
  await app.open("POST", "/flows", { headers: yaml, body: remoteFlow("f") });
  await app.open("POST", "/executions/demo/f", { headers: AS_ADMIN });
  const limited = await connect(app, { ...HELLO, id: "limited" }, { headers: nowhere });
  const granted = await connect(app, HELLO, { headers: gpu });
  await settle();
  const first = await firstEvents(granted);
  assertStringIncludes(first, '"type":"attempt"');
  const [, lease = ""] = /"lease":"(\w+)"/.exec(first) ?? [];
  const report = (headers: HeadersInit) =>
    app.open("POST", `/api/v1/worker/leases/${lease}/report`, { headers, body: '{"seq": 1, "lines": []}' });
  assertEquals((await report(nowhere)).status, 404);
  assertEquals((await report(eu)).status, 404);
  assertEquals((await report(gpu)).status, 204);
  const again = { authorization: `Bearer ${await tokenFor(app, { workerGroups: ["gpu"] })}` };
  assertEquals(await statusOf(connect(app, HELLO, { headers: again })), 403);
  const beat = { headers: again, body: '{"id": "w1", "leases": []}' };
  assertEquals((await app.open("POST", "/api/v1/worker/heartbeat", beat)).status, 404);
  assertEquals((await firstEvents(limited)).includes('"type":"attempt"'), false);
  await settle();
});

Deno.test("The stream of a worker ends at once when its token is revoked, or its user cannot log in any more", async () => {
  await using app = await Harness.start({ credentials: ADMIN, noAuthExplicit: false });
  const { tokens, users } = app.assembly.services;
  const vera = { user: "vera", password: ADMIN.password, role: "admin" } as const;
  await users.create(vera);
  const open = async (user: string, id: string) => {
    const { secret, token } = await tokens.create(user, {
      name: "w",
      extended: false,
      workerGroups: ["gpu"],
    });
    const headers = { authorization: `Bearer ${secret}` };
    const { body } = await connect(app, { ...HELLO, id }, { headers });
    return { id: token.id, ended: new Response(body).text() };
  };
  const [first, second] = [await open(ADMIN.user, "w1"), await open(vera.user, "w2")];
  await tokens.revoke(first.id);
  assertStringIncludes(await first.ended, '"type":"welcome"');
  await users.change(vera.user, { isDisabled: true });
  assertStringIncludes(await second.ended, '"type":"welcome"');
});

/** What has arrived on a stream, which ends then. */
async function firstEvents(response: Response): Promise<string> {
  const reader = (response.body ?? new Blob().stream()).getReader();
  let text = "";
  for (let turn = 0; turn < 5; turn++) {
    const next = await Promise.race([reader.read(), settle().then(() => undefined)]);
    if (next?.value) text += new TextDecoder().decode(next.value);
    if (!next) break;
  }
  await reader.cancel();
  return text;
}

Deno.test("GET of an attempt's files reads files of its execution and namespace alone", async () => {
  await using app = await Harness.start({ extraTasks: [REMOTE_TASK] });
  await app.open("POST", "/namespaces/demo/files?path=/a.txt", { body: formOf("content") });
  await app.save(remoteFlow("f"));
  const other = await app.run(
    "{id: other, namespace: demo, tasks: [{id: a, type: io.svc.plugin.core.log.Log, message: x}]}",
  );
  await app.start("f");
  await using worker = await FakeWorker.connect(app);
  const base = `/api/v1/worker/leases/${worker.attempt().lease}`;
  const list = await app.open("GET", `${base}/namespace-files?namespace=demo`);
  assertEquals(await list.json(), ["a.txt"]);
  const file = await app.open("GET", `${base}/namespace-files/content?namespace=demo&path=a.txt`);
  assertEquals(await file.text(), "content");
  const foreign = encodeURIComponent(`kestra:///demo/other/executions/${other.id}/tasks/a/x/y`);
  assertEquals((await app.open("GET", `${base}/files?uri=${foreign}`)).status, 403);
  assertEquals((await app.open("GET", `${base}/files?uri=/etc/passwd`)).status >= 400, true);
  const summary = await app.open("GET", `${base}/executions/${other.id}`);
  assertEquals((await summary.json()).state, "SUCCESS");
});

Deno.test("GET of a part of a file gives it with its size", async () => {
  await using app = await Harness.start({ extraTasks: [REMOTE_TASK] });
  await app.save(remoteFlow("f"));
  await app.start("f");
  await using worker = await FakeWorker.connect(app);
  const { lease, folder } = worker.attempt();
  const base = `/api/v1/worker/leases/${lease}`;
  const name = newFileName(worker.attempt().taskRunId, "a.txt");
  const put = await app.open("PUT", `${base}/files/${name}`, { body: "0123456789" });
  assertEquals(put.status, 204);
  const part = (query: string) =>
    app.open("GET", `${base}/files?uri=${encodeURIComponent(folder + name)}${query}`);
  for (
    const [query, text] of [["", "0123456789"], ["&offset=2&length=3", "234"], ["&offset=8&length=9", "89"]]
  ) {
    const response = await part(query ?? "");
    assertEquals([response.headers.get("content-length"), await response.text()], [
      String(text?.length),
      text,
    ]);
  }
  for (const query of ["&length=3", "&offset=-1&length=3", "&offset=1&length=x"]) {
    const response = await part(query);
    await response.body?.cancel();
    assertEquals([query, response.status >= 400 && response.status < 500], [query, true]);
  }
});

function formOf(content: string): FormData {
  const form = new FormData();
  form.append("fileContent", new Blob([content]), "a.txt");
  return form;
}
