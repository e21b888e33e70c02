/** The values that a template reads, found without rendering it, for checks of flows. */
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
  readonly #tested = noPaths();

  constructor(source: string) {
    this.#source = source;
  }

  /** The references, after all statements are walked. */
  references(): readonly Reference[] {
    const read = this.#found.filter(({ path: [root = ""] }) => !this.#locals.has(root));
    return read.map((reference) => ({
      ...reference,
      isGuarded: reference.isGuarded || beginsTested(this.#tested, reference.path),
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
    const path = pathOf(node);
    if (path) {
      this.#found.push({ path, text: this.#source.slice(node.start, node.end), isGuarded });
      return this.#keys(node, isGuarded);
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
    const path = name === "defined" ? pathOf(input) : undefined;
    if (path) addPath(this.#tested, path);
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
  #keys(node: Expression, isGuarded: boolean): void {
    if (node.kind === "index") {
      if (node.key.kind !== "literal") this.#expression(node.key, isGuarded);
      this.#keys(node.object, isGuarded);
    } else if (node.kind === "method") {
      this.#arguments(node.args, isGuarded);
      this.#keys(node.object, isGuarded);
    } else if (node.kind === "member") this.#keys(node.object, isGuarded);
  }
}

/** Paths that a template tests, as a tree of names. */
interface TestedPaths {
  /** The names down to this one are a tested path. */
  isEnd: boolean;
  readonly next: Map<string, TestedPaths>;
}

function noPaths(): TestedPaths {
  return { isEnd: false, next: new Map() };
}

function addPath(tested: TestedPaths, path: readonly string[]): void {
  let node = tested;
  for (const name of path) {
    const next = node.next.get(name) ?? noPaths();
    node.next.set(name, next);
    node = next;
  }
  node.isEnd = true;
}

/** True if the path begins with a tested one. */
function beginsTested(tested: TestedPaths, path: readonly string[]): boolean {
  let node: TestedPaths | undefined = tested;
  for (const name of path) {
    node = node?.next.get(name);
    if (node?.isEnd) return true;
  }
  return false;
}

/** Names from a root variable on; `undefined` for any other expression. */
function pathOf(node: Expression): readonly string[] | undefined {
  const names: string[] = [];
  let isKnown = true;
  const add = (name: string | undefined): void => {
    if (name === undefined) isKnown = false;
    else if (isKnown) names.push(name);
  };
  const walk = (part: Expression): boolean => {
    switch (part.kind) {
      case "variable":
        add(part.name);
        return true;
      case "member":
        if (!walk(part.object)) return false;
        add(part.name);
        return true;
      case "index":
        if (!walk(part.object)) return false;
        add(part.key.kind === "literal" && typeof part.key.value === "string" ? part.key.value : undefined);
        return true;
      case "method":
        if (!walk(part.object)) return false;
        add(undefined);
        return true;
      default:
        return false;
    }
  };
  return walk(node) ? names : undefined;
}

/** Parts of the expressions without a rule of their own. */
function childrenOf(node: Expression): Iterable<Expression> {
  switch (node.kind) {
    case "interpolation":
      return node.parts;
    case "member":
      return [node.object];
    case "index":
      return [node.object, node.key];
    case "method":
      return [node.object, ...node.args.positional, ...node.args.named.values()];
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
