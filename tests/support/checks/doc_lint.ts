/**
 * Runs `deno doc --lint` over all of `src` and keeps what the project asks for: a doc comment on every export and every
 * public method. Properties may speak for themselves, types of packages count as private there, and what the compiler
 * infers need not be written.
 */
import { readSources, type SourceFile } from "../documents/source_facts.ts";

const DIAGNOSTIC = /error\[([\w-]+)\]: (.*)\n\s*--> (.+):(\d+):\d+\n/g;
const PROPERTY = /^\s+(override )?(static )?(readonly )?(\[\w+: string\]|["\w]+)\??(: | = )/;
const CONSTRUCTOR = /^\s+(private |protected )?constructor\(/;

/** The diagnostics of the output that count, one line each. `sources` have absolute paths or paths from the root. */
export function keepDiagnostics(output: string, sources: readonly SourceFile[]): string[] {
  const kept: string[] = [];
  for (const [, code = "", message = "", path = "", lineNumber = ""] of output.matchAll(DIAGNOSTIC)) {
    const file = sources.find((source) => path === source.path || path.endsWith(`/${source.path}`));
    const lines = file?.source.split("\n") ?? [];
    const index = Number(lineNumber) - 1;
    if (code !== "missing-jsdoc" || isExempt(lines, index)) continue;
    kept.push(`${file?.path ?? path}:${lineNumber}: ${message}`);
  }
  return kept;
}

/** `@inheritdoc` counts as a comment, and so does the comment of the first of several constants in a row. */
function isExempt(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  const before = lines[index - 1]?.trim() ?? "";
  const isNextConstant = line.startsWith("export const ") && before.startsWith("export const ");
  return PROPERTY.test(line) || CONSTRUCTOR.test(line) || before.endsWith("*/") || isNextConstant;
}

async function run(): Promise<number> {
  const sources = await readSources("src");
  const command = new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...sources.map((source) => source.path)],
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  });
  const { stderr, success } = await command.output();
  const output = new TextDecoder().decode(stderr);
  const kept = keepDiagnostics(output, sources);
  const isBroken = !success && !output.includes("documentation lint error");
  const lines = isBroken ? [output] : [...kept, `doc lint: ${sources.length} files, ${kept.length} problems`];
  await Deno.stderr.write(new TextEncoder().encode(lines.join("\n") + "\n"));
  return isBroken || kept.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await run());
