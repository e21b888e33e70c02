/**
 * YAML: sources of flows with positions, and data of templates. The package `yaml` does lexing, parsing and composing;
 * values are read here, because its own conversion keeps no positions of values, turns integers beyond 2^53 and decimals into
 * the same kind of number, finds duplicate keys in quadratic time, and limits neither depth nor expanded aliases by size.
 */
export { parseYaml } from "./data.ts";
export { readPlainYaml } from "./plain.ts";
export { MAX_YAML_DEPTH, parseYamlTree, type YamlError } from "./tree.ts";
export { isMergeKey, keyName, nodeRange, readYaml, SOURCE_RULES, type YamlReading } from "./values.ts";
export { yamlText } from "./writer.ts";
