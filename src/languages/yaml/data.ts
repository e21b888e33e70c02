/** Data of templates: YAML text → values. */
import type { JsonValue } from "../../base/json.ts";
import { fail, MAX_VALUE_DEPTH } from "../values/mod.ts";
import { readYaml, type YamlRules } from "./values.ts";

const DATA_RULES: YamlRules = {
  maxDepth: MAX_VALUE_DEPTH,
  maxNodes: 100_000,
  maxAliases: Infinity,
  // The values share their memory, but not as JSON: 100,000 aliases of a text of 1 MB would become 100 GB.
  maxExpandedChars: 16 * 1024 * 1024,
  isSource: false,
};
const FIRST_RULES: YamlRules = { ...DATA_RULES, isFirstOnly: true };
/** Only white space and comments. */
const BLANK = /^\s*(?:#[^\n]*(?:\n\s*|$))*$/;

/** The data of a YAML text; aliases are resolved, map keys are texts. @throws ExpressionError `argument`, `limit` */
export function parseYaml(text: string): JsonValue {
  return parse(text, DATA_RULES);
}

/** As {@link parseYaml}, of the first document of a text, which must have one. The others are not read. */
export function parseFirstYaml(text: string): JsonValue {
  if (BLANK.test(text)) fail("argument", "Cannot read the YAML text: it has no value");
  return parse(text, FIRST_RULES);
}

function parse(text: string, rules: YamlRules): JsonValue {
  const { value, errors: [error] } = readYaml(text, rules);
  if (!error) return value;
  const before = text.slice(0, error.start);
  const line = before.split("\n").length;
  const column = error.start - before.lastIndexOf("\n");
  const isLimit = error.code === "yaml_depth" || error.code === "yaml_size";
  return fail(
    isLimit ? "limit" : "argument",
    `Cannot read the YAML text: ${error.message} at line ${line}, column ${column}`,
  );
}
