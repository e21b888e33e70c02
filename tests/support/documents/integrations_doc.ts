/** Writes `docs/INTEGRATIONS.md`: a table of the types of each integration, from their declarations and `integration_facts.ts`. */
import {
  type Integration,
  integrationOf,
  INTEGRATIONS,
  TRIGGER_WAY,
} from "../../../src/flow/schema/integrations.ts";
import { nearestWay } from "../../../src/flow/schema/nearest_ways.ts";
import type { PropertySchema } from "../../../src/model/flows/schema.ts";
import type { TypeDeclaration } from "../../../src/model/flows/type_declaration.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import "../flows/all_integrations.ts";
import { differenceOf, evidenceOf, INVENTED_TYPES, LEGEND } from "./integration_facts.ts";
import { propertySets, split } from "./property_sets.ts";

const PATH = "docs/INTEGRATIONS.md";

const HEAD = `<!-- deno-fmt-ignore-file -->
<!-- written by \`deno task docs:integrations\` -->

# Integrations

The types of tasks and triggers for other systems, without their prefix \`io.kestra.plugin.\`. A flow with a type that this server
does not have is refused at save, with the place of the type and the nearest way. Where a trigger is missing: ${TRIGGER_WAY}.
[Task types of your own](PLUGINS.md) fill other gaps. Types of \`core\` are in [COMPATIBILITY.md](COMPATIBILITY.md).

How to read the tables:

- **Properties**: required ones have a star. Each task and trigger has the common ones besides, such as \`timeout\` and \`retry\`. A
  name in italics stands for the properties that a line above the table gives. "also" is followed by another name of the type.
- **Status**: \`works\`; \`differs\`, with what is different from other servers of this language; \`not here\`, with the nearest way. A
  property "without effect" is accepted with a warning, a "refused" one prevents saving.
- **Tested against**: what the tests of the type run against.
${LEGEND.map(([name, meaning]) => `  - ${name}: ${meaning}`).join("\n")}`;

/** A declared type; `form` tells whether it is built. */
type Declared = TypeDeclaration & { readonly form: string };

/** Types that other servers have and flows use, without prefix: those that are not here get a row, too. */
export const USED_TYPES: readonly string[] = Object.values(
  JSON.parse(
    Deno.readTextFileSync(new URL("../../fixtures/integration_types.json", import.meta.url)),
  ) as Record<string, string[]>,
).flat();

/** A type within its group. */
interface Row {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly properties: readonly string[];
  readonly kind: "type" | "alias" | "missing";
  readonly status: string;
  readonly tested: string;
}

/** The whole document. */
export function integrationsDocument(): string {
  const sections = [...INTEGRATIONS].sort((a, b) => a.id < b.id ? -1 : 1).map((integration) => ({
    integration,
    rows: integrationRows(integration),
  }));
  return `${
    [HEAD, "## Groups", overview(sections), ...sections.map(section)].join("\n\n").replace(/\n{3,}/g, "\n\n")
  }\n`;
}

/** The types of a group: those that are here, and after them others that flows use, each by name. */
export function integrationRows(integration: Integration): Row[] {
  const declared = allDeclared();
  const isOwn = (name: string) => integrationOf(name) === integration;
  const here = declared.filter(({ type, form }) => form !== "planned" && isOwn(type)).map(typeRow);
  const known = new Set(
    declared.flatMap(({ type, aliases, form }) => form === "planned" ? [] : [type, ...aliases]),
  );
  const refused = declared.filter(({ type, form }) => form === "planned" && isOwn(type));
  const missing = [...new Set([...USED_TYPES, ...refused.map(({ type }) => type)])].filter((name) =>
    isOwn(name) && !known.has(name)
  );
  const elsewhere = declared.filter(({ type, form }) => form !== "planned" && !isOwn(type)).flatMap((each) =>
    each.aliases.filter(isOwn).map((alias) => aliasRow(alias, each))
  );
  const byName = (a: Row, b: Row) => a.name < b.name ? -1 : 1;
  return [
    ...[...here, ...elsewhere].sort(byName),
    ...missing.map((name) => missingRow(name, refused.find(({ type }) => type === name)?.refusal)).sort(
      byName,
    ),
  ];
}

function allDeclared(): Declared[] {
  const { parts, ...tasks } = createTaskCatalog();
  return [...tasks.list(), ...createTriggerCatalog().list(), ...parts.list()];
}

function typeRow({ type, aliases, properties }: Declared): Row {
  const shown = Object.entries(properties).sort(([, a], [, b]) =>
    Number(isRequired(b)) - Number(isRequired(a))
  );
  return {
    name: type,
    aliases: aliases.filter((alias) => integrationOf(alias) !== undefined),
    properties: shown.map(([name, schema]) => code(name) + (isRequired(schema) ? "\\*" : "")),
    kind: "type",
    status: statusOf(type, properties),
    tested: evidenceOf(type)?.against ?? "",
  };
}

function isRequired({ required, default: fallback }: PropertySchema): boolean {
  return required === true && fallback === undefined;
}

function statusOf(type: string, properties: TypeDeclaration["properties"]): string {
  const named = (test: (schema: PropertySchema) => unknown) =>
    Object.keys(properties).filter((name) => test(properties[name] as PropertySchema)).map(code).join(", ");
  const refused = named(({ planned }) => planned), ignored = named((schema) => schema.ignored);
  const notes = [
    differenceOf(type) ?? "",
    refused && `${refused} refused`,
    ignored && `${ignored} without effect`,
  ].filter(Boolean);
  return notes.length === 0 ? "works" : `differs: ${notes.join("; ")}`;
}

function aliasRow(alias: string, { type }: Declared): Row {
  const evidence = evidenceOf(type);
  const status = `works: another name of ${code(type)}`;
  return { name: alias, aliases: [], properties: [], kind: "alias", status, tested: evidence?.against ?? "" };
}

function missingRow(name: string, refusal: string | undefined): Row {
  const way = refusal ?? nearestWay(name) ?? (name.endsWith("Trigger") ? TRIGGER_WAY : undefined);
  const note = INVENTED_TYPES.has(name) ? "no server has this type; " : "";
  const status = `not here: ${note}${way ?? "as above"}`;
  return { name, aliases: [], properties: [], kind: "missing", status, tested: "" };
}

interface Section {
  readonly integration: Integration;
  readonly rows: readonly Row[];
}

function overview(sections: readonly Section[]): string {
  const lines = sections.map(({ integration: { id, title, prefixes }, rows }) => {
    const tested = new Set(rows.flatMap((row) => row.kind === "type" ? row.tested.split(", ") : []));
    const beginnings = prefixes.map((prefix) => code(`${prefix}.`)).join(" ");
    return [
      `[${id}](#${id})`,
      title,
      beginnings,
      count(rows, "type"),
      count(rows, "missing"),
      [...tested].join(", "),
    ];
  });
  const all = sections.flatMap(({ rows }) => rows);
  return [
    `${count(all, "type")} types are here. Of those that flows of other servers use, ${
      count(all, "missing")
    } are not here.`,
    "",
    "| Group | Systems | Names begin with | Here | Not here | Tested against |",
    "| --- | --- | --- | --: | --: | --- |",
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

function count(rows: readonly Row[], kind: Row["kind"]): number {
  return rows.filter((row) => row.kind === kind).length;
}

function section({ integration, rows }: Section): string {
  const { id, title, prefixes, isPlanned, way, example } = integration;
  return [
    `## ${id}`,
    `**${title}**: ${
      prefixes.map((prefix) => code(`${prefix}.…`)).join(", ")
    }. If a type is missing: ${way}. Further types are ${isPlanned ? "planned" : "not planned"}.`,
    ...example === undefined ? [] : [`\`\`\`yaml\n${example}\n\`\`\``],
    ...rows.length === 0 ? [] : [table(rows)],
  ].join("\n\n");
}

function table(rows: readonly Row[]): string {
  const sets = propertySets(rows);
  const lines = rows.map((row) => {
    const { sets: own, rest } = split(row, sets);
    const names = [row.name, ...row.aliases].map(code).join("<br>also ");
    const properties = [...own.map(({ label }) => `_${label}_`), ...rest].join(", ");
    return [names, properties, row.status, row.tested];
  });
  const columns = ["Type", "Properties", "Status", "Tested against"];
  return [
    ...sets.map(({ label, properties }) => `- _${label}_: ${properties.join(", ")}`),
    ...sets.length === 0 ? [] : [""],
    ...[columns, columns.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) await Deno.writeTextFile(PATH, integrationsDocument());
