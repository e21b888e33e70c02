/** Every statement of the API document, over HTTP: with both prefixes of types, with and without a tenant in the path. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../src/base/json.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";
import { masked } from "../support/masked.ts";

const ID = /^[0-9A-Za-z]{22}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z$/;
const EPOCH_MS = /^\d{13}$/;

/** Where the routes of a tenant are: the document's form, the one of its authentication examples, and another tenant. */
const PLACES = ["/api/v1/main", "/api/v1", "/api/v1/acme"] as const;
const PREFIXES = ["io.svc", "io.kestra"] as const;

function source(prefix: string): string {
  return `id: greeting
namespace: team.demo
description: Says hello
inputs:
  - id: name
    type: STRING
    defaults: World
tasks:
  - id: log
    type: ${prefix}.plugin.core.log.Log
    message: "Hello {{ inputs.name }}"
  - id: return
    type: ${prefix}.plugin.core.debug.Return
    format: "{{ inputs.name }} {{ trigger | json }}"
triggers:
  - id: hook
    type: ${prefix}.plugin.core.trigger.Webhook
    key: 4wjtkzwVGBM9yKnjm3yv8r
`;
}

async function startServer(): Promise<Harness> {
  const server = await Harness.start({ secrets: new Map([["WEBHOOK_KEY", btoa("key-of-secret")]]) });
  await server.json("POST", "/api/v1/tenants", json({ id: "acme" }));
  return server;
}

async function object(answer: Promise<JsonValue>): Promise<JsonObject> {
  const value = await answer;
  assert(isJsonObject(value), `${JSON.stringify(value)} is no object`);
  return value;
}

function member(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isJsonObject(value) ? ownProperty(value, String(step)) : undefined;
  }, value);
}

function checkState(state: JsonValue | undefined, current: string, history: string): void {
  const histories = member(state, "histories");
  assert(Array.isArray(histories));
  assertEquals(member(state, "current"), current);
  assertEquals(histories.map((entry) => member(entry, "state")).join(" "), history);
  for (const entry of histories) assertMatch(String(member(entry, "date")), TIMESTAMP);
  assertMatch(String(member(state, "startDate")), TIMESTAMP);
  assertEquals(typeof member(state, "duration"), "number");
  const hasEnded = current === "SUCCESS";
  assertEquals(member(state, "endDate") !== undefined, hasEnded);
  if (hasEnded) assertMatch(String(member(state, "endDate")), TIMESTAMP);
}

for (const place of PLACES) {
  for (const prefix of PREFIXES) {
    Deno.test(`POST ${place}/flows returns the flow with ${prefix} types as submitted`, async () => {
      await using server = await startServer();
      const flow = await object(server.json("POST", `${place}/flows`, yaml(source(prefix))));
      const { tasks, triggers, inputs, ...rest } = flow;
      assertEquals(rest, {
        id: "greeting",
        namespace: "team.demo",
        revision: 1,
        description: "Says hello",
        disabled: false,
        deleted: false,
        draft: false,
        source: source(prefix),
      });
      assertEquals(tasks, [
        { id: "log", type: `${prefix}.plugin.core.log.Log`, message: "Hello {{ inputs.name }}" },
        {
          id: "return",
          type: `${prefix}.plugin.core.debug.Return`,
          format: "{{ inputs.name }} {{ trigger | json }}",
        },
      ]);
      assertEquals(inputs, [{ id: "name", type: "STRING", defaults: "World" }]);
      assertEquals(member(triggers, 0, "type"), `${prefix}.plugin.core.trigger.Webhook`);
    });
  }

  Deno.test(`POST ${place}/executions/:namespace/:flowId returns an execution that was created`, async () => {
    await using server = await startServer();
    await server.json("POST", `${place}/flows`, yaml(source("io.svc")));
    const started = await object(server.json("POST", `${place}/executions/team.demo/greeting`));
    const { id, state, metadata, url } = started;
    assertMatch(String(id), ID);
    assertEquals([started.namespace, started.flowId, started.flowRevision], ["team.demo", "greeting", 1]);
    assertEquals([started.inputs, started.originalId, started.deleted], [{ name: "World" }, id, false]);
    assertEquals(started.labels, [{ key: "system.correlationId", value: String(id) }]);
    assertEquals(Object.hasOwn(started, "taskRunList"), false);
    checkState(state, "CREATED", "CREATED");
    assertEquals(member(metadata, "attemptNumber"), 1);
    assertMatch(String(member(metadata, "originalCreatedDate")), TIMESTAMP);
    const page = place.endsWith("acme") ? "/ui/acme/executions" : "/ui/executions";
    assertEquals(url, `http://127.0.0.1:8080${page}/team.demo/greeting/${id}`);
  });

  Deno.test(`GET ${place}/executions/:id returns states, histories, task runs and outputs`, async () => {
    await using server = await startServer();
    await server.json(
      "POST",
      `${place}/flows`,
      yaml(source("io.kestra").replace(" {{ trigger | json }}", "!")),
    );
    const body = new FormData();
    body.set("name", "Ann");
    const { id } = await object(
      server.json("POST", `${place}/executions/team.demo/greeting`, { body }),
    );
    await settle();
    const execution = await object(server.json("GET", `${place}/executions/${id}`));
    checkState(execution.state, "SUCCESS", "CREATED RUNNING SUCCESS");
    assertEquals([execution.id, execution.inputs, execution.deleted], [id, { name: "Ann" }, false]);
    assertMatch(String(execution.scheduleDate), TIMESTAMP);
    const outputs: JsonValue[] = [];
    for (const [index, taskId] of ["log", "return"].entries()) {
      const taskRun = member(execution, "taskRunList", index);
      assert(isJsonObject(taskRun));
      assertMatch(String(taskRun.id), ID);
      const identity = [taskRun.executionId, taskRun.namespace, taskRun.flowId, taskRun.taskId];
      assertEquals(identity, [id, "team.demo", "greeting", taskId]);
      checkState(taskRun.state, "SUCCESS", "CREATED RUNNING SUCCESS");
      checkState(member(taskRun, "attempts", 0, "state"), "SUCCESS", "CREATED RUNNING SUCCESS");
      outputs.push(taskRun.outputs ?? null);
    }
    assertEquals(outputs, [{}, { value: "Ann!" }]);
  });

  Deno.test(`GET ${place}/executions/webhook/:namespace/:flowId/:key starts an execution with trigger data`, async () => {
    await using server = await startServer();
    await server.json("POST", `${place}/flows`, yaml(source("io.svc")));
    const path = `${place}/executions/webhook/team.demo/greeting/4wjtkzwVGBM9yKnjm3yv8r?a=1&a=2`;
    const { id } = await object(server.json("GET", path));
    await settle();
    const execution = await object(server.json("GET", `${place}/executions/${id}`));
    assertEquals(member(execution, "state", "current"), "SUCCESS");
    const text = String(member(execution, "taskRunList", 1, "outputs", "value"));
    const data = JSON.parse(text.slice(text.indexOf("{")));
    assertEquals([Object.keys(data), data.parameters], [["headers", "parameters"], { a: ["1", "2"] }]);
    for (const wrong of ["team.demo/greeting/other", "team.demo/none/4wjtkzwVGBM9yKnjm3yv8r"]) {
      const response = await server.request("GET", `${place}/executions/webhook/${wrong}`);
      await response.body?.cancel();
      assertEquals(response.status, 404);
    }
  });

  Deno.test(`PUT and GET ${place}/namespaces/:namespace/kv/:key create, replace and read a pair`, async () => {
    await using server = await startServer();
    const path = `${place}/namespaces/team.demo/kv/my_key`;
    for (const value of ["first", "second"]) {
      assertEquals(await server.json("PUT", path, json(JSON.stringify(value))), null);
      const pair = await object(server.json("GET", path));
      assertEquals([pair.type, pair.value], ["STRING", value]);
    }
    assertEquals(await server.json("DELETE", path), true);
    assertEquals((await server.request("GET", path)).status, 404);
  });

  Deno.test(`POST and GET ${place}/namespaces/:namespace/files list, upload and read files`, async () => {
    await using server = await startServer();
    const base = `${place}/namespaces/team.demo/files`;
    assertEquals(await server.json("GET", `${base}/directory`), []);
    const body = new FormData();
    body.set("fileContent", new Blob(["Hello, World!"]), "local.txt");
    assertEquals(await server.json("POST", `${base}?path=hello.txt`, { body }), null);
    const [entry, ...others] = await server.json("GET", `${base}/directory`) as JsonObject[];
    assertEquals([entry?.type, entry?.size, entry?.fileName, others], ["File", 13, "hello.txt", []]);
    for (const name of ["lastModifiedTime", "creationTime"]) assertMatch(String(entry?.[name]), EPOCH_MS);
    const content = await server.request("GET", `${base}?path=hello.txt`);
    assertEquals([content.status, await content.text()], [200, "Hello, World!"]);
  });
}

Deno.test("a webhook's key may be a secret of the namespace, or of the environment", async () => {
  await using server = await startServer();
  const secret = { key: "HOOK", value: "key-of-namespace" };
  await server.json("PUT", "/namespaces/team.demo/secrets", json(secret));
  for (const [name, key] of [["HOOK", "key-of-namespace"], ["WEBHOOK_KEY", "key-of-secret"]] as const) {
    const flow = source("io.svc").replace("greeting", name.toLowerCase())
      .replace("4wjtkzwVGBM9yKnjm3yv8r", `"{{ secret('${name}') }}"`);
    await server.save(flow);
    const path = `/executions/webhook/team.demo/${name.toLowerCase()}`;
    assertMatch(String((await object(server.json("GET", `${path}/${key}`))).id), ID);
    const refused = await server.request("GET", `${path}/${name}`);
    await refused.body?.cancel();
    assertEquals(refused.status, 404);
  }
});

Deno.test("{{ secret() }} is the secret of the flow's namespace, and its log lines hide it", async () => {
  await using server = await startServer();
  await server.json("PUT", "/namespaces/team.demo/secrets", json({ key: "PIN", value: "hidden-pin" }));
  await server.save(source("io.svc").replace("{{ inputs.name }}", "{{ secret('PIN') }}"));
  const { id } = await object(server.json("POST", "/executions/team.demo/greeting?wait=true"));
  const logs = JSON.stringify(await server.json("GET", `/logs/${id}`));
  assertEquals([logs.includes("hidden-pin"), logs.includes(`Hello ${masked("hidden-pin".length)}`)], [
    false,
    true,
  ]);
});

Deno.test("inputs: the default is used when the input is not supplied, and inputs are absent without any", async () => {
  await using server = await startServer();
  const noInputs = source("io.svc").replace(/inputs:\n.*\n.*\n.*\n/, "").replaceAll(
    "{{ inputs.name }}",
    "you",
  );
  await server.save(noInputs);
  const { inputs, id } = await object(server.json("POST", "/executions/team.demo/greeting"));
  await settle();
  const fetched = await object(server.json("GET", `/executions/${id}`));
  assertEquals([inputs, fetched.inputs], [undefined, undefined]);
});

Deno.test("revisions: 1 on first creation, the next when changed, and an execution records its own", async () => {
  await using server = await startServer();
  const revisions: (JsonValue | undefined)[] = [];
  revisions.push((await server.save(source("io.svc"))).revision);
  for (const word of ["Hi", "Hi", "Hey"]) {
    const changed = source("io.svc").replace("Hello {{", `${word} {{`);
    const flow = await object(server.json("PUT", "/flows/team.demo/greeting", yaml(changed)));
    const { flowRevision } = await object(server.json("POST", "/executions/team.demo/greeting"));
    revisions.push(flow.revision, flowRevision);
  }
  assertEquals(revisions, [1, 2, 2, 2, 2, 3, 3]);
});

Deno.test("tenants share nothing: flows, executions, logs, pairs, files, secrets and webhooks", async () => {
  await using server = await startServer();
  const [main, acme] = ["/api/v1/main", "/api/v1/acme"];
  await server.json("POST", `${main}/flows`, yaml(source("io.svc")));
  const { id } = await object(server.json("POST", `${main}/executions/team.demo/greeting`));
  await settle();
  await server.json("PUT", `${main}/namespaces/team.demo/kv/k`, json(1));
  const body = new FormData();
  body.set("fileContent", new Blob(["x"]), "x");
  await server.json("POST", `${main}/namespaces/team.demo/files?path=a.txt`, { body });
  await server.json("PUT", `${main}/namespaces/team.demo/secrets`, json({ key: "S", value: "v" }));
  const hidden = [
    "/flows/team.demo/greeting",
    `/executions/${id}`,
    "/namespaces/team.demo/kv/k",
    "/namespaces/team.demo/files?path=a.txt",
    "/executions/webhook/team.demo/greeting/4wjtkzwVGBM9yKnjm3yv8r",
  ];
  for (const path of hidden) {
    const statuses = await Promise.all([main, acme].map(async (place) => {
      const response = await server.request("GET", place + path);
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses, [200, 404], path);
  }
  const empty: readonly (readonly [path: string, answer: JsonValue])[] = [
    ["/flows/search", { results: [], total: 0 }],
    ["/flows/team.demo", []],
    ["/executions/search", { results: [], total: 0 }],
    [`/logs/${id}`, []],
    ["/namespaces/team.demo/kv", []],
    ["/kv", { results: [], total: 0 }],
    ["/namespaces/team.demo/files/directory", []],
    ["/namespaces/team.demo/secrets?filters[key][EQUALS]=S", { readOnly: false, results: [], total: 0 }],
  ];
  for (const [path, answer] of empty) assertEquals(await server.json("GET", acme + path), answer, path);
  await server.json("POST", `${acme}/flows`, yaml(source("io.svc")));
  assertEquals((await server.request("DELETE", "/api/v1/tenants/acme")).status, 204);
  assertEquals((await server.request("GET", `${acme}/flows/search`)).status, 404);
  assertEquals((await server.request("GET", `${main}/flows/team.demo/greeting`)).status, 200);
});
