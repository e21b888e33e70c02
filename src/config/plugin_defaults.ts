/** Reads the text of the server's plugin defaults: the option itself, or the YAML or JSON file that it names. */
import { ConfigProblem, type ReadFile } from "./given.ts";

/** A list as text, and its origin; the server parses and checks it, because it knows the types. */
export interface GivenDefaults {
  readonly origin: string;
  readonly text: string;
}

const OPTION = "--plugin-defaults";

/** The list of an option, `undefined` without the option, or why its file cannot be read. */
export function readGivenDefaults(
  text: string | undefined,
  readFile: ReadFile,
): GivenDefaults | ConfigProblem | undefined {
  if (text === undefined) return undefined;
  if (text.trimStart().startsWith("[")) return { origin: OPTION, text };
  const content = readFile(text);
  if ("text" in content) return { origin: `"${text}"`, text: content.text };
  return new ConfigProblem(`Cannot read the file "${text}" of ${OPTION}: ${content.problem}`);
}
