import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pluginRoutes } from "../../../../src/http/routes/flows/plugins.ts";
import { Plugins, type TypePrefix } from "../../../../src/services/plugins/plugins.ts";
import { builtInTypes } from "../../../support/flows/all_types.ts";
import { EFFECT_TYPE, Harness } from "../../../support/harness.ts";
import { type AppUnderTest, startApp } from "../../app_under_test.ts";

const LOG = "io.svc.plugin.core.log.Log";
const OLD_LOG = "io.kestra.core.tasks.log.Log";
const WEBHOOK = "io.svc.plugin.core.trigger.Webhook";
const CACHED = "public,max-age=3600";

function startPlugins(typePrefix?: TypePrefix): Promise<AppUnderTest> {
  const plugins = new Plugins({ ...builtInTypes(), version: "1.2.3", typePrefix });
  return startApp({ tenantRoutes: [{ routes: pluginRoutes(plugins) }] });
}

async function read(server: AppUnderTest, path: string, init?: RequestInit) {
  const response = await server.send(`/api/v1/plugins${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    cached: response.headers.get("cache-control"),
    text,
    body: response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined,
  };
}

Deno.test("GET /plugins is an array, or a page on request", async () => {
  await using server = await startPlugins();
  const { body: list } = await read(server, "");
  assert(Array.isArray(list));
  const core = list.find((plugin) => plugin.name === "core");
  assertEquals([core.title, core.group, core.version], ["core", "io.svc.plugin.core", "1.2.3"]);
  assert(
    core.tasks.some(({ cls, deprecated }: { cls: string; deprecated: boolean }) =>
      cls === LOG && !deprecated
    ),
  );
  assert(core.triggers.some(({ cls }: { cls: string }) => cls === WEBHOOK));
  assert(core.aliases.includes(OLD_LOG) && !core.aliases.includes(LOG));
  for (const query of ["?page=1", "?size=1000", "?sort=name:desc"]) {
    const { body } = await read(server, query);
    assertEquals([body.results.length, body.total], [list.length, list.length], query);
  }
  assertEquals((await read(server, "?page=2")).body, { results: [], total: list.length });
  assertEquals((await read(server, "?sort=age:asc")).status, 422);
  assertEquals((await read(server, "?page=0")).status, 422);
});

const CLIENTS: readonly (readonly [headers: Record<string, string>, isPage: boolean])[] = [
  [{ "x-kestra-version": "1.3.25", accept: "application/json" }, true],
  [{ "x-kestra-version": "0.21.4", accept: "application/json" }, false],
  [{ "x-kestra-version": "2.0", accept: "text/csv" }, false],
  [{ accept: "application/json" }, false],
];
for (const [headers, isPage] of CLIENTS) {
  Deno.test(`GET /plugins with ${JSON.stringify(headers)} is ${isPage ? "a page" : "an array"}`, async () => {
    await using server = await startPlugins();
    const { body } = await read(server, "", { headers });
    assertEquals([Array.isArray(body), Array.isArray(body.results)], [!isPage, isPage]);
  });
}

const SVC = "io.svc.plugin.";
const KESTRA = "io.kestra.plugin.";
const OFFERED: readonly (readonly [prefix: TypePrefix | undefined, names: readonly string[]])[] = [
  ["svc", [SVC]],
  ["kestra", [KESTRA]],
  [undefined, [SVC, KESTRA]],
];
for (const [typePrefix, prefixes] of OFFERED) {
  Deno.test(`GET /plugins lists names that begin with ${prefixes.join(" or ")}, the prefix ${typePrefix}`, async () => {
    await using server = await startPlugins(typePrefix);
    for (const path of ["", "/groups/subgroups"]) {
      const { body } = await read(server, path);
      const logs = body.filter((entry: { tasks: { title: string }[] }) =>
        entry.tasks.some(({ title }) => title === "Log")
      );
      const found = logs.map((entry: { group: string; tasks: { cls: string; title: string }[] }) => [
        entry.group,
        entry.tasks.find(({ title }) => title === "Log")?.cls,
      ]);
      assertEquals(found, prefixes.map((prefix) => [`${prefix}core`, `${prefix}core.log.Log`]));
    }
    const { body: triggers } = await read(server, "/triggers");
    const hooks = triggers.results.filter(({ name }: { name: string }) => name === "Webhook");
    assertEquals(
      hooks.map(({ type }: { type: string }) => type),
      prefixes.map((prefix) => `${prefix}core.trigger.Webhook`),
    );
    const { body: schema } = await read(server, "/schemas/TASK");
    const names: string[] = schema.definitions.Task.properties.type.anyOf[0].enum;
    assertEquals(
      names.filter((name) => name.endsWith("core.log.Log")),
      prefixes.map((prefix) => `${prefix}core.log.Log`),
    );
  });
}

Deno.test("GET /plugins/groups/subgroups names title, name and group in the manifest", async () => {
  await using server = await startPlugins("kestra");
  const { body } = await read(server, "/groups/subgroups");
  const log = body.find((plugin: { subGroup?: string }) => plugin.subGroup === "io.kestra.plugin.core.log");
  assertEquals(log.manifest, {
    "X-Kestra-Title": "log",
    "X-Kestra-Name": "core",
    "X-Kestra-Group": "io.kestra.plugin.core",
  });
});

Deno.test("GET /plugins/groups/subgroups has an entry for each package", async () => {
  await using server = await startPlugins();
  const { body, cached } = await read(server, "/groups/subgroups");
  const log = body.find((plugin: { subGroup?: string }) => plugin.subGroup === "io.svc.plugin.core.log");
  assertEquals([log.group, log.title], ["io.svc.plugin.core", "log"]);
  assertEquals(cached, CACHED);
});

Deno.test("GET /plugins/triggers lists the types of triggers", async () => {
  await using server = await startPlugins();
  const { body, cached } = await read(server, "/triggers");
  assertEquals(body.results.length, body.total);
  const webhook = body.results.find(({ type }: { type: string }) => type === WEBHOOK);
  assertEquals([webhook.name, webhook.group, webhook.deprecated], ["Webhook", "core", false]);
  assertEquals(cached, CACHED);
});

for (const kind of ["FLOW", "TASK", "TRIGGER", "INPUT", "DASHBOARD", "flow", "dashboard"]) {
  Deno.test(`GET /plugins/schemas/${kind} returns a schema`, async () => {
    await using server = await startPlugins();
    const { status, type, body } = await read(server, `/schemas/${kind}`);
    assertEquals([status, type], [200, "application/json"]);
    assertEquals(body.$schema, "http://json-schema.org/draft-07/schema#");
    assert(Object.hasOwn(body.definitions, body.$ref.replace("#/definitions/", "")));
  });
}

Deno.test("GET /plugins/schemas/:kind?arrayOf=true describes a list", async () => {
  await using server = await startPlugins();
  const { body } = await read(server, "/schemas/TASK?arrayOf=true");
  assertEquals([body.type, body.items], ["array", { $ref: "#/definitions/Task" }]);
  assertEquals((await read(server, "/schemas/TASK?arrayOf=some")).status, 400);
});

Deno.test("GET /plugins/properties/:kind gives the forms that types share in full", async () => {
  await using server = await startPlugins();
  const { body } = await read(server, `/properties/${LOG}`);
  assertEquals([body.properties.retry.type, body.properties.timeout.$ref], ["object", undefined]);
  assertEquals(body.properties.retry.properties.type.enum, ["constant", "exponential", "random"]);
});

Deno.test("GET /plugins/properties/:kind returns the members of a flow, and of a type", async () => {
  await using server = await startPlugins();
  const { body: flow } = await read(server, "/properties/FLOW");
  assert(["id", "namespace", "tasks"].every((name) => Object.hasOwn(flow.properties, name)));
  assertEquals(flow.required.includes("tasks"), true);
  assert(Object.hasOwn(flow.definitions, "Task"));
  assertEquals(flow.$schema, "http://json-schema.org/draft-07/schema#");
  const { body: task } = await read(server, "/properties/TASK");
  assert(["id", "type", "disabled"].every((name) => Object.hasOwn(task.properties, name)));
  const { body: log } = await read(server, `/properties/${OLD_LOG}`);
  assert(["id", "type", "message"].every((name) => Object.hasOwn(log.properties, name)));
});

Deno.test("GET /plugins/:cls documents a type by any of its names", async () => {
  await using server = await startPlugins();
  for (const cls of [LOG, "io.kestra.plugin.core.log.Log", OLD_LOG]) {
    const { status, body } = await read(server, `/${cls}`);
    assertEquals(status, 200, cls);
    for (
      const part of ["# Log", `type: "${LOG}"`, "## Example", "## Properties", "| `message` |", "## Outputs"]
    ) {
      assertStringIncludes(body.markdown, part);
    }
    const { properties, outputs } = body.schema.properties;
    assert(Object.hasOwn(properties, "message") && !Object.hasOwn(properties, "id"));
    assertEquals(outputs, undefined);
    assertEquals(body.schema.outputs.type, "object");
  }
  const { body: full } = await read(server, `/${LOG}?all=true`);
  assert(Object.hasOwn(full.schema.properties.properties, "id"));
});

Deno.test("GET /plugins/:cls/versions knows the version of the server alone", async () => {
  await using server = await startPlugins();
  assertEquals((await read(server, `/${LOG}/versions`)).body, { type: LOG, versions: ["1.2.3"] });
  const { body } = await read(server, `/${LOG}/versions/1.2.3?all=true`);
  assertEquals(body, (await read(server, `/${LOG}?all=true`)).body);
});

Deno.test("GET /plugins/inputs lists the types of inputs, GET /plugins/inputs/:type documents one", async () => {
  await using server = await startPlugins();
  const { body } = await read(server, "/inputs");
  assert(
    body.some(({ type, cls }: { type: string; cls: string }) =>
      type === "STRING" && cls === "io.svc.core.models.flows.input.StringInput"
    ),
  );
  for (const { type, cls } of body) {
    const { body: documented } = await read(server, `/inputs/${type}`);
    assertStringIncludes(documented.markdown, `# ${type}`);
    const member = type === "FORM" ? "inputs" : "defaults";
    assert(Object.hasOwn(documented.schema.properties.properties, member), type);
    assertEquals((await read(server, `/inputs/${cls}`)).body, documented);
  }
  assertEquals((await read(server, "/inputs/ENUM")).body.type, "SELECT");
});

Deno.test("GET /plugins/icons has an icon for every name of a type", async () => {
  await using server = await startPlugins();
  const { body, cached } = await read(server, "/icons");
  assertEquals(cached, CACHED);
  for (const cls of [LOG, OLD_LOG, WEBHOOK]) {
    assertEquals(Object.keys(body[cls]), ["name", "icon", "flowable"]);
    assertStringIncludes(atob(body[cls].icon), "<svg ");
    assertEquals((await read(server, `/icons/${cls}`)).body, { [cls]: body[cls], icon: body[cls] });
    const svg = await read(server, `/icons/${cls}/icon.svg`);
    assertEquals([svg.type, svg.cached, svg.text], ["image/svg+xml", CACHED, atob(body[cls].icon)]);
  }
  const { body: groups, cached: groupsCached } = await read(server, "/icons/groups");
  assertEquals([groups["io.svc.plugin.core.log"].name, groupsCached], ["log", CACHED]);
  assert(Object.hasOwn(groups, "io.svc.plugin.core") && Object.hasOwn(groups, "io.kestra.plugin.core"));
});

for (const path of ["/schemas/TASK", `/properties/${LOG}`, "/inputs", "/inputs/STRING", `/${LOG}`]) {
  Deno.test(`GET /plugins${path} may be cached for an hour`, async () => {
    await using server = await startPlugins();
    const { status, cached } = await read(server, path);
    assertEquals([status, cached], [200, CACHED]);
  });
}

const UNKNOWN = [
  ["/schemas/TEMPLATE", "TEMPLATE"],
  ["/properties/io.svc.plugin.core.log.Lag", "io.svc.plugin.core.log.Lag"],
  ["/io.svc.plugin.core.log.Lag", "io.svc.plugin.core.log.Lag"],
  ["/__proto__", "__proto__"],
  ["/inputs/STRIN", "STRIN"],
  ["/inputs/constructor", "constructor"],
  ["/icons/io.svc.plugin.core.log.Lag", "io.svc.plugin.core.log.Lag"],
  ["/icons/none/icon.svg", "none"],
  ["/none/versions", "none"],
  [`/${LOG}/versions/9.9.9`, "9.9.9"],
] as const;
for (const [path, name] of UNKNOWN) {
  Deno.test(`GET /plugins${path} returns 404 and names it`, async () => {
    await using server = await startPlugins();
    const { status, body, cached } = await read(server, path);
    assertEquals([status, cached === CACHED], [404, false]);
    assertStringIncludes(body.message, `"${name}"`);
  });
}

Deno.test("GET /plugins of a server knows the types that its tasks have", async () => {
  await using server = await Harness.start();
  const response = await server.request("GET", `/api/v1/plugins/${EFFECT_TYPE}/versions`);
  assertEquals(await response.json(), { type: EFFECT_TYPE, versions: ["0.0.0"] });
  const schema = await (await server.request("GET", "/api/v1/plugins/schemas/TASK")).json();
  assert(Object.hasOwn(schema.definitions, EFFECT_TYPE));
});
