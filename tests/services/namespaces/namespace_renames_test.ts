import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkStore } from "../../../src/store/check/check.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../support/fakes/faulty_store.ts";
import { GatedStore } from "../../support/fakes/gated_store.ts";
import { childFlow, contentOf, fillNamespace } from "../../support/flows/namespace_scene.ts";
import { fileForm, json, yaml } from "../../support/flows/request_bodies.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../../support/harness.ts";

/** A server that has begun to rename `old` to `new` and waits for its database. */
async function startRenaming(prepare: (app: Harness) => Promise<unknown> = () => Promise.resolve()) {
  let gate: GatedStore | undefined;
  const app = await Harness.start({ wrap: (store) => gate = new GatedStore(store) });
  await fillNamespace(app);
  await prepare(app);
  const before = await contentOf(app, "old");
  gate?.closeAfter(4);
  const renaming = app.json("POST", "/namespaces/old/rename", json({ id: "new" }));
  await gate?.reached.promise;
  const open = async () => {
    if (gate) gate.isClosed = false;
    await gate?.letThrough();
  };
  return { app, before, renaming, open };
}

Deno.test("rename() refuses every change of both namespaces while it is under way", async () => {
  const { app, before, renaming, open } = await startRenaming();
  await using _ = app;
  const off = { namespace: "old", flowId: "main", triggerId: "daily", disabled: true };
  const changes: readonly (readonly [method: string, path: string, init?: RequestInit])[] = [
    ...["old", "new"].flatMap((name) =>
      [
        ["PUT", `/namespaces/${name}/kv/other`, json('"v"')],
        ["PUT", `/namespaces/${name}/secrets`, json({ key: "S", value: "v" })],
        ["POST", `/namespaces/${name}/files?path=/f`, fileForm("f")],
        ["POST", "/flows", yaml(childFlow(name).replace("id: child", "id: more"))],
      ] as const
    ),
    ["DELETE", "/namespaces/old/kv/k"],
    ["DELETE", "/namespaces/old/files?path=/dir/small.txt"],
    ["DELETE", "/flows/old.sub/child"],
    ["PUT", "/namespaces/old", json({ id: "old", description: "x" })],
    ["PUT", "/triggers", json(off)],
    ["POST", "/executions/old/child"],
    ["POST", "/executions/webhook/old/main/abcdefgh12345678"],
    ["POST", "/namespaces/old/rename", json({ id: "third" })],
    ["POST", "/namespaces/else/rename", json({ id: "third" })],
  ];
  for (const [method, path, init] of changes) {
    const response = await app.request(method, path, init);
    const { message } = await response.json();
    assertEquals(response.status, 409, `${method} ${path}: ${message}`);
    assertStringIncludes(
      message,
      "under way|being renamed".split("|").find((text) => message.includes(text)) ?? "?",
    );
  }
  await open();
  await renaming;
  assertEquals(await contentOf(app, "new"), before);
  await app.json("PUT", "/namespaces/old/kv/other", json('"v"'));
  await app.json("PUT", "/namespaces/new/kv/other", json('"v"'));
});

Deno.test("rename() keeps the reaction of a trigger to an execution that ends meanwhile", async () => {
  const listener = `id: listener
namespace: old
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: a}
triggers:
  - {id: t, type: io.svc.plugin.core.trigger.Flow, conditions: [{type: io.svc.plugin.core.condition.ExecutionFlow, namespace: up, flowId: child}]}
`;
  const { app, renaming, open } = await startRenaming(async (app) => {
    await app.save(childFlow("up"));
    await app.save(listener);
  });
  await using _ = app;
  const started = app.json("POST", "/executions/up/child");
  await settle();
  await open();
  await Promise.all([started, renaming]);
  await app.advance(5_000);
  const { results } = await app.page("/executions/search?flowId=listener");
  assertEquals(results.map(({ namespace }) => namespace), ["new"]);
  assertEquals((await checkStore(app.store)).findings.list(), []);
});

Deno.test("rename() continues by itself when the database takes writes again", async () => {
  let faulty: FaultyStore | undefined;
  await using app = await Harness.start({ wrap: (store) => faulty = new FaultyStore(store) });
  await fillNamespace(app);
  const before = await contentOf(app, "old");
  if (faulty) {
    const fails = faulty.commits + 5;
    faulty.plan = (commit) => commit === fails ? "fail_before" : "none";
  }
  const response = await app.request("POST", "/namespaces/old/rename", json({ id: "new" }));
  await response.body?.cancel();
  assertEquals(response.status, 503);
  await app.advance(10_000);
  assertEquals(await contentOf(app, "new"), before);
  await app.json("PUT", "/namespaces/new/kv/other", json('"v"'));
  assertEquals((await checkStore(app.store)).findings.list(), []);
});

/** Enough for a save, and more than an entry holds that moves them with all that is stored of them. */
const MANY_TRIGGERS = 300;

Deno.test("rename() moves a flow with as many triggers as a save takes", async () => {
  await using app = await Harness.start();
  const schedule = (_: unknown, n: number) =>
    `  - {id: t${n}, type: io.svc.plugin.core.trigger.Schedule, cron: "0 ${n % 24} * * *"}\n`;
  const triggers = Array.from({ length: MANY_TRIGGERS }, schedule).join("");
  const task = "{id: a, type: io.svc.plugin.core.debug.Return, format: a}";
  await app.save(`id: many\nnamespace: old\ntasks: [${task}]\ntriggers:\n${triggers}`);
  await app.json(
    "PUT",
    "/triggers",
    json({ namespace: "old", flowId: "many", triggerId: "t5", disabled: true }),
  );
  await app.json("POST", "/namespaces/old/rename", json({ id: "new" }));
  const { results } = await app.page<{ triggerContext: JsonObject }>("/triggers/search?size=1000");
  const states = results.map(({ triggerContext }) => triggerContext);
  const off = states.filter(({ disabled }) => disabled).map(({ triggerId }) => triggerId);
  assertEquals([states.length, off], [MANY_TRIGGERS, ["t5"]]);
  assertEquals(new Set(states.map(({ namespace }) => namespace)), new Set(["new"]));
  assertEquals(app.store.count(["td"]), MANY_TRIGGERS - 1);
  assertEquals((await checkStore(app.store)).findings.list(), []);
});

Deno.test("rename() moves caches of tasks and backfills", async () => {
  let runs = 0;
  const effect = () => ({ state: "SUCCESS", outputs: { runs: ++runs } }) as const;
  await using app = await Harness.start({ effect });
  await app.save(`id: cached
namespace: old
tasks:
  - {id: a, type: ${EFFECT_TYPE}, name: n, taskCache: {enabled: true, ttl: PT10H}}
triggers:
  - {id: s, type: io.svc.plugin.core.trigger.Schedule, cron: "0 3 * * *"}
`);
  const outputs = async (namespace: string) => {
    const ended = await app.json("POST", `/executions/${namespace}/cached?wait=true`);
    return (ended as unknown as ExecutionResponse).taskRunList[0]?.outputs;
  };
  const first = await outputs("old");
  const start = new Date(app.clock.now() - 30 * 86_400_000).toISOString();
  const backfill = { namespace: "old", flowId: "cached", triggerId: "s", backfill: { start } };
  await app.json("PUT", "/triggers", json(backfill));
  await app.json("PUT", "/triggers/backfill/pause", json(backfill));
  const stateOf = async (namespace: string) =>
    (await app.page(`/triggers/${namespace}/cached`)).results[0]?.backfill;
  const before = await stateOf("old");
  await app.json("POST", "/namespaces/old/rename", json({ id: "new" }));
  assertEquals([await outputs("new"), first], [{ runs: 1 }, { runs: 1 }]);
  assertEquals(await stateOf("new"), before);
  assertEquals((await checkStore(app.store)).findings.list(), []);
});

Deno.test("rename() of a namespace alone takes its secrets from the webhooks of those below it", async () => {
  await using app = await Harness.start();
  await app.json("PUT", "/namespaces/up/secrets", json({ key: "K", value: "abcdefgh12345678" }));
  await app.save(`id: hooked
namespace: up.below
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: a}
triggers:
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: "{{ secret('K') }}"}
`);
  const call = async () => {
    const response = await app.request("POST", "/executions/webhook/up.below/hooked/abcdefgh12345678");
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await call(), await call()], [200, 200]);
  await app.json("POST", "/namespaces/up/rename", json({ id: "other", children: false }));
  assertEquals(await call(), 404);
});

Deno.test("rename() refuses new names that are old names of the same rename", async () => {
  await using app = await Harness.start();
  await app.json("PUT", "/namespaces/a.b.b/kv/k", json('"v"'));
  const response = await app.request("POST", "/namespaces/a.b/rename", json({ id: "a" }));
  const { message } = await response.json();
  assertEquals([response.status, await valueAt(app, "a.b.b")], [422, '"v"']);
  assertStringIncludes(message, '"a.b.b" would become "a.b"');
  await app.json("POST", "/namespaces/a.b.b/rename", json({ id: "a.b" }));
  assertEquals(await valueAt(app, "a.b"), '"v"');
});

async function valueAt(app: Harness, namespace: string): Promise<string> {
  const { value } = await app.json("GET", `/namespaces/${namespace}/kv/k`) as { readonly value: unknown };
  return JSON.stringify(value);
}

Deno.test("rename() starts once what a schedule is due for meanwhile", async () => {
  const { app, renaming, open } = await startRenaming(async (app) => {
    await app.save(`id: often
namespace: old
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: a}
triggers:
  - {id: s, type: io.svc.plugin.core.trigger.Schedule, cron: "* * * * *"}
`);
  });
  await using _ = app;
  const advanced = app.advance(61_000);
  await settle();
  await open();
  await Promise.all([renaming, advanced]);
  await app.advance(5_000);
  const { results } = await app.page("/executions/search?flowId=often");
  assertEquals(results.map(({ namespace }) => namespace), ["new"]);
});

Deno.test("POST /namespaces/{namespace}/rename keeps a file until its download has ended", async () => {
  await using app = await Harness.start();
  const content = "0123456789abcdef".repeat(200_000);
  await app.json("POST", "/namespaces/old/files?path=/large.txt", fileForm(content));
  const download = await app.open("GET", "/namespaces/old/files?path=/large.txt");
  await app.json("POST", "/namespaces/old/rename", json({ id: "new" }));
  assertEquals(await download.text() === content, true, "the whole file under its old name");
  await settle();
  const left = await Array.fromAsync(app.store.list({ prefix: ["main", "b", "old"] }), ({ key }) => key);
  assertEquals(left, [], "no chunk under the old name");
  assertEquals((await checkStore(app.store)).findings.list(), []);
  const renamed = await app.request("GET", "/namespaces/new/files?path=/large.txt");
  assertEquals(await renamed.text() === content, true, "the whole file under its new name");
});
