/** Documentation of one type as Markdown, from its declaration. */
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import type { TypeDeclaration, TypeExample } from "../../model/flows/type_declaration.ts";

interface DocumentedType {
  readonly name: string;
  /** As in flows. */
  readonly type: string;
  readonly description: string;
  readonly deprecated?: string;
  readonly examples: readonly TypeExample[];
  readonly properties: PropertySchemas;
  readonly outputs?: PropertySchemas;
  readonly metrics?: TypeDeclaration["metrics"];
  readonly otherNames: readonly string[];
}

/** The page of a type, without planned properties. */
export function pluginMarkdown(documented: DocumentedType): string {
  const { name, type, description, deprecated, examples, outputs = {}, metrics, otherNames } = documented;
  return [
    `# ${name}`,
    `\`\`\`yaml\ntype: "${type}"\n\`\`\``,
    ...(deprecated === undefined ? [] : [`> **Deprecated**: ${deprecated}`]),
    description,
    ...examples.map(exampleText),
    section("Properties", propertyRows(documented.properties)),
    section("Outputs", outputRows(outputs)),
    ...metrics === undefined ? [] : [section("Metrics", metricRows(metrics))],
    ...(otherNames.length === 0
      ? []
      : [`## Other names\n\n${otherNames.map((other) => `- \`${other}\``).join("\n")}`]),
  ].join("\n\n") + "\n";
}

/** The page of an input type. */
export function inputMarkdown(type: string, properties: PropertySchemas): string {
  const example = `inputs:\n  - id: name\n    type: ${type}`;
  return [
    `# ${type}`,
    exampleText({ title: "Example", yaml: example }),
    section("Properties", propertyRows(properties)),
  ].join("\n\n") + "\n";
}

function exampleText({ title, yaml }: TypeExample): string {
  return `## ${title}\n\n\`\`\`yaml\n${yaml.trimEnd()}\n\`\`\``;
}

function section(title: string, table: readonly string[]): string {
  return `## ${title}\n\n${table.length > 2 ? table.join("\n") : "None."}`;
}

function propertyRows(schemas: PropertySchemas): string[] {
  const shown = Object.entries(schemas).filter(([, schema]) => !schema.planned);
  const rows = [...shown].sort(([, a], [, b]) => Number(b.required ?? false) - Number(a.required ?? false));
  return [
    "| Property | Type | Required | Expressions | Default | Description |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.map(([name, schema]) =>
      row([
        code(name),
        typeText(schema),
        flag(schema.required),
        flag(schema.dynamic),
        schema.default === undefined ? "" : code(valueText(schema.default)),
        descriptionText(schema),
      ])
    ),
  ];
}

function outputRows(schemas: PropertySchemas): string[] {
  return [
    "| Output | Type | Description |",
    "| --- | --- | --- |",
    ...Object.entries(schemas).map(([name, schema]) =>
      row([code(name), typeText(schema), schema.description])
    ),
  ];
}

function metricRows(metrics: NonNullable<TypeDeclaration["metrics"]>): string[] {
  return [
    "| Metric | Type | Description |",
    "| --- | --- | --- |",
    ...Object.entries(metrics).map(([name, { type, description }]) => row([code(name), type, description])),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ")).join(" | ")} |`;
}

const TYPE_TEXTS: Readonly<Partial<Record<PropertySchema["type"], string>>> = Object.freeze({
  dateTime: "date and time",
  tasks: "list of tasks",
  dagTasks: "list of tasks with `dependsOn`",
  cases: "map of lists of tasks",
  inputs: "list of inputs",
  conditions: "list of conditions",
  conditionMap: "map of conditions",
  taskRunner: "task runner",
});

function typeText({ type, items, orList, orMap, family }: PropertySchema): string {
  const name = family ?? TYPE_TEXTS[type] ?? type;
  const isNested = items !== undefined && (type === "list" || type === "map");
  const full = isNested ? `${name} of ${typeText(items)}` : name;
  return [full, ...(orList ? ["list"] : []), ...(orMap ? ["map"] : [])].join(" or ");
}

function descriptionText({ description, values, deprecated, ignored, aliases }: PropertySchema): string {
  const choices = values === undefined ? [] : [`One of ${values.map(code).join(", ")}.`];
  const older = aliases === undefined ? [] : [`Older name: ${aliases.map(code).join(", ")}.`];
  const out = deprecated === undefined ? [] : [`**Deprecated**: ${deprecated}.`];
  return [description, ...choices, ...older, ...out, ...(ignored ? ["Has no effect."] : [])].join(" ");
}

function flag(value: boolean | undefined): string {
  return value ? "yes" : "";
}

function code(text: string): string {
  return `\`${text}\``;
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}
