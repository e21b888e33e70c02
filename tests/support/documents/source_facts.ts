/** What a source file imports and uses, from its syntax tree. Works in `deno test` only, which offers the parser. */

/** A source file; the path is relative to the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly source: string;
}

/** Something on a line of a file. */
export interface Found {
  readonly name: string;
  readonly line: number;
}

/** What {@link readFacts} finds. */
export interface SourceFacts {
  readonly path: string;
  readonly lineCount: number;
  /** Specifiers of imports and re-exports, types included, as written. */
  readonly imports: readonly Found[];
  /** Uses of the platform, of time and of chance: `Deno`, `setTimeout`, `Date.now`, `new Date()`, `Math.random`, … */
  readonly effects: readonly Found[];
  /** Functions with more lines than allowed, by name and length. */
  readonly longFunctions: readonly Found[];
}

const EFFECT_CALLS = new Set(["setTimeout", "setInterval"]);
const EFFECT_MEMBERS = new Set(["Date.now", "Math.random", "performance.now", "crypto.randomUUID"]);
const MAX_FUNCTION_LINES = 70;

/** The facts of one file. */
export function readFacts(file: SourceFile): SourceFacts {
  const imports: Found[] = [];
  const effects: Found[] = [];
  const longFunctions: Found[] = [];
  const lineAt = (offset: number) => file.source.slice(0, offset).split("\n").length;
  const measure = (node: Deno.lint.Node) => {
    const lines = lineAt(node.range[1]) - lineAt(node.range[0]) + 1;
    if (lines > MAX_FUNCTION_LINES) {
      longFunctions.push({ name: `${lines} lines`, line: lineAt(node.range[0]) });
    }
  };
  const importFrom = (node: { source: { value: string } | null; range: Deno.lint.Range }) => {
    if (node.source) imports.push({ name: node.source.value, line: lineAt(node.range[0]) });
  };
  const effect = (name: string, node: Deno.lint.Node) =>
    void effects.push({ name, line: lineAt(node.range[0]) });
  const visitor: Deno.lint.LintVisitor = {
    ImportDeclaration: importFrom,
    ExportNamedDeclaration: importFrom,
    ExportAllDeclaration: importFrom,
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    ImportExpression(node) {
      if (node.source.type === "Literal") {
        imports.push({ name: String(node.source.value), line: lineAt(node.range[0]) });
      }
    },
    MemberExpression(node) {
      const name = `${nameOf(node.object)}.${nameOf(node.property)}`;
      if (EFFECT_MEMBERS.has(name)) effect(name, node);
    },
    Identifier(node) {
      const isType = node.parent.type === "TSQualifiedName";
      if (node.name === "Deno" && !isType) effect("Deno", node);
    },
    CallExpression(node) {
      if (EFFECT_CALLS.has(nameOf(node.callee))) effect(nameOf(node.callee), node);
    },
    NewExpression(node) {
      if (nameOf(node.callee) === "Date" && node.arguments.length === 0) effect("new Date()", node);
    },
  };
  const plugin: Deno.lint.Plugin = { name: "facts", rules: { facts: { create: () => visitor } } };
  Deno.lint.runPlugin(plugin, file.path.split("/").pop() ?? file.path, file.source);
  return {
    path: file.path,
    lineCount: file.source.trimEnd().split("\n").length,
    imports,
    effects,
    longFunctions,
  };
}

function nameOf(node: Deno.lint.Node): string {
  return node.type === "Identifier" ? node.name : "";
}

/** All TypeScript files of a folder, sorted by path. */
export async function readSources(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) files.push(...await readSources(path));
    else if (/\.tsx?$/.test(entry.name)) files.push({ path, source: await Deno.readTextFile(path) });
  }
  return files.sort((a, b) => a.path < b.path ? -1 : 1);
}
