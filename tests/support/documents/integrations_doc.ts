/** Writes `docs/INTEGRATIONS.md` from the table of integrations and the catalogs of types. */
import {
  type Integration,
  integrationOf,
  INTEGRATIONS,
  TRIGGER_WAY,
} from "../../../src/flow/schema/integrations.ts";
import type { PartType } from "../../../src/model/tasks/task_catalog.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { INTEGRATION_PARTS, INTEGRATION_TASKS, INTEGRATION_TRIGGERS } from "../flows/all_integrations.ts";

const PATH = "docs/INTEGRATIONS.md";

const HEAD = `# Integrations

<!-- written by \`deno task docs:integrations\` from src/flow/schema/integrations.ts -->

Servers of this language have hundreds of task types for other systems. Flows with a type that this server does not have are
refused at save, with the place of the type, its integration, whether it is planned, and the nearest way. This page lists the
ways by group. Types are written without their prefix \`io.kestra.plugin.\`.

Where a trigger is missing: ${TRIGGER_WAY}.`;

/** The whole document. */
export function integrationsDocument(): string {
  const types = [...createTaskCatalog().list(), ...createTriggerCatalog().list()].map(({ type }) => type);
  return `${[HEAD, ...INTEGRATIONS.map((each) => section(each, types))].join("\n\n")}\n`;
}

function section(integration: Integration, types: readonly string[]): string {
  const { id, title, prefixes, isPlanned, way, example } = integration;
  const here = types.filter((type) => integrationOf(type) === integration);
  const lines = [
    `## ${id}`,
    "",
    `**${title}**: ${prefixes.map((prefix) => code(`${prefix}.…`)).join(", ")}.`,
    "",
    ...here.length === 0 ? [] : [`- Here: ${here.map(code).join(", ")}.`],
    `- Further types: ${isPlanned ? "planned" : "not planned"}.`,
    `- The nearest way: ${way}.`,
  ];
  const defined = [...INTEGRATION_TASKS, ...INTEGRATION_TRIGGERS];
  const parts = INTEGRATION_PARTS.filter(({ type }) => integrationOf(type) === integration);
  return [
    ...lines,
    ...typeLines(defined.filter(({ type }) => integrationOf(type) === integration)),
    ...partLines(parts),
    ...example === undefined ? [] : ["", "```yaml", example, "```"],
  ]
    .join("\n");
}

/** One line a type: its other names and its properties. */
function typeLines(
  definitions: readonly Pick<TaskDefinition, "type" | "aliases" | "properties">[],
): string[] {
  const lines = definitions.map(({ type, aliases = [], properties }) => {
    const others = aliases.length === 0 ? "" : ` (also ${aliases.map(code).join(", ")})`;
    return `  - ${code(type)}${others}: ${Object.keys(properties).map(code).join(", ")}`;
  });
  return lines.length === 0
    ? []
    : ["- Their properties, tested against a local server in place of the service:", ...lines];
}

/** Typed objects within properties: those that are here, and why others are refused. */
function partLines(parts: readonly PartType[]): string[] {
  const here = parts.filter(({ form }) => form === "part");
  if (here.length === 0) return [];
  const refused = parts.filter(({ form }) => form === "planned");
  return [
    "- Objects with a type of their own, within properties:",
    ...here.map(({ type, properties }) =>
      `  - ${code(type)}: ${Object.keys(properties).map(code).join(", ")}`
    ),
    "- Not supported:",
    ...refused.map(({ type, refusal }) => `  - ${code(type)}: ${refusal}`),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) await Deno.writeTextFile(PATH, integrationsDocument());
