/** Variables and plugin defaults of namespaces: stored, inherited, and used by the flows below. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import type { ListOptions, Selector, Store, StoredEntry } from "../../../../src/store/store.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../../support/fakes/faulty_store.ts";
import { Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const RETURN = "io.svc.plugin.core.debug.Return";

function flow(body: string, namespace = "a.b"): string {
  return `id: f\nnamespace: ${namespace}\n${body}`;
}

/** A flow whose task has no property of its own. */
const BARE = flow(`tasks: [{id: r, type: ${RETURN}}]\n`);
const OWN = flow(`tasks: [{id: r, type: ${RETURN}, format: own}]\n`);
const SHOWN = flow(`tasks: [{id: r, type: ${RETURN}, format: "{{ namespace.x }}-{{ namespace.map.a }}"}]\n`);

async function declare(server: Harness, id: string, body: JsonObject): Promise<void> {
  const response = await server.request("PUT", `/namespaces/${id}`, json({ id, ...body }));
  assertEquals(response.status, 200, await response.text());
}

function formatDefault(format: string, forced = false): JsonObject {
  return { pluginDefaults: [{ type: RETURN, forced, values: { format } }] };
}

/** Saves the flow under its id. */
async function put(server: Harness, source: string): Promise<void> {
  const response = await server.request("PUT", "/flows/a.b/f", yaml(source));
  if (response.status === 404) return void await server.save(source);
  assertEquals(response.status, 200, await response.text());
}

/** Starts the saved flow; the value of its last task run. */
async function valueOf(server: Harness): Promise<unknown> {
  const { id } = await server.json("POST", "/executions/a.b/f") as JsonObject;
  await settle();
  return await lastValue(server, id);
}

async function lastValue(server: Harness, id: JsonValue | undefined): Promise<unknown> {
  const { taskRunList = [] } = await server.execution(id) as unknown as { taskRunList: JsonObject[] };
  return (taskRunList.at(-1)?.outputs as JsonObject | undefined)?.value;
}

/** A server with a flow in `a.b`, so that its namespaces exist. */
async function withFlow(source = OWN): Promise<Harness> {
  const server = await Harness.start();
  await server.save(source);
  return server;
}

Deno.test("GET /namespaces/:namespace shows what it declares, its inherited-… what those above it declare", async () => {
  await using server = await withFlow();
  const defaults = [{ type: RETURN, forced: true, values: { format: "top" } }];
  await declare(server, "a", { variables: { x: 1, map: { a: 1, b: [1] } }, pluginDefaults: defaults });
  await declare(server, "a.b", { variables: { map: { a: 2, c: 3 } } });
  assertEquals(await server.json("GET", "/namespaces/a"), {
    id: "a",
    variables: { x: 1, map: { a: 1, b: [1] } },
    pluginDefaults: defaults,
    deleted: false,
  });
  assertEquals(await server.json("GET", "/namespaces/a/inherited-variables"), {});
  const above = { x: 1, map: { a: 1, b: [1] } };
  assertEquals(await server.json("GET", "/namespaces/a.b/inherited-variables"), above);
  assertEquals(await server.json("GET", "/namespaces/a.b.c/inherited-variables"), {
    x: 1,
    map: { a: 2, b: [1], c: 3 },
  });
  assertEquals(await server.json("GET", "/namespaces/a.b.c/inherited-plugindefaults"), [
    { ...defaults[0], namespace: "a" },
  ]);
  const again = await server.restart();
  await using _ = again;
  assertEquals(await again.json("GET", "/namespaces/a.b/inherited-variables"), above);
  await declare(again, "a", {});
  assertEquals(await again.json("GET", "/namespaces/a"), { id: "a", deleted: false });
  assertEquals(await again.json("GET", "/namespaces/a.b/inherited-variables"), {});
});

Deno.test("{{ namespace.x }} is the nearest variable, for the next execution after a change", async () => {
  await using server = await withFlow(SHOWN);
  await declare(server, "a", { variables: { x: "top", map: { a: "top" } } });
  assertEquals(await valueOf(server), "top-top");
  await declare(server, "a.b", { variables: { map: { a: "near" } } });
  assertEquals(await valueOf(server), "top-near");
  await declare(server, "a.bc", { variables: { x: "sibling" } }).catch(() => undefined);
  assertEquals(await valueOf(server), "top-near");
  const again = await server.restart();
  await using _ = again;
  assertEquals(await valueOf(again), "top-near");
});

Deno.test("a secret that a variable of the namespace names is masked in the log", async () => {
  const secrets = new Map([["KEY", btoa("s3cr3t-value")]]);
  await using server = await Harness.start({ secrets });
  const source = flow(
    `tasks: [{id: l, type: io.svc.plugin.core.log.Log, message: "{{ render(namespace.key) }}"}]\n`,
  );
  await server.save(source);
  await declare(server, "a", { variables: { key: "{{ secret('KEY') }}" } });
  const { id } = await server.json("POST", "/executions/a.b/f") as JsonObject;
  await settle();
  const lines = await server.json("GET", `/logs/${id}`) as JsonObject[];
  assertEquals(lines.map(({ message }) => message), ["**masked****"]);
});

const RULES: readonly (readonly [rule: string, near: JsonObject, source: string, value: string])[] = [
  ["a default fills what a task lacks", {}, BARE, "top"],
  ["a task's own property wins", {}, OWN, "own"],
  ["the nearest namespace wins", formatDefault("near"), BARE, "near"],
  ["a forced default replaces a task's own property", formatDefault("near", true), OWN, "near"],
  [
    "a default of the flow wins over those of namespaces",
    formatDefault("near"),
    BARE + `pluginDefaults: [{type: ${RETURN}, values: {format: flow}}]\n`,
    "flow",
  ],
  [
    "a prefix applies to all types below it",
    { pluginDefaults: [{ type: "io.svc.plugin.core", values: { format: "prefix" } }] },
    BARE,
    "prefix",
  ],
];

for (const [rule, near, source, value] of RULES) {
  Deno.test(`plugin defaults of namespaces: ${rule}`, async () => {
    await using server = await withFlow();
    await declare(server, "a", formatDefault("top"));
    await declare(server, "a.b", near);
    await put(server, source);
    assertEquals(await valueOf(server), value);
  });
}

Deno.test("plugin defaults of the server apply below those of namespaces, and are listed without a namespace", async () => {
  const pluginDefaults = [{ type: RETURN, forced: false, values: { format: "server" } }];
  await using server = await Harness.start({ pluginDefaults });
  await put(server, BARE);
  assertEquals(await valueOf(server), "server");
  await declare(server, "a", formatDefault("top"));
  assertEquals(await valueOf(server), "top");
  assertEquals(await server.json("GET", "/namespaces/a.b/inherited-plugindefaults"), [
    { type: RETURN, forced: false, values: { format: "top" }, namespace: "a" },
    ...pluginDefaults,
  ]);
});

Deno.test("POST /flows and /flows/validate see the plugin defaults of the namespace", async () => {
  const lacking = flow("tasks: [{id: l, type: io.svc.plugin.core.log.Log}]\n");
  await using server = await withFlow();
  const constraints = async () => {
    const [check] = await server.json("POST", "/flows/validate", yaml(lacking)) as JsonObject[];
    return check?.constraints;
  };
  assertStringIncludes(String(await constraints()), "message");
  await declare(server, "a", {
    pluginDefaults: [{ type: "io.svc.plugin.core.log.Log", values: { message: "hi" } }],
  });
  assertEquals(await constraints(), undefined);
  await put(server, lacking);
  assertEquals((await server.json("GET", "/flows/a.b/f?source=true") as JsonObject).source, lacking);
});

Deno.test("a change of plugin defaults of the namespace moves the dates of its schedules", async () => {
  const type = "io.svc.plugin.core.trigger.Schedule";
  const scheduled = OWN + `triggers: [{id: s, type: ${type}}]\n`;
  await using server = await withFlow();
  const cron = (cron: string) => ({ pluginDefaults: [{ type, values: { cron } }] });
  await declare(server, "a", cron("0 0 1 1 *"));
  await put(server, scheduled);
  const next = async () => (await server.page("/triggers/a.b/f")).results[0]?.nextExecutionDate;
  const yearly = String(await next());
  assertStringIncludes(yearly, "-01-01T");
  await declare(server, "a", cron("* * * * *"));
  assertEquals(String(await next()) < yearly, true);
});

/** A schedule with an expression as cron. */
function scheduled(cron: string): string {
  return OWN + `triggers: [{id: s, type: io.svc.plugin.core.trigger.Schedule, cron: "${cron}"}]\n`;
}

async function nextDate(server: Harness): Promise<JsonValue | undefined> {
  return (await server.page("/triggers/a.b/f")).results[0]?.nextExecutionDate;
}

Deno.test("a change of variables moves the dates of the schedules that read them", async () => {
  await using server = await withFlow(scheduled("{{ namespace.cron }}"));
  assertEquals(await nextDate(server), undefined);
  await declare(server, "a", { variables: { cron: "0 0 1 1 *" } });
  assertEquals(await nextDate(server), "2027-01-01T00:00:00.000Z");
  await server.json("PUT", "/namespaces/a/variables", yaml(`cron: "*/5 * * * *"`));
  assertEquals(await nextDate(server), "2026-01-15T10:35:00.000Z");
});

Deno.test("a change of variables moves the dates of a schedule whose cron is a template of tags alone", async () => {
  const cron = "{% if namespace.often is defined %}*/5 * * * *{% else %}0 0 1 1 *{% endif %}";
  await using server = await withFlow(scheduled(cron));
  assertEquals(await nextDate(server), "2027-01-01T00:00:00.000Z");
  await declare(server, "a", { variables: { often: true } });
  assertEquals(await nextDate(server), "2026-01-15T10:35:00.000Z");
});

Deno.test("a change of variables leaves triggers without expressions as they are", async () => {
  await using server = await withFlow(scheduled("* * * * *"));
  const state = async () => (await server.page("/triggers/a.b/f")).results[0];
  const before = await state();
  await server.clock.advance(1_000);
  await declare(server, "a", { variables: { cron: "0 0 1 1 *" } });
  assertEquals(await state(), before);
});

Deno.test("an execution in memory keeps the variables that it started with", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await Harness.start({
    effect: async () => {
      await gate.promise;
      return { state: "SUCCESS" };
    },
  });
  const source = flow(
    `tasks:\n  - {id: wait, type: io.svc.plugin.harness.Effect, name: w}\n` +
      `  - {id: r, type: ${RETURN}, format: "{{ namespace.x }}"}\n`,
  );
  await server.save(source);
  await declare(server, "a", { variables: { x: "before" } });
  const { id } = await server.json("POST", "/executions/a.b/f") as JsonObject;
  await declare(server, "a", { variables: { x: "after" } });
  gate.resolve();
  await settle();
  assertEquals(await lastValue(server, id), "before");
  assertEquals(await valueOf(server), "after");
});

Deno.test("an execution that is read again after a restart uses the current variables and plugin defaults", async () => {
  await using server = await Harness.start();
  await server.save(flow(
    `tasks:\n  - {id: wait, type: io.svc.plugin.core.flow.Pause}\n  - {id: r, type: ${RETURN}}\n`,
  ));
  await declare(server, "a", { variables: { x: "before" }, ...formatDefault("old {{ namespace.x }}") });
  const { id } = await server.json("POST", "/executions/a.b/f") as JsonObject;
  await settle();
  await declare(server, "a", { variables: { x: "after" }, ...formatDefault("new {{ namespace.x }}") });
  const again = await server.restart();
  await using _ = again;
  await again.json("POST", `/executions/${id}/resume`, { body: new FormData() });
  await settle();
  assertEquals(await lastValue(again, id), "new after");
});

Deno.test("POST /flows/expressions names the variables that the flow inherits", async () => {
  await using server = await withFlow();
  const names = async () =>
    (await server.json("POST", "/flows/expressions", yaml(OWN)) as JsonObject).namespace;
  assertEquals(await names(), undefined);
  await declare(server, "a", { variables: { x: 1, "y z": 2 } });
  assertEquals(await names(), ["namespace.x", 'namespace["y z"]']);
});

function upload(text: string): RequestInit {
  const body = new FormData();
  body.append("fileUpload", new File([text], "defaults.yaml"));
  return { body };
}

Deno.test("POST …/plugindefaults/import adds defaults, those of a type replace earlier ones; …/export gives them back", async () => {
  await using server = await withFlow(BARE);
  const path = "/namespaces/a/plugindefaults";
  const exported = async () => await (await server.request("POST", `${path}/export`)).text();
  assertEquals(await exported(), "[]\n");
  await declare(server, "a", { description: "kept", variables: { x: 1 }, ...formatDefault("old") });
  const text = `- type: ${RETURN}\n  values: {format: new}\n- type: other.Type\n  forced: true\n`;
  assertEquals(await server.json("POST", `${path}/import`, upload(text)), [RETURN, "other.Type"]);
  const namespace = await server.json("GET", "/namespaces/a") as JsonObject;
  assertEquals([namespace.description, namespace.variables], ["kept", { x: 1 }]);
  assertEquals(namespace.pluginDefaults, [
    { type: RETURN, forced: false, values: { format: "new" } },
    { type: "other.Type", forced: true, values: {} },
  ]);
  assertEquals(await valueOf(server), "new");
  assertEquals(await server.json("POST", `${path}/import`, upload(await exported())), [RETURN, "other.Type"]);
  const wrapped = `pluginDefaults:\n- type: ${RETURN}\n  values: {format: third}\n`;
  assertEquals(await server.json("POST", `${path}/import`, upload(wrapped)), [RETURN]);
  assertEquals(await valueOf(server), "third");
});

for (
  const [what, type] of [
    ["the other prefix", "io.kestra.plugin.core.debug.Return"],
    ["an older name", "io.kestra.core.tasks.debugs.Return"],
  ] as const
) {
  Deno.test(`POST …/plugindefaults/import replaces the defaults of a type that it names by ${what}`, async () => {
    await using server = await withFlow(BARE);
    await declare(server, "a", formatDefault("old"));
    const text = `- type: ${type}\n  values: {format: new}\n`;
    assertEquals(await server.json("POST", "/namespaces/a/plugindefaults/import", upload(text)), [type]);
    const { pluginDefaults } = await server.json("GET", "/namespaces/a") as JsonObject;
    assertEquals(pluginDefaults, [{ type, forced: false, values: { format: "new" } }]);
    assertEquals(await valueOf(server), "new");
  });
}

const BAD_IMPORTS: readonly (readonly [text: string, says: string])[] = [
  ["- [", "the file cannot be read: "],
  ["a: 1", "pluginDefaults: must be a list"],
  ["- values: {}", "pluginDefaults[0].type: must be the name of a type"],
  [`- {type: ${RETURN}, values: {formt: x}}`, 'pluginDefaults[0].values.formt: Unrecognized field "formt"'],
];

for (const [text, says] of BAD_IMPORTS) {
  Deno.test(`POST …/plugindefaults/import of ${JSON.stringify(text)} is refused`, async () => {
    await using server = await withFlow();
    const response = await server.request("POST", "/namespaces/a/plugindefaults/import", upload(text));
    assertEquals(response.status, 422);
    assertStringIncludes((await response.json()).message, says);
  });
}

/** Counts all reads. */
class CountingStore extends FaultyStore {
  reads = 0;

  override list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    this.reads++;
    return super.list(selector, options);
  }

  override getMany(...args: Parameters<FaultyStore["getMany"]>): ReturnType<FaultyStore["getMany"]> {
    this.reads++;
    return super.getMany(...args);
  }

  override get(...args: Parameters<FaultyStore["get"]>): ReturnType<FaultyStore["get"]> {
    this.reads++;
    return super.get(...args);
  }
}

Deno.test("a start of a flow that inherits defaults reads nothing from the store", async () => {
  let counting: CountingStore | undefined;
  await using server = await Harness.start({ wrap: (store: Store) => counting = new CountingStore(store) });
  await server.save(OWN);
  await declare(server, "a", { ...formatDefault("top"), variables: { x: 1 } });
  await valueOf(server);
  const store = counting as CountingStore;
  store.reads = 0;
  await server.json("POST", "/executions/a.b/f");
  assertEquals(store.reads, 0);
});

Deno.test("PUT /namespaces/:namespace/variables and /plugindefaults replace one part, as YAML", async () => {
  await using server = await withFlow();
  await declare(server, "a.b", { description: "d", variables: { x: 1 }, ...formatDefault("top") });
  const put = async (part: string, text: string) => {
    const response = await server.request("PUT", `/namespaces/a.b/${part}`, yaml(text));
    return [response.status, await response.text()] as const;
  };
  assertEquals(await put("variables", "top:\n  z: 2 # two\n"), [204, ""]);
  assertEquals(await textOf(server, "variables"), "top:\n  z: 2\n");
  assertEquals(await put("plugindefaults", ""), [204, ""]);
  assertEquals(await textOf(server, "plugindefaults"), "[]\n");
  assertEquals(await server.json("GET", "/namespaces/a.b"), {
    id: "a.b",
    description: "d",
    variables: { top: { z: 2 } },
    deleted: false,
  });
  for (
    const [part, text, reason] of [
      ["variables", "- 1", "must be an object"],
      ["variables", "a: [", "at line 1"],
      ["plugindefaults", "a: 1", "must be a list"],
    ] as const
  ) {
    const [status, body] = await put(part, text);
    assertEquals(status, 422);
    assertStringIncludes(body, reason);
  }
  assertEquals(await textOf(server, "variables"), "top:\n  z: 2\n");
});

async function textOf(server: Harness, part: string): Promise<string> {
  return await (await server.request("GET", `/namespaces/a.b/${part}`)).text();
}
