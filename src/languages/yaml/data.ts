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

/** The data of a YAML text; aliases are resolved, map keys are texts. @throws ExpressionError `argument`, `limit` */
export function parseYaml(text: string): JsonValue {
  const { value, errors: [error] } = readYaml(text, DATA_RULES);
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
