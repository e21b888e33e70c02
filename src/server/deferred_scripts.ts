/**
 * Hides the scripts of groups of integrations from Deno until they are imported. At the start Deno reads each script that a literal
 * `import()` names, with all that it imports: 150 of 186 scripts, which take 10 MB of memory and 50 ms.
 */
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

/** The import of a group in a minified script; its name is that of the module, `registry.ts`, with a hash. */
const IMPORT = /import\(("\.\/registry-\w+\.js")\)/g;
const DEFERRED = /import\(String\("\.\/(registry-\w+\.js)"\)\)/g;
const [OPEN, CLOSE] = ["String(", ")"];

/** What the build writes of a script. */
interface BuiltScript {
  readonly code: string;
  /** Of its source map. */
  readonly mappings: string;
}

interface Insertion {
  /** Column before which the text is inserted. */
  readonly at: number;
  readonly length: number;
}

/** The script with names that Deno cannot read without running it, and its source map for the shifted columns. */
export function deferGroups({ code, mappings }: BuiltScript): BuiltScript {
  const segments = decode(mappings);
  const lines = code.split("\n").map((line, row) => {
    const inserted: Insertion[] = [];
    const deferred = line.replace(IMPORT, (found, name, start: number) => {
      const [open, close] = ["import(".length, found.length - ")".length];
      inserted.push({ at: start + open, length: OPEN.length }, { at: start + close, length: CLOSE.length });
      return `import(${OPEN}${name}${CLOSE})`;
    });
    segments[row] = (segments[row] ?? []).map((segment) => shifted(segment, inserted));
    return deferred;
  });
  return { code: lines.join("\n"), mappings: encode(segments) };
}

function shifted(segment: SourceMapSegment, inserted: readonly Insertion[]): SourceMapSegment {
  const [column, ...source] = segment;
  const before = inserted.filter(({ at }) => at <= column);
  const sum = before.reduce((total, { length }) => total + length, 0);
  return [column + sum, ...source] as SourceMapSegment;
}

/** Names of the scripts that {@link deferGroups} has hidden in a script. */
export function deferredScripts(code: string): string[] {
  return [...code.matchAll(DEFERRED)].map(([, name = ""]) => name);
}
