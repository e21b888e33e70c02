/** Putting a source into another namespace: what an upload into the folder of flows asks for. */
import { isMap, isScalar } from "@std/yaml";
import { SourceLines } from "./source_lines.ts";
import { keyName, nodeRange, parseYamlTree } from "../../languages/yaml/mod.ts";

/** The source with its `namespace` replaced, or one added before its first member; a source that cannot be read stays as it is. */
export function setNamespace(source: string, namespace: string): string {
  const root = parseYamlTree(source).document?.contents;
  if (!isMap(root)) return source;
  const pair = root.items.find((item) => keyName(item.key) === "namespace");
  if (pair && isScalar(pair.value)) {
    const [start, end] = nodeRange(pair.value);
    return source.slice(0, start) + namespace + source.slice(end);
  }
  const [start] = nodeRange(root);
  if (root.flow) {
    return `${source.slice(0, start + 1)}"namespace": "${namespace}", ${source.slice(start + 1)}`;
  }
  const line = new SourceLines(source).lineStart(start);
  const indent = /^[ \t]*/.exec(source.slice(line))?.[0] ?? "";
  return `${source.slice(0, line)}${indent}namespace: ${namespace}\n${source.slice(line)}`;
}
