/** Completion of flows: properties, types and values from the schema; names within templates from the server. */
import { get, send } from "../../api/client.ts";
import type { CompletionContext, CompletionResult, CompletionSource } from "./code/completion_list.ts";
import type { Option } from "./code/option_match.ts";
import { FlowSchema, type PropertyInfo, type Schema } from "./flow_schema.ts";
import { completeName, nameAt } from "./name_completion.ts";
import { taskIdAt, withoutOpenTemplate, type YamlContext, yamlContext } from "./yaml_context.ts";

const WORD = /^[\w.$-]*$/;
/** From the last `{{` of a line, unless it is closed. */
const TEMPLATE = /\{[{%](?:(?![}%]\}).)*$/;
/** Names with dots, and those that need brackets. */
const PATH = /(?:[\w.-]|\[(?:"[^"]*"?|'[^']*'?)?\]?)*$/;
const WHOLE_PATH = new RegExp(`^${PATH.source}`);
/** The end of a path behind the cursor: with the quote and bracket of a name that has begun. */
const REST_OF_PATH = /^[\w.-]*/;
const REST_OF_NAME = /^[\w.-]*["']?\]?/;
/** The quote that a value of a line, or an item of a list, begins with. */
const QUOTED = /^\s*(?:-\s+)*(?:[\w.$-]+:\s+)?(["'])/;
const NO_OPEN_TEXT = /^(?:[^"']|"[^"]*"|'[^']*')*$/;
const FILTER = /\|\s*\w*$/;
const CANONICAL = "io.svc.";
const FAMILIAR = "io.kestra.";

type Names = Readonly<Record<string, readonly string[]>>;

interface FunctionInfo {
  readonly name: string;
  readonly arguments: readonly string[];
}

let schema: Promise<FlowSchema> | undefined;

/** The schema of flows; loaded once, and not from the cache: the server may have been started with other types since. */
function flowSchema(): Promise<FlowSchema> {
  schema ??= send<Schema>("GET", "/api/v1/plugins/schemas/flow", { cache: "no-cache" })
    .then((loaded) => new FlowSchema(loaded));
  // A failure is not kept: the next completion tries again.
  schema.catch(() => schema = undefined);
  return schema;
}

/** Completes at the cursor; nothing while the server cannot be reached. One for each editor. */
export function flowCompletion(): CompletionSource {
  let names: Names = {};
  return async (context) => {
    const source = context.state.doc.toString();
    const line = context.state.doc.lineAt(context.position);
    const before = line.text.slice(0, context.position - line.from);
    const template = TEMPLATE.exec(before)?.[0];
    try {
      const at = yamlContext(source, context.position);
      const name = nameAt(before, at);
      if (name) return await completeName(context, namespaceOf(source), name);
      if (template === undefined) return completeYaml(context, at, await flowSchema());
      if (!FILTER.test(template)) names = await expressionNames(source, context.position) ?? names;
      return await completeTemplate(context, before, template, names);
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
  if (!WORD.test(prefix) || (!context.isExplicit && prefix === "" && at.kind === "key")) return null;
  const from = context.position - prefix.length;
  const options = at.kind === "key" ? propertyOptions(context, at, known) : valueOptions(context, at, known);
  return options.length === 0 ? null : { from, options, validFor: WORD };
}

function propertyOptions(
  { state, position }: CompletionContext,
  at: YamlContext,
  known: FlowSchema,
): Option[] {
  const behind = state.sliceDoc(position, state.doc.lineAt(position).to);
  const isNameOnly = /^[\w.$-]*\s*:/.test(behind);
  const present = at.levels.at(-1)?.entries ?? new Map();
  return known.propertiesAt(at.levels)
    .filter(({ name, schema }) => !present.has(name) && !schema.deprecated)
    .map((property) => {
      const option = propertyOption(property, at.indent, known);
      // A key that is written anew keeps its value.
      return isNameOnly ? { ...option, apply: property.name, cursor: undefined } : option;
    });
}

function propertyOption(
  { name, schema, isRequired }: PropertyInfo,
  indent: number,
  known: FlowSchema,
): Option {
  const inner = " ".repeat(indent + 2);
  const shape = known.shapeOf(schema);
  const after = { list: `:\n${inner}- `, map: `:\n${inner}`, value: ": " }[shape];
  const text = {
    label: name,
    detail: isRequired ? "required" : undefined,
    info: schema.description,
    boost: isRequired ? 2 : name === "id" || name === "type" ? 1 : 0,
  };
  // Without quotes YAML reads an asterisk as an alias.
  return name === "cron" ? { ...text, apply: 'cron: ""', cursor: 7 } : { ...text, apply: name + after };
}

function valueOptions(context: CompletionContext, at: YamlContext, known: FlowSchema): Option[] {
  const values = known.valuesAt(at.levels, at.key);
  const isType = at.key === "type" && values.some((value) => value.includes("."));
  if (!isType) return values.map((label) => ({ label }));
  const isFamiliar = at.prefix.startsWith(FAMILIAR) || context.state.doc.toString().includes(FAMILIAR);
  const wanted = isFamiliar ? FAMILIAR : CANONICAL;
  return values.filter((value) => value.startsWith(wanted)).map((label) => ({
    label,
    displayLabel: label.slice(label.lastIndexOf(".") + 1),
    detail: label.slice(0, label.lastIndexOf(".")),
    info: known.typeInfo(label)?.description,
  }));
}

async function completeTemplate(
  context: CompletionContext,
  before: string,
  template: string,
  names: Names,
): Promise<CompletionResult | null> {
  const [word = ""] = PATH.exec(template) ?? [];
  // Within a text there are no names.
  if (!NO_OPEN_TEXT.test(template.slice(0, template.length - word.length))) return null;
  if (word === "" && !context.isExplicit && !/[{(|,+~]\s*$/.test(template)) return null;
  const from = context.position - word.length;
  if (FILTER.test(template)) {
    const filters = await get<readonly string[]>("/api/v1/pebble/filters");
    return { from, options: filters.map((label) => ({ label })), validFor: /^[\w.]*$/ };
  }
  const functions = await get<readonly FunctionInfo[]>("/api/v1/pebble/functions", { details: true });
  const options: Option[] = [
    ...Object.values(names).flat().map((name) => ({
      label: inQuotes(name, before),
      match: withoutBrackets(name),
      boost: 1,
    })),
    ...functions.map(({ name, arguments: given }) => ({
      label: name,
      apply: `${name}(`,
      detail: `(${given.join(", ")})`,
    })),
  ];
  const rest = /\[["']?[^\]]*$/.test(word) ? REST_OF_NAME : REST_OF_PATH;
  return { from, options, validFor: WHOLE_PATH, rest, comparedTo: withoutBrackets };
}

/** A path as it may stand in the value of a line: its names are in other quotes than the value. */
function inQuotes(path: string, before: string): string {
  return QUOTED.exec(before)?.[1] === "'" ? path : path.replace(/\["([^"'\\]*)"\]/g, "['$1']");
}

/** `a.b` for `a["b"]` and for `a['b`. */
function withoutBrackets(path: string): string {
  return path.replace(/\[["']?/g, ".").replace(/["']?\]|["']$/g, "");
}

/** Names at an offset; `undefined` while the source cannot be read. */
async function expressionNames(source: string, offset: number): Promise<Names | undefined> {
  const body = withoutOpenTemplate(source, offset);
  const headers = { "content-type": "application/x-yaml" };
  const query = { taskId: taskIdAt(source, offset) };
  return await send<Names>("POST", "/flows/expressions", { body, headers, query }).catch(() => undefined);
}
