/** Groups of integrations are loaded when one of their types is first named. */
import { assertEquals, assertRejects } from "@std/assert";
import { GroupLoader, loadAllTypes, loadedTypes, loadTypes } from "../../src/integrations/loading.ts";
import { INTEGRATION_GROUPS } from "../../src/integrations/registry.ts";
import { createTaskCatalog } from "../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../src/triggers/registry.ts";

const NOTHING: readonly string[] = [
  "id: a\nnamespace: b\ntasks: [{id: c, type: io.kestra.plugin.core.log.Log, message: see git. Then aws}]",
  "uri: https://ai.example.com/slack.html",
  "type: com.example.aws.Upload",
  "",
];

Deno.test("a text without a name of a type loads nothing", () => {
  for (const text of NOTHING) assertEquals(loadTypes(text), undefined, text);
  assertEquals(loadedTypes(), []);
});

const NAMED: readonly (readonly [text: string, type: string])[] = [
  ["type: io.kestra.plugin.ldap.Search", "ldap.Search"],
  ['type: "io.svc.plugin.compress.FileCompress"', "compress.FileCompress"],
  ["pluginDefaults: [{type: io.kestra.plugin.serdes, values: {}}]", "serdes.csv.CsvToIon"],
  ["type: io.kestra.plugin.notifications.mail.MailSend", "notifications.mail.MailSend"],
  ["type: io.kestra.slack.SlackExecution", "notifications.slack.SlackExecution"],
  ["git.Clone", "git.Clone"],
  ["provider: {type: io.kestra.plugin.ai.provider.OpenAI}", "ai.completion.ChatCompletion"],
];

for (const [text, type] of NAMED) {
  Deno.test(`"${text}" loads ${type}`, async () => {
    await loadTypes(text);
    assertEquals(createTaskCatalog().find(type)?.type, type);
    assertEquals(loadTypes(text), undefined);
  });
}

Deno.test("a trigger loads its group, and a group that is loaded twice at once is there once", async () => {
  const catalog = createTriggerCatalog();
  assertEquals(catalog.find("kafka.Trigger"), undefined);
  await Promise.all([loadTypes("kafka.Trigger"), loadTypes("kafka.Trigger")]);
  assertEquals(catalog.find("kafka.Trigger")?.form, "polling");
  assertEquals(catalog.list().filter(({ type }) => type === "kafka.Trigger").length, 1);
});

Deno.test("each name of a type loads it", async () => {
  for (const group of INTEGRATION_GROUPS) {
    const { tasks, triggers = [], realtimeTriggers = [], parts = [] } = await group.load();
    const names = [...tasks, ...triggers, ...realtimeTriggers, ...parts].flatMap((
      { type, aliases = [] },
    ) => [type, ...aliases]);
    const foreign = names.filter((name) => !group.prefixes.includes(name.split(".", 1)[0] ?? ""));
    assertEquals(foreign, []);
    const unused = group.prefixes.filter((prefix) => !names.some((name) => name.startsWith(`${prefix}.`)));
    assertEquals(unused, []);
  }
});

Deno.test("all groups can be loaded", async () => {
  await loadAllTypes();
  assertEquals(loadedTypes().length, INTEGRATION_GROUPS.length);
  assertEquals([loadAllTypes(), loadTypes("aws.s3.Upload")], [undefined, undefined]);
});

Deno.test("a group that could not be loaded is loaded at its next use", async () => {
  const types = { tasks: [] };
  const loads = [() => Promise.reject(new Error("too many open files")), () => Promise.resolve(types)];
  const load = () => loads.shift()?.() ?? Promise.reject(new Error("It is loaded already"));
  const loader = new GroupLoader([{ prefixes: ["demo"], load }]);
  const text = "type: io.kestra.plugin.demo.Task";
  // Both callers wait for the same import.
  const failed = [loader.load(text), loader.loadAll()];
  for (const each of failed) await assertRejects(async () => await each, Error, "too many open files");
  assertEquals(loader.loaded, []);
  await loader.load(text);
  assertEquals(loader.loaded, [types]);
  assertEquals(loader.load(text), undefined);
});
