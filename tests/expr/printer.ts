/** Template trees → source, with the fewest parentheses that the reference's table of operators allows. */
import { Double } from "../../src/base/json.ts";
import type {
  CallArguments,
  Expression,
  FilterCall,
  Macro,
  Statement,
  TemplateTree,
} from "../../src/expr/syntax/ast.ts";

const LEVELS = new Map(
  [
    ["or"],
    ["and"],
    ["is", "contains"],
    ["isIn", "==", "!=", "<", ">", "<=", ">="],
    ["+", "-"],
    ["*", "/", "%"],
    ["|"],
    ["~"],
    ["..", "??", "???"],
  ].flatMap((operators, index) => operators.map((operator) => [operator, index + 2] as const)),
);
const TERNARY = 1;
const UNARY = 11;
const POSTFIX = 12;
const PRIMARY = 13;

function levelOf(node: Expression): number {
  switch (node.kind) {
    case "ternary":
      return TERNARY;
    case "binary":
      return LEVELS.get(node.operator) ?? 0;
    case "filter":
      return LEVELS.get("|") ?? 0;
    case "test":
      return LEVELS.get("is") ?? 0;
    case "unary":
    case "list":
    case "map":
    case "literal":
      return UNARY;
    case "interpolation":
    case "variable":
    case "call":
      return PRIMARY;
    default:
      return POSTFIX;
  }
}

/** The source of an expression. */
export function printExpression(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return typeof node.value === "string" ? quote(node.value) : String(node.value);
    case "interpolation":
      return `"${node.parts.map(printPart).join("")}"`;
    case "variable":
      return node.name;
    case "member":
      return `${within(node.object, POSTFIX)}.${node.name}`;
    case "index":
      return `${within(node.object, POSTFIX)}[${printExpression(node.key)}]`;
    case "method":
      return `${within(node.object, POSTFIX)}.${node.name}${printArguments(node.args)}`;
    case "call":
      return node.name + printArguments(node.args);
    case "list":
      return `[${node.items.map(printExpression).join(", ")}]`;
    case "map":
      return `{ ${
        node.entries.map(([key, value]) => `${printExpression(key)}: ${printExpression(value)}`).join(", ")
      } }`;
    default:
      return printOperation(node);
  }
}

type Operation = Extract<Expression, { kind: "unary" | "binary" | "ternary" | "filter" | "test" }>;

function printOperation(node: Operation): string {
  const level = levelOf(node);
  switch (node.kind) {
    case "unary":
      return `${node.operator} ${within(node.operand, level)}`;
    case "binary":
      return `${within(node.left, level)} ${node.operator} ${within(node.right, level + 1)}`;
    case "ternary":
      return `${within(node.test, level + 1)} ? ${printExpression(node.yes)} : ${printExpression(node.no)}`;
    case "filter":
      return `${within(node.input, level)} | ${printFilter(node.filter)}`;
    case "test":
      return `${within(node.input, level)} is ${node.isNegated ? "not " : ""}${node.name}`;
  }
}

function within(node: Expression, level: number): string {
  const source = printExpression(node);
  return levelOf(node) < level ? `(${source})` : source;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

function printPart(part: Expression, index: number): string {
  const isText = index % 2 === 0 && part.kind === "literal";
  return isText ? String(part.value) : `#{ ${printExpression(part)} }`;
}

function printArguments({ positional, named }: CallArguments): string {
  const names = [...named].map(([name, value]) => `${name}=${printExpression(value)}`);
  return `(${[...positional.map(printExpression), ...names].join(", ")})`;
}

function printFilter({ name, args }: FilterCall): string {
  return args.positional.length + args.named.size === 0 ? name : name + printArguments(args);
}

/** The source of statements. */
export function printStatements(statements: readonly Statement[]): string {
  return statements.map(printStatement).join("");
}

function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case "text":
      return statement.text;
    case "raw":
      return `{% raw %}${statement.text}{% endraw %}`;
    case "print":
      return `{{ ${printExpression(statement.value)} }}`;
    case "set":
      return `{% set ${statement.name} = ${printExpression(statement.value)} %}`;
    case "if":
      return printIf(statement.branches, statement.otherwise);
    case "for": {
      const { name, sequence, body, otherwise } = statement;
      const start = `{% for ${name} in ${printExpression(sequence)} %}${printStatements(body)}`;
      return `${start}${printElse(otherwise)}{% endfor %}`;
    }
    case "filter":
      return `{% filter ${statement.filters.map(printFilter).join(" | ")} %}${
        printStatements(statement.body)
      }{% endfilter %}`;
    case "block":
      return `{% block ${quote(statement.name)} %}${printStatements(statement.body)}{% endblock %}`;
  }
}

function printIf(
  branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[],
  otherwise: readonly Statement[],
): string {
  const parts = branches.map(({ test, body }, index) =>
    `{% ${index === 0 ? "if" : "elseif"} ${printExpression(test)} %}${printStatements(body)}`
  );
  return `${parts.join("")}${printElse(otherwise)}{% endif %}`;
}

function printElse(body: readonly Statement[]): string {
  return body.length === 0 ? "" : `{% else %}${printStatements(body)}`;
}

function printMacro({ name, parameters, body }: Macro): string {
  const list = parameters.map(({ name, fallback }) =>
    fallback ? `${name}=${printExpression(fallback)}` : name
  );
  return `{% macro ${name}(${list.join(", ")}) %}${printStatements(body)}{% endmacro %}`;
}

/** The source of a template; macros come first. */
export function printTemplate({ macros, body }: Pick<TemplateTree, "macros" | "body">): string {
  return [...macros.values()].map(printMacro).join("") + printStatements(body);
}

/** A tree as plain data, without places, to be compared. */
export function bare(value: unknown): unknown {
  if (value instanceof Double) return { double: value.value };
  if (value instanceof Map) return [...value].map(bare);
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, item]) => !PLACES.has(name) && item !== undefined);
  return Object.fromEntries(kept.map(([name, item]) => [name, bare(item)]));
}

const PLACES = new Set(["start", "end", "depth", "spans", "blocks"]);
