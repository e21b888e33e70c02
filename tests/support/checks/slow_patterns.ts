/** Finds regular expressions that take a time that is quadratic in the length of a text: an attacker sends a long one. */
import type { SourceFile } from "../documents/source_facts.ts";

const LITERAL =
  /(?<=[(,=:?!&|[{]\s*|return )\/((?:[^/\n\\[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\n\\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([a-z]*)/g;
/** One repeated character at the end: it is tried at each character of a run. Write `(?<!x)x+$`. */
const REPEATED_END = /(?:^|\|)(?:\\.|\[(?:[^\]\\]|\\.)*\]|[^\\[\]^])[+*]\$$/;
/** The rest of a line at the end: it is tried at each place where it could begin. Write the flag `s`, or begin with `^`. */
const REST_OF_LINE = /\.[*+]\$$/;

/** `path:line: pattern` of each. */
export function slowPatterns(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, source }) =>
    [...source.matchAll(LITERAL)].filter(([, body = "", flags = ""]) =>
      REPEATED_END.test(body) || REST_OF_LINE.test(body) && !body.startsWith("^") && !flags.includes("s")
    ).map((found) => `${path}:${source.slice(0, found.index).split("\n").length}: ${found[0]}`)
  );
}
