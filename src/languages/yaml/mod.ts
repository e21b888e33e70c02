/**
 * YAML: sources of flows with positions, and data of templates. The package `yaml` lexes, parses and composes; values are
 * read here, because its own conversion gives no positions, does not keep number kinds (`1.0` → 1), compares keys in
 * quadratic time, and limits neither depth nor the size of expanded aliases.
 */
export { parseFirstYaml, parseYaml } from "./data.ts";
export { readPlainYaml } from "./plain.ts";
export { MAX_YAML_DEPTH, parseYamlTree, type YamlError } from "./tree.ts";
export { isMergeKey, keyName, nodeRange, readYaml, SOURCE_RULES, type YamlReading } from "./values.ts";
export { yamlText } from "./writer.ts";
