/** The values that a template reads, found without rendering it, for checks of flows. */
import { PathSet } from "../base/path_set.ts";
import type { CallArguments, Expression, FilterCall, Statement } from "./syntax/ast.ts";
import { compileExpression } from "./compile/compile_expression.ts";
import { compileTree } from "./compile/compile_template.ts";
import { Compilation } from "./compile/compiler.ts";
import { parseTemplate } from "./syntax/template_parser.ts";

/** A value that a template reads by a path of names. */
export interface Reference {
  /** The root variable, then the names that are known without rendering. */
  readonly path: readonly string[];
  /** The path as written, with computed keys and methods. */
  readonly text: string;
  /** A missing value is no error: `??`, `default`, or an `is defined` test somewhere in the template. */
  readonly isGuarded: boolean;
}

/** Facts of a template that are known without rendering it. */
export interface TemplateFacts {
  /** All values that it reads, unordered, without the names that it defines. */
  readonly references: readonly Reference[];
  /** Names of the functions that it calls, without its own macros. */
  readonly functionNames: ReadonlySet<string>;
}

/** Inspects a source. @throws ExpressionError as {@link compileTree} does */
export function inspectTemplate(source: string): TemplateFacts {
  const tree = parseTemplate(source);
  const compilation = new Compilation(source, compileExpression);
  compileTree(tree, compilation);
  const finder = new ReferenceFinder(source);
  finder.walk(tree.body, false);
  return { references: finder.references(), functionNames: compilation.functionNames };
}

class ReferenceFinder {
  readonly #source: string;
  readonly #found: Reference[] = [];
  readonly #locals = new Set(["loop"]);
  /** Paths that the template tests. */
  readonly #tested = new PathSet<string>();

  constructor(source: string) {
    this.#source = source;
  }

  /** The references, after all statements are walked. */
  references(): readonly Reference[] {
    const read = this.#found.filter(({ path: [root = ""] }) => !this.#locals.has(root));
    return read.map((reference) => ({
      ...reference,
      isGuarded: reference.isGuarded || this.#tested.hasBeginningOf(reference.path),
    }));
  }

  /** Skips bodies of macros: they see no outer names. */
  walk(body: readonly Statement[], isGuarded: boolean): void {
    for (const statement of body) this.#statement(statement, isGuarded);
  }

  #statement(statement: Statement, isGuarded: boolean): void {
    switch (statement.kind) {
      case "print":
        return this.#expression(statement.value, isGuarded);
      case "if":
        for (const { test, body } of statement.branches) {
          this.#expression(test, isGuarded);
          this.walk(body, isGuarded);
        }
        return this.walk(statement.otherwise, isGuarded);
      case "for":
        this.#locals.add(statement.name);
        this.#expression(statement.sequence, isGuarded);
        this.walk(statement.body, isGuarded);
        return this.walk(statement.otherwise, isGuarded);
      case "set":
        this.#locals.add(statement.name);
        return this.#expression(statement.value, isGuarded);
      case "filter":
        for (const { args } of statement.filters) this.#arguments(args, isGuarded);
        return this.walk(statement.body, isGuarded);
      case "block":
        return this.walk(statement.body, isGuarded);
      default:
        return;
    }
  }

  #expression(node: Expression, isGuarded: boolean): void {
    const { root, links } = chainOf(node);
    if (root.kind === "variable") {
      const path = namesOf(root.name, links);
      this.#found.push({ path, text: this.#source.slice(node.start, node.end), isGuarded });
      return this.#keys(links, isGuarded);
    }
    if (links.length > 0) {
      this.#expression(root, isGuarded);
      return this.#keys(links.toReversed(), isGuarded);
    }
    switch (node.kind) {
      case "binary": {
        const isCoalesce = node.operator === "??" || node.operator === "???";
        this.#expression(node.left, isGuarded || isCoalesce);
        return this.#expression(node.right, isGuarded);
      }
      case "test":
        return this.#test(node.input, node.name, isGuarded);
      case "filter":
        return this.#filter(node.input, node.filter, isGuarded);
      default:
        for (const child of childrenOf(node)) this.#expression(child, isGuarded);
    }
  }

  #test(input: Expression, name: string, isGuarded: boolean): void {
    const { root, links } = chainOf(input);
    if (name === "defined" && root.kind === "variable") this.#tested.add(namesOf(root.name, links));
    this.#expression(input, isGuarded || name === "defined");
  }

  #filter(input: Expression, { name, args }: FilterCall, isGuarded: boolean): void {
    this.#expression(input, isGuarded || name === "default");
    this.#arguments(args, isGuarded);
  }

  #arguments({ positional, named }: CallArguments, isGuarded: boolean): void {
    for (const argument of [...positional, ...named.values()]) this.#expression(argument, isGuarded);
  }

  /** Computed keys and arguments of methods read values, too. */
  #keys(links: readonly Link[], isGuarded: boolean): void {
    for (const link of links) {
      if (link.kind === "index" && link.key.kind !== "literal") this.#expression(link.key, isGuarded);
      if (link.kind === "method") this.#arguments(link.args, isGuarded);
    }
  }
}

/** A part of a chain `root.name[key].method()`. */
type Link = Extract<Expression, { readonly kind: "member" | "index" | "method" }>;

/** The root of a chain and its parts, the last part first. An expression that is no chain is its own root. */
function chainOf(node: Expression): { readonly root: Expression; readonly links: readonly Link[] } {
  const links: Link[] = [];
  let root = node;
  while (root.kind === "member" || root.kind === "index" || root.kind === "method") {
    links.push(root);
    root = root.object;
  }
  return { root, links };
}

/** The names from a root variable on that are known without rendering. */
function namesOf(root: string, links: readonly Link[]): readonly string[] {
  const names = [root];
  for (const link of links.toReversed()) {
    const name = nameOf(link);
    if (name === undefined) break;
    names.push(name);
  }
  return names;
}

function nameOf(link: Link): string | undefined {
  if (link.kind === "member") return link.name;
  if (link.kind === "method" || link.key.kind !== "literal") return undefined;
  return typeof link.key.value === "string" ? link.key.value : undefined;
}

/** Parts of the expressions without a rule of their own. */
function childrenOf(node: Expression): Iterable<Expression> {
  switch (node.kind) {
    case "interpolation":
      return node.parts;
    case "call":
      return [...node.args.positional, ...node.args.named.values()];
    case "list":
      return node.items;
    case "map":
      return node.entries.flat();
    case "unary":
      return [node.operand];
    case "ternary":
      return [node.test, node.yes, node.no];
    default:
      return [];
  }
}
