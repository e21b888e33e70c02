import { assertEquals, assertRejects } from "@std/assert";
import { StartRefusal } from "../../src/machine/server_process/start_refusal.ts";
import { serverDefaults } from "../../src/server/plugin_defaults.ts";
import { createTaskCatalog } from "../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../src/triggers/registry.ts";

const LOG = "io.svc.plugin.core.log.Log";
const catalogs = () => ({ tasks: createTaskCatalog(), triggers: createTriggerCatalog() });
const read = (text: string) => serverDefaults({ origin: '"d.yaml"', text }, catalogs);

Deno.test("serverDefaults() reads a list in YAML or JSON; none without the option", async () => {
  const expected = [{ type: LOG, forced: true, values: { level: "WARN" } }];
  assertEquals(await read(`- type: ${LOG}\n  forced: true\n  values: {level: WARN}\n`), expected);
  assertEquals(await read(JSON.stringify(expected)), expected);
  assertEquals(await read(""), []);
  assertEquals(await serverDefaults(undefined, catalogs), []);
});

const REFUSED: readonly (readonly [text: string, reason: string])[] = [
  ["a: 1", "pluginDefaults: must be a list of {type, values}"],
  ["- [", "at line 1"],
  ["- {values: {}}", "pluginDefaults[0].type: must be the name of a type"],
  [`- {type: ${LOG}, values: {level: LOUD}}`, "pluginDefaults[0].values.level: must be one of"],
  ["- {type: io.kestra, values: {tasks: []}}", "pluginDefaults[0].values.tasks: must not hold tasks"],
  ["- {type: io.kestra.plugin.core.flow.Dag, values: {tasks: []}}", "must not hold tasks"],
];

for (const [text, reason] of REFUSED) {
  Deno.test(`serverDefaults() refuses ${text}`, async () => {
    const { message } = await assertRejects(() => read(text), StartRefusal);
    assertEquals(message.startsWith('Cannot use the plugin defaults of "d.yaml": '), true, message);
    assertEquals(message.includes(reason), true, message);
  });
}
