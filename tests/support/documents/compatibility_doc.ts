/** Writes the lists of `docs/COMPATIBILITY.md` from the source: what is supported, and what is refused. */
import {
  BUILT_IN_FUNCTION_NAMES,
  compileTemplate,
  ExpressionError,
  FILTER_NAMES,
  TEST_NAMES,
} from "../../../src/expr/mod.ts";
import {
  FLOW_PROPERTIES,
  INPUT_PROPERTIES,
  OUTPUT_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../../../src/flow/schema/flow_schema.ts";
import { MANAGED_PROPERTIES } from "../../../src/flow/source/source_edit.ts";
import { listInputTypes } from "../../../src/flow/mod.ts";
import type { PropertySchema, PropertySchemas } from "../../../src/model/flows/schema.ts";
import type { TypeDeclaration } from "../../../src/model/flows/type_declaration.ts";
import { HOST_FUNCTION_NAMES } from "../../../src/rendering/host_functions/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import "../flows/all_integrations.ts";
import {
  DIFFERENCES,
  FOREIGN_TAGS,
  KNOWN_FILTERS,
  KNOWN_FUNCTIONS,
  RULES,
  TAGS,
} from "./compatibility_facts.ts";
import { readSources } from "./source_facts.ts";

const PATH = "docs/COMPATIBILITY.md";
const BEGIN = "<!-- lists: written by tests/support/documents/compatibility_doc.ts -->";
const END = "<!-- end of lists -->";

const MAX_LINE_LENGTH = 120;

const WORKS = "works";
const LATER = "not supported yet";
const REFUSED = "refused; the message gives the way out";
const NO_EFFECT = "accepted with a warning, has no effect";
const DEPRECATED = "works, but is deprecated";
const MANAGED = "set by the server, ignored when sent";

/** No other server offers it either. */
const FOREIGN = "not part of the language";
/** Order within a section; differences follow what works. */
const STATUS_ORDER: readonly string[] = [WORKS, DEPRECATED, MANAGED, NO_EFFECT, LATER, REFUSED, FOREIGN];

/** Names as shown, and their status. */
type Row = readonly [names: string, status: string];

/** The document with new lists between the markers. */
export async function withCompatibilityLists(document: string): Promise<string> {
  const [before = "", rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`"${PATH}" lacks the markers of the lists`);
  return `${before}${BEGIN}\n\n${[...lists(), await rules()].join("\n\n")}\n\n${END}${after}`;
}

function lists(): string[] {
  const { runners, parts, ...catalog } = createTaskCatalog();
  const tasks = catalog.list();
  const triggers = createTriggerCatalog();
  return [
    section("Task types", tasks.map(typeRow)),
    ownProperties("Properties of task types", tasks),
    section("Task runners", runners.list().map(typeRow)),
    ownProperties("Properties of task runners", runners.list()),
    section("Parts of tasks", parts.list().map(typeRow)),
    ownProperties("Properties of parts of tasks", parts.list()),
    section("Trigger types", triggers.list().map(typeRow)),
    ownProperties("Properties of trigger types", triggers.list()),
    section("Conditions of triggers", triggers.listConditions().map(typeRow)),
    section(
      "Input and output types",
      listInputTypes().map(({ names: [name = "", ...older] }) => row(name, older)),
    ),
    ...expressionLists(),
    section("Properties of flows", propertyRows(FLOW_PROPERTIES)),
    section("Properties of every task", propertyRows(TASK_PROPERTIES)),
    section("Properties of every trigger", propertyRows(TRIGGER_PROPERTIES)),
    section("Properties of every input", propertyRows(INPUT_PROPERTIES)),
    section("Properties of outputs", propertyRows(OUTPUT_PROPERTIES)),
  ];
}

function expressionLists(): string[] {
  const functions = [...BUILT_IN_FUNCTION_NAMES, ...HOST_FUNCTION_NAMES];
  return [
    section("Filters", namedRows(FILTER_NAMES, KNOWN_FILTERS)),
    section("Functions", namedRows(functions, KNOWN_FUNCTIONS)),
    section("Tests", namedRows(TEST_NAMES, [])),
    section("Tags", [
      ...[...TAGS].map(([name, template]) => row(name, [], compiles(template) ? WORKS : LATER)),
      ...FOREIGN_TAGS.map((name) => row(name, [], FOREIGN)),
    ]),
  ];
}

function namedRows(working: Iterable<string>, known: readonly string[]): Row[] {
  const names = new Set(working);
  return [
    ...[...names].map((name) => row(name)),
    ...known.filter((name) => !names.has(name)).map((name) => row(name, [], LATER)),
  ];
}

function compiles(template: string): boolean {
  try {
    compileTemplate(template);
    return true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

function typeRow(declared: TypeDeclaration & { readonly form: string }): Row {
  const { type, aliases, form, deprecated, refusal } = declared;
  if (form === "planned") return row(type, aliases, refusal === undefined ? LATER : REFUSED);
  return row(type, aliases, deprecated === undefined ? WORKS : DEPRECATED);
}

function row(name: string, aliases: readonly string[] = [], status = WORKS): Row {
  const difference = status === WORKS ? DIFFERENCES.get(name) : undefined;
  const also = aliases.length === 0 ? "" : ` (or ${aliases.map(code).join(", ")})`;
  return [code(name) + also, difference === undefined ? status : `differs (${difference})`];
}

function propertyRows(schemas: PropertySchemas): Row[] {
  const isManaged = (name: string) => schemas === FLOW_PROPERTIES && MANAGED_PROPERTIES.has(name);
  return Object.entries(schemas).map(([name, schema]) =>
    row(name, schema.aliases, isManaged(name) ? MANAGED : propertyStatus(schema))
  );
}

function propertyStatus({ planned, ignored, deprecated }: PropertySchema): string {
  if (planned) return LATER;
  if (ignored) return NO_EFFECT;
  return deprecated === undefined ? WORKS : DEPRECATED;
}

/** Properties of each supported type beside the common ones, one item a type. */
function ownProperties(
  title: string,
  types: readonly (TypeDeclaration & { readonly form: string })[],
): string {
  const items = types.filter(({ form }) => form !== "planned").map(({ type, properties }) => {
    const byStatus = Map.groupBy(propertyRows(properties), ([, status]) => status);
    const parts = [...byStatus].map(([status, rows]) => {
      const names = rows.map(([name]) => name).join(", ");
      return status === WORKS ? names : `${status}: ${names}`;
    });
    return wrap(`- **${code(type)}**: ${parts.length === 0 ? "none" : parts.join("; ")}`);
  });
  return [`### ${title}`, "", ...items].join("\n");
}

/** The codes of refusals and warnings with their meaning. @throws Error for a code without an explanation, or without use */
async function rules(): Promise<string> {
  const { errors, warnings } = await findCodes();
  const unexplained = [...errors, ...warnings].filter((found) => !RULES.has(found));
  const unused = [...RULES.keys()].filter((known) => !errors.has(known) && !warnings.has(known));
  if (unexplained.length + unused.length > 0) {
    const reason = `unexplained: ${unexplained.join(", ")}; unused: ${unused.join(", ")}`;
    throw new Error(
      `The rules in tests/support/documents/compatibility_facts.ts are not those of src/flow: ${reason}`,
    );
  }
  const items = (codes: ReadonlySet<string>) =>
    [...RULES].filter(([name]) => codes.has(name)).map(([name, text]) => wrap(`- ${code(name)}: ${text}`));
  return [
    "### Rules (a violation refuses the flow)",
    "",
    ...items(errors),
    "",
    "### Warnings",
    "",
    ...items(warnings.difference(errors)),
  ].join("\n");
}

const REPORTED = /\.(error|warning)\(\s*"(\w+)"/g;
const OF_SYNTAX = /"(yaml_\w+)"/g;

/** The problem codes that the source of validation reports. */
async function findCodes(): Promise<{ errors: Set<string>; warnings: Set<string> }> {
  const errors = new Set<string>(), warnings = new Set<string>();
  const sources = [...await readSources("src/flow"), ...await readSources("src/languages/yaml")];
  for (const { source } of sources) {
    for (const [, kind, found = ""] of source.matchAll(REPORTED)) {
      (kind === "error" ? errors : warnings).add(found);
    }
    for (const [, found = ""] of source.matchAll(OF_SYNTAX)) errors.add(found);
  }
  return { errors, warnings };
}

function code(name: string): string {
  return `\`${name}\``;
}

/** A list with one item a status, wrapped as prose. */
function section(title: string, rows: readonly Row[]): string {
  const byStatus = Map.groupBy(rows, ([, status]) => status);
  const items = [...byStatus].sort(([a], [b]) => statusRank(a) - statusRank(b)).map(([status, members]) =>
    wrap(`- **${status}**: ${members.map(([names]) => names).join(", ")}`)
  );
  return [`### ${title}`, "", ...items].join("\n");
}

function statusRank(status: string): number {
  const rank = STATUS_ORDER.indexOf(status);
  return rank < 0 ? 0.5 : rank;
}

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && `${line} ${word}`.length <= MAX_LINE_LENGTH) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}

if (import.meta.main) {
  await Deno.writeTextFile(PATH, await withCompatibilityLists(await Deno.readTextFile(PATH)));
}
