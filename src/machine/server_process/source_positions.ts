/** Positions in scripts of the build, as the stack of an error names them. */
import * as nodeModule from "node:module";

const POSITION = /(?:file:\/\/)?(\/[^\s"]*?\/dist\/server\/[\w-]+\.js):(\d+):(\d+)/g;

/** By path of the script. Only an error needs one, and only those of its stack are read. */
const maps = new Map<string, nodeModule.SourceMap | undefined>();

/** The line with positions in the sources, `src/runtime/executor.ts:12:5`, where the build has a source map. */
export function withSourcePositions(line: string): string {
  if (!line.includes("/dist/server/")) return line;
  return line.replace(POSITION, (found, script: string, row: string, column: string) => {
    const origin = mapOf(script)?.findOrigin(Number(row), Number(column));
    if (!origin || !("fileName" in origin)) return found;
    return `${origin.fileName.replace(/^(?:\.\.\/)+/, "")}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function mapOf(script: string): nodeModule.SourceMap | undefined {
  if (!maps.has(script)) maps.set(script, readMap(`${script}.map`));
  return maps.get(script);
}

/** `undefined` if the server may not read the file, and where the run-time has no class for source maps (Deno 2.6). */
function readMap(path: string): nodeModule.SourceMap | undefined {
  try {
    return new nodeModule.SourceMap(JSON.parse(Deno.readTextFileSync(path)));
  } catch {
    return undefined;
  }
}
