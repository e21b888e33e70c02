import { assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { NO_DEFAULTS, type PluginDefault } from "../../../src/model/flows/inherited_defaults.ts";
import { NamespaceDefaults } from "../../../src/services/flows/namespace_defaults.ts";
import type { NamespaceRecord } from "../../../src/store/records/namespace_records.ts";

const SERVER: PluginDefault = { type: "s", forced: false, values: { of: "server" } };

function plugin(of: string): PluginDefault {
  return { type: "t", forced: false, values: { of } };
}

function record(id: string, variables?: JsonObject, pluginDefaults?: PluginDefault[]): NamespaceRecord {
  return { id, variables, pluginDefaults, isDeleted: false };
}

/** Defaults over the records of tenant `main`. */
async function loaded(records: readonly NamespaceRecord[], server?: PluginDefault[]) {
  const list = (tenant: string) => Promise.resolve(tenant === "main" ? [...records] : []);
  const defaults = new NamespaceDefaults({ records: { list }, server });
  await defaults.load(["main", "acme"]);
  return defaults;
}

Deno.test("of() merges maps and lists plugin defaults, the nearest first, those of the server last", async () => {
  const defaults = await loaded([
    record("a", { x: 1, map: { a: 1, deep: { b: 1 } }, list: [1] }, [plugin("a")]),
    record("a.b.c", { map: { deep: { c: 2 } }, list: [2] }, [plugin("c")]),
    record("ab", { x: 9 }),
  ], [SERVER]);
  const { variables, pluginDefaults } = defaults.of("main", "a.b.c.d");
  assertEquals(variables, { x: 1, map: { a: 1, deep: { b: 1, c: 2 } }, list: [2] });
  assertEquals(pluginDefaults, [plugin("c"), plugin("a"), SERVER]);
  assertEquals(defaults.of("main", "a.b").variables, { x: 1, map: { a: 1, deep: { b: 1 } }, list: [1] });
  assertEquals(defaults.of("main", "other").pluginDefaults, [SERVER]);
  assertEquals(defaults.of("acme", "a").pluginDefaults, [SERVER]);
});

Deno.test("of() gives the same object until something that the namespace inherits changes", async () => {
  const defaults = await loaded([record("a", { x: 1 }), record("a.b", { y: 1 }), record("c", { z: 1 })]);
  const [a, b, c] = ["a.x", "a.b", "c.d.e"].map((name) => defaults.of("main", name));
  assertStrictEquals(defaults.of("main", "a.y.z"), a);
  defaults.put("main", record("a.b", { y: 2 }));
  assertStrictEquals(defaults.of("main", "a.x"), a);
  assertStrictEquals(defaults.of("main", "c.d"), c);
  const changed = defaults.of("main", "a.b");
  assertEquals(changed.version === b?.version, false);
  defaults.put("main", record("a", { x: 2 }));
  assertEquals(defaults.of("main", "a.b").variables, { x: 2, y: 2 });
  assertEquals(defaults.of("main", "a.b").version === changed.version, false);
});

Deno.test("of() is NO_DEFAULTS without declarations, after their removal, and for a removed tenant", async () => {
  const defaults = await loaded([]);
  assertStrictEquals(defaults.of("main", "a"), NO_DEFAULTS);
  defaults.put("main", record("a", { x: 1 }));
  assertEquals(defaults.of("main", "a").variables, { x: 1 });
  defaults.put("main", { id: "a", isDeleted: true });
  assertStrictEquals(defaults.of("main", "a"), NO_DEFAULTS);
  defaults.put("main", record("a", { x: 1 }));
  defaults.forget("main");
  assertStrictEquals(defaults.of("main", "a"), NO_DEFAULTS);
});

Deno.test("variables named like members of prototypes are data", async () => {
  const defaults = await loaded([
    record("a", JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}')),
    record("a.b", JSON.parse('{"__proto__": {"y": 2}}')),
  ]);
  const { variables } = defaults.of("main", "a.b");
  assertEquals(JSON.stringify(variables), '{"__proto__":{"x":1,"y":2},"constructor":1}');
  assertEquals(({} as JsonObject).x, undefined);
});

Deno.test("bytesOf() counts what a tenant declares, without one namespace", async () => {
  const defaults = await loaded([record("a", { x: "ä" }), record("b", { y: 1 })]);
  assertEquals(defaults.bytesOf("main", "b"), new TextEncoder().encode('[{"x":"ä"},[]]').length);
  defaults.put("main", { id: "a", isDeleted: true });
  assertEquals(defaults.bytesOf("main", "b"), 0);
  assertEquals(defaults.bytesOf("acme", "b"), 0);
});
