import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { checkStore } from "../../../../src/store/check/check.ts";
import { childFlow, contentOf, fillNamespace, mainFlow } from "../../../support/flows/namespace_scene.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { type ExecutionResponse, Harness } from "../../../support/harness.ts";

const RENAME = "/namespaces/old/rename";

async function refusal(app: Harness, method: string, path: string, init: RequestInit = {}) {
  const response = await app.request(method, path, init);
  return { status: response.status, message: String((await response.json()).message) };
}

async function findings(app: Harness): Promise<unknown[]> {
  return (await checkStore(app.store)).findings.list();
}

Deno.test("POST /namespaces/:namespace/rename moves flows, triggers, KV pairs, secrets and files with their history", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  const before = await contentOf(app, "old");
  const renamed = await app.json("POST", RENAME, json({ id: "brand.new" })) as JsonObject;
  assertEquals(renamed.namespaces, [{ from: "old", id: "brand.new" }, {
    from: "old.sub",
    id: "brand.new.sub",
  }]);
  assertEquals(await contentOf(app, "brand.new"), before);
  const source = await app.json("GET", "/flows/brand.new/main?source=true") as JsonObject;
  assertEquals(source.source, mainFlow("brand.new"));
  assertEquals(await findings(app), []);
  const again = await app.restart();
  await using _ = again;
  assertEquals(await contentOf(again, "brand.new"), before);
});

Deno.test("POST /namespaces/:namespace/rename: flows run under the new name, and old executions stay under the old one", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  const run = async (namespace: string) =>
    await app.json("POST", `/executions/${namespace}/main?wait=true`) as unknown as ExecutionResponse;
  const { id: old, state } = await run("old");
  assertEquals(state.current, "SUCCESS");
  await app.json("POST", RENAME, json({ id: "new" }));
  const execution = await run("new");
  assertEquals(execution.state.current, "SUCCESS");
  const outputs = execution.taskRunList.find(({ taskId }) => taskId === "a")?.outputs;
  assertStringIncludes(JSON.stringify(outputs), "second small");
  assertStringIncludes(JSON.stringify(outputs), "var two");
  assertEquals((await app.execution(old)).namespace, "old");
  assertEquals((await app.page("/executions/search?namespace=old")).total, 2);
  assertEquals((await app.page("/executions/search?namespace=new")).total, 2);
  for (
    const [method, path, says] of [
      ["GET", "/flows/old/main", 'its namespace was renamed to "new"'],
      ["GET", "/namespaces/old", 'it was renamed to "new"'],
      ["POST", `/executions/${old}/replay`, 'its namespace was renamed to "new"'],
    ] as const
  ) {
    const { status, message } = await refusal(app, method, path);
    assertEquals(status, 404);
    assertStringIncludes(message, says);
  }
  assertEquals(await findings(app), []);
});

Deno.test("POST /namespaces/:namespace/rename: schedules continue at their dates, once and under the new name", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  await app.json("POST", RENAME, json({ id: "new" }));
  await app.advance(25 * 3_600_000);
  await settle();
  const { results } = await app.page("/executions/search?size=100&flowId=main");
  assertEquals(results.map(({ namespace, trigger }) => [namespace, (trigger as JsonObject).id]), [[
    "new",
    "daily",
  ]]);
});

Deno.test("POST /namespaces/:namespace/rename: a later save with the old name makes a flow of its own", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  await app.json("POST", RENAME, json({ id: "new" }));
  const put = await refusal(app, "PUT", "/flows/old/child", yaml(childFlow("old")));
  assertEquals(put.status, 404);
  assertStringIncludes(put.message, 'was renamed to "new"');
  const wrong = await refusal(app, "PUT", "/flows/new/child", yaml(childFlow("old")));
  assertEquals(wrong.status, 422);
  assertStringIncludes(wrong.message, 'Illegal namespace update from "new" to "old"');
  const before = await app.json("GET", "/flows/new/child");
  const saved = await app.save(childFlow("old"));
  assertEquals([saved.namespace, saved.revision], ["old", 3]);
  assertEquals(await app.json("GET", "/flows/new/child"), before);
  const next = childFlow("new").replace("limit: 2", "limit: 3");
  assertEquals((await app.json("PUT", "/flows/new/child", yaml(next)) as JsonObject).revision, 2);
  assertEquals(await findings(app), []);
});

Deno.test("POST /namespaces/:namespace/rename there and back keeps everything", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  const { revisions: _revisions, child: _child, sub: _sub, ...before } = await contentOf(app, "old");
  await app.json("POST", RENAME, json({ id: "new" }));
  await app.json("POST", "/namespaces/new/rename", json({ id: "old" }));
  const { revisions, child: _newChild, sub: _newSub, ...after } = await contentOf(app, "old");
  const stable = (content: JsonObject) => ({
    ...content,
    triggers: String(content.triggers).replace(/"flowRevision":\d+/g, ""),
  });
  assertEquals(stable(after), stable(before));
  assertEquals(JSON.parse(String(revisions)).map(({ revision }: JsonObject) => revision), [1, 2, 4, 5]);
  assertEquals(await findings(app), []);
});

Deno.test("POST /namespaces/:namespace/rename with children=false leaves the namespaces below it", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  await app.json("POST", RENAME, json({ id: "old.first", children: false }));
  assertEquals((await app.request("GET", "/flows/old.first/main")).status, 200);
  assertEquals((await app.request("GET", "/flows/old.sub/child")).status, 200);
  assertEquals(await findings(app), []);
});

const LISTENING =
  "tasks:\n  - {id: a, type: io.svc.plugin.core.log.Log, message: a}\ntriggers:\n  - id: t\n    type: io.svc.plugin.core.trigger.Flow\n";
const REFERRERS: readonly (readonly [what: string, source: string])[] = [
  ["a Subflow", "tasks:\n  - {id: a, type: io.svc.plugin.core.flow.Subflow, namespace: old, flowId: main}\n"],
  [
    "a list of namespaces",
    "tasks:\n  - {id: a, type: io.svc.plugin.core.kv.PurgeKV, namespaces: [other, old]}\n",
  ],
  [
    "kv() with a namespace",
    `tasks:\n  - {id: a, type: io.svc.plugin.core.log.Log, message: "{{ kv('k', 'old') }}"}\n`,
  ],
  [
    "secret() with a namespace",
    `tasks:\n  - {id: a, type: io.svc.plugin.core.log.Log, message: '{{ secret("k", namespace="old") }}'}\n`,
  ],
  [
    "a Flow trigger",
    `${LISTENING}    conditions:\n      - {type: io.svc.plugin.core.condition.ExecutionFlow, namespace: old, flowId: main}\n`,
  ],
];

/** Conditions of a Flow trigger that match the namespace without naming it as a member: they have no line. */
const PATTERNS: readonly (readonly [what: string, source: string])[] = [
  [
    "a suffix",
    `${LISTENING}    conditions:\n      - {type: io.svc.plugin.core.condition.ExecutionNamespace, namespace: ld, comparison: SUFFIX}\n`,
  ],
  ["an equal filter", filtering("type: EQUAL_TO, value: old")],
  ["a filter by a list", filtering("type: IN, values: [x, old]")],
  ["a filter by a prefix", filtering("type: STARTS_WITH, value: ol")],
];

function filtering(filter: string): string {
  return `${LISTENING}    preconditions:\n      id: p\n      where: [{id: w, filters: [{field: NAMESPACE, ${filter}}]}]\n`;
}

const ALL_REFERRERS = [
  ...REFERRERS.map(([what, source]) => [what, source, '"else.where.other" (line'] as const),
  ...PATTERNS.map(([what, source]) => [`${what} in a Flow trigger`, source, '"else.where.other"'] as const),
];

for (const [what, rest, shown] of ALL_REFERRERS) {
  Deno.test(`POST /namespaces/:namespace/rename is refused while ${what} elsewhere refers to it, unless it is forced`, async () => {
    await using app = await Harness.start();
    await fillNamespace(app);
    await app.save(`id: other\nnamespace: else.where\n${rest}`);
    const usage = await app.json("GET", "/namespaces/old/usage") as JsonObject;
    const open = (usage.references as JsonObject[]).filter(({ edited }) => !edited);
    assertEquals(open.map(({ id }) => id), ["else.where.other"]);
    const { status, message } = await refusal(app, "POST", RENAME, json({ id: "new" }));
    assertEquals(status, 409);
    assertStringIncludes(message, shown);
    await app.json("POST", RENAME, json({ id: "new", force: true }));
    assertEquals((await app.request("GET", "/flows/new/main")).status, 200);
  });
}

const SUBFLOW = { type: "io.svc.plugin.core.flow.Subflow", values: { namespace: "old", flowId: "main" } };
for (
  const declared of [{ variables: { v: "{{ kv('k', 'old') }}" } }, { pluginDefaults: [SUBFLOW] }]
) {
  Deno.test(`POST /namespaces/:namespace/rename is refused while ${Object.keys(declared)} refer to it`, async () => {
    await using app = await Harness.start();
    await fillNamespace(app);
    await app.json("POST", "/namespaces", json({ id: "plain", variables: { env: "old" } }));
    await app.json("POST", "/namespaces", json({ id: "else", ...declared }));
    const usage = await app.json("GET", "/namespaces/old/usage") as JsonObject;
    const open = (usage.references as JsonObject[]).filter(({ edited }) => !edited);
    assertEquals(open, [{ kind: "NAMESPACE", id: "else", edited: false }]);
    const { status, message } = await refusal(app, "POST", RENAME, json({ id: "new" }));
    assertEquals(status, 409);
    assertStringIncludes(message, '"else"');
  });
}

Deno.test("GET /namespaces/:namespace/usage names own references, webhooks, children and open executions", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  assertEquals(await app.json("GET", "/namespaces/old/usage"), {
    children: ["old.sub"],
    webhooks: ["old.main"],
    executions: { total: 0, ids: [] },
    references: [{ kind: "FLOW", id: "old.main", line: 6, edited: true }],
    cut: false,
  });
});

Deno.test("POST /namespaces/:namespace/rename is refused while an execution has not ended", async () => {
  await using app = await Harness.start();
  await fillNamespace(app);
  await app.save("id: p\nnamespace: old\ntasks:\n  - {id: a, type: io.svc.plugin.core.flow.Pause}\n");
  const { id } = await app.json("POST", "/executions/old/p") as JsonObject;
  await settle();
  const { status, message } = await refusal(app, "POST", RENAME, json({ id: "new" }));
  assertEquals(status, 409);
  assertStringIncludes(message, `1 executions of its flows have not ended`);
  assertStringIncludes(message, String(id));
  await app.json("PUT", "/namespaces/old/kv/k2", json('"v"')); // nothing is frozen
});

const REFUSED: readonly (readonly [body: unknown, status: number, says: string])[] = [
  [{ id: "taken" }, 409, 'to "taken": that namespace holds flows; choose another name'],
  [{ id: "kept" }, 409, "that namespace holds KV pairs, files or secrets"],
  [{ id: "made" }, 409, "that namespace was created"],
  [{ id: "old" }, 422, "has this name already"],
  [{ id: "old.sub.x" }, 422, "which is below it"],
  [{ id: "system" }, 422, '"system" is reserved'],
  [{ id: "UPPER" }, 422, 'namespace "UPPER" must match'],
  [{ id: "n".repeat(149) }, 422, "at most 150 characters"],
  [{}, 422, 'a text as "id"'],
  [[], 422, 'a text as "id"'],
  [{ id: "new", force: "yes" }, 422, '"force" must be true or false'],
];
for (const [body, status, says] of REFUSED) {
  Deno.test(`POST /namespaces/:namespace/rename with ${JSON.stringify(body).slice(0, 40)} is refused with ${status}`, async () => {
    await using app = await Harness.start();
    await fillNamespace(app);
    await app.save(childFlow("taken"));
    await app.json("PUT", "/namespaces/kept/kv/k", json('"v"'));
    await app.json("POST", "/namespaces", json({ id: "made" }));
    const before = await contentOf(app, "old");
    const refused = await refusal(app, "POST", RENAME, json(body));
    assertEquals(refused.status, status);
    assertStringIncludes(refused.message, says);
    assertEquals(await contentOf(app, "old"), before);
  });
}

Deno.test("POST /namespaces/:namespace/rename of a namespace that does not exist is refused with 404", async () => {
  await using app = await Harness.start();
  const { status, message } = await refusal(app, "POST", "/namespaces/missing/rename", json({ id: "new" }));
  assert(status === 404);
  assertStringIncludes(message, 'namespace "missing" does not exist');
});
