/** Refusals of types of integrations: each names its group, the nearest way, and no unrelated type. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseFlowSource, validateFlow, validateTask } from "../../../src/flow/mod.ts";
import { integrationOf, INTEGRATIONS, TRIGGER_WAY } from "../../../src/flow/schema/integrations.ts";
import { nearestWay } from "../../../src/flow/schema/nearest_ways.ts";
import { INTEGRATION_TASKS } from "../../support/flows/all_integrations.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };

/** Types that public flows use, by group, without prefix. */
const TYPES: Readonly<Record<string, readonly string[]>> = JSON.parse(
  Deno.readTextFileSync(new URL("../../fixtures/integration_types.json", import.meta.url)),
);

/** Sections that groups are spread over; any other group has a section of its name. */
const SPREAD: Readonly<Record<string, readonly string[]>> = {
  notifications: ["notifications", "slack", "email"],
  kestra: ["kestra", "enterprise"],
};

/** Types whose name differs from one that is here by a few letters. */
const NEAR: ReadonlyMap<string, string> = new Map([
  ["gcp.gcs.Ls", "gcp.gcs.List"],
]);

function refusal(type: string): string {
  const source = `{id: f, namespace: n, tasks: [{id: t, type: ${type}}]}`;
  const [problem] = validateFlow(parseFlowSource(source), CATALOGS).filter(({ code }) =>
    code === "unknown_type"
  );
  return problem?.message ?? "";
}

for (const [group, names] of Object.entries(TYPES)) {
  Deno.test(`the ${names.length} types of "${group}" are here, or refused with their integration and its way`, () => {
    for (const name of names) {
      const integration = integrationOf(name);
      assertEquals((SPREAD[group] ?? [group]).includes(integration?.id ?? ""), true, name);
      if (CATALOGS.tasks.find(name) || CATALOGS.triggers.find(name)) continue;
      const message = refusal(`io.kestra.plugin.${name}`);
      if (message.endsWith(`, did you mean "io.kestra.plugin.${NEAR.get(name)}"`)) continue;
      const start =
        `Invalid type: io.kestra.plugin.${name}; this type of the integration "${integration?.title}" is `;
      assertEquals(message.slice(0, start.length), start);
      const way = nearestWay(name) ?? (name.endsWith("Trigger") ? TRIGGER_WAY : integration?.way);
      assertEquals(message.endsWith(`${way}; see docs/INTEGRATIONS.md#${integration?.id}`), true, message);
    }
  });
}

/** What is written, and the end of its refusal. */
const SUGGESTIONS: readonly (readonly [type: string, end: string])[] = [
  ["io.kestra.plugin.core.log.Logg", ', did you mean "io.kestra.plugin.core.log.Log"'],
  ["io.kestra.plugin.scripts.python.Scrip", ', did you mean "io.kestra.plugin.scripts.python.Script"'],
  ["io.kestra.plugin.scripts.pyton.Script", ', did you mean "io.kestra.plugin.scripts.python.Script"'],
  ["io.kestra.plugin.scripts.nodejs.Script", ', did you mean "io.kestra.plugin.scripts.node.Script"'],
  ["io.kestra.plugin.scripts.rust.Script", "see docs/INTEGRATIONS.md#script-languages"],
  ["io.kestra.plugin.scripts.c.Script", "see docs/INTEGRATIONS.md#script-languages"],
  ["io.kestra.plugin.cor.log.Log", ', did you mean "io.kestra.plugin.core.log.Log"'],
  ["io.kestra.plugin.git.log.Log", "see docs/INTEGRATIONS.md#git"],
  ["io.kestra.plugin.acme.Nothing", "see docs/COMPATIBILITY.md and docs/INTEGRATIONS.md"],
  ["com.acme.Nothing", "Invalid type: com.acme.Nothing"],
];

for (const [type, end] of SUGGESTIONS) {
  Deno.test(`the refusal of ${type} ends with ${end}`, () => {
    const message = refusal(type);
    assertEquals(message.slice(-end.length), end, message);
  });
}

Deno.test("a missing trigger of an integration is refused with what to do about triggers", () => {
  const type = "io.kestra.plugin.azure.storage.adls.Trigger";
  const task = "{id: t, type: core.debug.Return}";
  const source = `{id: f, namespace: n, tasks: [${task}], triggers: [{id: k, type: ${type}}]}`;
  const [problem] = validateFlow(parseFlowSource(source), CATALOGS);
  if (CATALOGS.triggers.find("azure.storage.adls.Trigger")) return; // It is here now.
  assertStringIncludes(
    problem?.message ?? "",
    "poll in a flow with a Schedule trigger, or let the other system call",
  );
});

Deno.test("every prefix of INTEGRATIONS is listed once, and every section has its own anchor", () => {
  const prefixes = INTEGRATIONS.flatMap((each) => each.prefixes);
  assertEquals(prefixes.length, new Set(prefixes).size);
  assertEquals(INTEGRATIONS.length, new Set(INTEGRATIONS.map(({ id }) => id)).size);
});

for (const { id, example } of INTEGRATIONS) {
  if (example === undefined) continue;
  Deno.test(`the example of "${id}" is a valid task`, () => {
    const problems = validateTask(parseFlowSource(example), CATALOGS);
    assertEquals(problems.map(({ path, message }) => `${path}: ${message}`), []);
  });
}

Deno.test("the examples of types are valid tasks or flows", () => {
  const problemsOf = (yaml: string) =>
    !/^type:/m.test(yaml)
      ? validateFlow(parseFlowSource(yaml), CATALOGS)
      : validateTask(parseFlowSource(yaml), CATALOGS);
  const problems = INTEGRATION_TASKS.flatMap(({ type, examples = [] }) =>
    examples.flatMap(({ yaml }) => problemsOf(yaml)).map(({ path, message }) => `${type} ${path}: ${message}`)
  );
  assertEquals(problems, []);
});

Deno.test("integrationOf() reads only the beginning of a long name", () => {
  assertEquals(integrationOf("a.".repeat(500_000)), undefined);
  const [{ prefixes: [prefix = ""] = [] } = {}] = INTEGRATIONS;
  assertEquals(integrationOf(prefix + ".a".repeat(500_000))?.prefixes.includes(prefix), true);
});
