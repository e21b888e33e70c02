/** Finds exports that no other file names. */
import type { SourceFile } from "../documents/source_facts.ts";

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const NAMED = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"]*)"/g;
const ALL = /(?:\*(?: as \w+)? from |import\()"(\.[^"]*)"/g;

/** Exports of `sources` that neither they nor `users` import: one line each, `path:line: "name" is used in its own file only`. */
export function findUnusedExports(sources: readonly SourceFile[], users: readonly SourceFile[]): string[] {
  const used = new Set<string>();
  for (const file of [...sources, ...users]) {
    for (const [, names = "", specifier = ""] of file.source.matchAll(NAMED)) {
      for (const name of names.split(",")) used.add(`${resolve(file.path, specifier)}#${importedName(name)}`);
    }
    for (const [, specifier = ""] of file.source.matchAll(ALL)) {
      used.add(`${resolve(file.path, specifier)}#*`);
    }
  }
  return sources.flatMap(({ path, source }) =>
    [...source.matchAll(EXPORT)]
      .filter(([, name]) => !used.has(`${path}#${name}`) && !used.has(`${path}#*`))
      .map(({ 1: name, index }) => {
        const line = source.slice(0, index).split("\n").length;
        return `${path}:${line}: "${name}" is used in its own file only`;
      })
  );
}

function importedName(text: string): string {
  return text.trim().replace(/^type\s+/, "").split(/\s/)[0] ?? "";
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}
