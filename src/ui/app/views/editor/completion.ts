/** Completion of flows: properties, types and values from the schema; names within templates from the server. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { get, send } from "../../api/client.ts";
import { FlowSchema, type PropertyInfo, type Schema } from "./flow_schema.ts";
import { completeName, nameAt } from "./name_completion.ts";
import { isUsable } from "./problem.ts";
import { validate } from "./problems.ts";
import { taskIdAt, withoutOpenTemplate, type YamlContext, yamlContext } from "./yaml_context.ts";

const WORD = /^[\w.$-]*$/;
/** From the last `{{` of a line, unless it is closed. */
const TEMPLATE = /\{[{%](?:(?![}%]\}).)*$/;
const NAME = /[\w.]*$/;
const FILTER = /\|\s*\w*$/;
const CANONICAL = "io.svc.";
const FAMILIAR = "io.kestra.";

type Names = Readonly<Record<string, readonly string[]>>;

interface FunctionInfo {
  readonly name: string;
  readonly arguments: readonly string[];
}

let schema: Promise<FlowSchema> | undefined;

/** The schema of flows; loaded once. */
function flowSchema(): Promise<FlowSchema> {
  schema ??= get<Schema>("/api/v1/plugins/schemas/flow").then((loaded) => new FlowSchema(loaded));
  // A failure is not kept: the next completion tries again.
  schema.catch(() => schema = undefined);
  return schema;
}

/** Completes at the cursor; nothing while the server cannot be reached. One for each editor. */
export function flowCompletion(): CompletionSource {
  let names: Names = {};
  return async (context) => {
    const source = context.state.doc.toString();
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const template = TEMPLATE.exec(before)?.[0];
    try {
      const at = yamlContext(source, context.pos);
      const name = nameAt(before, at);
      if (name) return await completeName(context, namespaceOf(source), name);
      if (template === undefined) return completeYaml(context, at, await flowSchema());
      if (!FILTER.test(template)) names = await expressionNames(source, context.pos) ?? names;
      return await completeTemplate(context, template, names);
    } catch {
      return null;
    }
  };
}

function namespaceOf(source: string): string {
  return /^namespace:\s*["']?([\w.-]+)/m.exec(source)?.[1] ?? "";
}

function completeYaml(
  context: CompletionContext,
  at: YamlContext,
  known: FlowSchema,
): CompletionResult | null {
  const prefix = at.prefix.trimStart();
  if (!WORD.test(prefix) || (!context.explicit && prefix === "" && at.kind === "key")) return null;
  const from = context.pos - prefix.length;
  const options = at.kind === "key" ? propertyOptions(at, known) : valueOptions(context, at, known);
  return options.length === 0 ? null : { from, options, validFor: WORD };
}

function propertyOptions(at: YamlContext, known: FlowSchema): Completion[] {
  const present = at.levels.at(-1)?.entries ?? new Map();
  return known.propertiesAt(at.levels)
    .filter(({ name, schema }) => !present.has(name) && !schema.deprecated)
    .map((property) => propertyOption(property, at.indent, known));
}

function propertyOption(
  { name, schema, isRequired }: PropertyInfo,
  indent: number,
  known: FlowSchema,
): Completion {
  const inner = " ".repeat(indent + 2);
  const shape = known.shapeOf(schema);
  const after = { list: `:\n${inner}- `, map: `:\n${inner}`, value: ": " }[shape];
  const text = {
    label: name,
    type: "property",
    detail: isRequired ? "required" : undefined,
    info: schema.description,
    boost: isRequired ? 2 : name === "id" || name === "type" ? 1 : 0,
  };
  // Without quotes YAML reads an asterisk as an alias.
  return name === "cron" ? snippetCompletion('cron: "${}"', text) : { ...text, apply: name + after };
}

function valueOptions(context: CompletionContext, at: YamlContext, known: FlowSchema): Completion[] {
  const values = known.valuesAt(at.levels, at.key);
  const isType = at.key === "type" && values.some((value) => value.includes("."));
  if (!isType) return values.map((label) => ({ label, type: "constant" }));
  const isFamiliar = at.prefix.startsWith(FAMILIAR) || context.state.doc.toString().includes(FAMILIAR);
  const wanted = isFamiliar ? FAMILIAR : CANONICAL;
  return values.filter((value) => value.startsWith(wanted)).map((label) => ({
    label,
    displayLabel: label.slice(label.lastIndexOf(".") + 1),
    detail: label.slice(0, label.lastIndexOf(".")),
    type: "type",
    info: known.typeInfo(label)?.description,
  }));
}

async function completeTemplate(
  context: CompletionContext,
  template: string,
  names: Names,
): Promise<CompletionResult | null> {
  const [word = ""] = NAME.exec(template) ?? [];
  if (word === "" && !context.explicit && !/[{(|,+~]\s*$/.test(template)) return null;
  const from = context.pos - word.length;
  if (FILTER.test(template)) {
    const filters = await get<readonly string[]>("/api/v1/pebble/filters");
    return { from, options: filters.map((label) => ({ label, type: "function" })), validFor: /^[\w.]*$/ };
  }
  const functions = await get<readonly FunctionInfo[]>("/api/v1/pebble/functions", { details: true });
  const options: Completion[] = [
    ...Object.values(names).flat().map((label) => ({ label, type: "variable", boost: 1 })),
    ...functions.map(({ name, arguments: given }) => ({
      label: name,
      apply: `${name}(`,
      detail: `(${given.join(", ")})`,
      type: "function",
    })),
  ];
  return { from, options, validFor: /^[\w.]*$/ };
}

/** Names at an offset; `undefined` while other parts of the source have errors. */
async function expressionNames(source: string, offset: number): Promise<Names | undefined> {
  const body = withoutOpenTemplate(source, offset);
  if (!isUsable(await validate(body))) return undefined;
  const headers = { "content-type": "application/x-yaml" };
  const query = { taskId: taskIdAt(source, offset) };
  return await send<Names>("POST", "/flows/expressions", { body, headers, query });
}
