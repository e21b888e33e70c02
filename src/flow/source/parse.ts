/** Source text → document with positions. Says what is malformed; what a flow must hold is not its business. */
import { isMap, isSeq, type Pair } from "@std/yaml";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";
import type { Problem, SourceRange } from "../../model/flows/problem.ts";
import { SourceLines } from "./source_lines.ts";
import {
  isMergeKey,
  keyName,
  nodeRange,
  readPlainYaml,
  readYaml,
  SOURCE_RULES,
  type YamlError,
  type YamlReading,
} from "../../languages/yaml/mod.ts";

/** Names of members and positions in lists, from the root. */
export type Path = readonly (string | number)[];

/** What a source holds, and where. */
export interface ParsedSource {
  /** The source itself. */
  readonly source: string;
  /** Absent when the source is malformed. */
  readonly document?: JsonObject;
  /** What is malformed; codes begin with `yaml_`. */
  readonly problems: readonly Problem[];
  /** The range of a value, or of the nearest one around it; `undefined` without document. */
  locate(path: Path): SourceRange | undefined;
  /** The range of a member's name, else what {@link locate} gives. */
  locateKey(path: Path): SourceRange | undefined;
}

/** A value read from YAML text, or why there is none. */
type YamlValueResult = { readonly value: JsonValue } | { readonly reason: string };

/**
 * Parses a YAML or JSON source into the submitted document with positions. Of a plain source only the values are read at
 * first: most flows have no problem whose place is asked for.
 */
export function parseFlowSource(source: string): ParsedSource {
  const lines = new SourceLines(source);
  if (source.length > MAX_FLOW_SOURCE_BYTES) return malformed(source, [toProblem(tooLong(), lines)]);
  const document = readPlainYaml(source);
  if (!document) return parseWithPositions(source, lines);
  let positions: ParsedSource | undefined;
  const located = () => positions ??= parseWithPositions(source, lines);
  return {
    source,
    document,
    problems: [],
    locate: (path) => located().locate(path),
    locateKey: (path) => located().locateKey(path),
  };
}

function parseWithPositions(source: string, lines: SourceLines): ParsedSource {
  const read = readYaml(source, SOURCE_RULES);
  const errors = read.errors.length > 0 ? read.errors : checkRoot(read.value);
  const problems = [...errors].sort((a, b) => a.start - b.start).map((error) => toProblem(error, lines));
  if (problems.length > 0 || !isJsonObject(read.value)) return malformed(source, problems);
  const locator = new Locator(read.value, read.nodes, lines);
  return {
    source,
    document: read.value,
    problems: [],
    locate: (path) => locator.find(path, "value"),
    locateKey: (path) => locator.find(path, "key"),
  };
}

/** Parses YAML text that may hold any value; `reason` names the first mistake and its place. */
export function parseYamlValue(text: string): YamlValueResult {
  const read = readYaml(text, SOURCE_RULES);
  const [error] = read.errors;
  if (error) {
    return { reason: positioned(error.message, new SourceLines(text).range(error.start, error.end)) };
  }
  return { value: read.value };
}

/** A message with its place, as texts of errors show it. */
export function positioned(message: string, range: SourceRange | undefined): string {
  return range ? `${message} at line ${range.line}, column ${range.column}` : message;
}

function tooLong(): YamlError {
  const message = `The document is longer than ${MAX_FLOW_SOURCE_BYTES} characters`;
  return { code: "yaml_size", message, start: 0, end: 1 };
}

function checkRoot(value: JsonValue): YamlError[] {
  if (isJsonObject(value)) return [];
  const message = value === null ? "The document is empty" : "The document must be an object";
  return [{ code: value === null ? "yaml_empty" : "yaml_not_object", message, start: 0, end: 1 }];
}

function toProblem({ code, message, start, end }: YamlError, lines: SourceLines): Problem {
  return { code, message, path: "", range: lines.range(start, end), severity: "error" };
}

function malformed(source: string, problems: readonly Problem[]): ParsedSource {
  return { source, problems, locate: () => undefined, locateKey: () => undefined };
}

/** Members by name of one map; built when a place in it is first asked for. */
type Members = ReadonlyMap<string, Pair>;

/** Finds the place of a path: from list to object to value, as far as it goes. */
class Locator {
  readonly #root: JsonObject;
  readonly #nodes: YamlReading["nodes"];
  readonly #lines: SourceLines;
  readonly #members = new Map<JsonObject, Members>();

  constructor(root: JsonObject, nodes: YamlReading["nodes"], lines: SourceLines) {
    this.#root = root;
    this.#nodes = nodes;
    this.#lines = lines;
  }

  find(path: Path, part: "key" | "value"): SourceRange {
    let value: JsonValue | undefined = this.#root;
    let offsets = nodeRange(this.#nodes.get(this.#root));
    for (const [index, step] of path.entries()) {
      const isLast = index === path.length - 1;
      const found = this.#step(value, step, isLast ? part : "value");
      if (!found) break;
      offsets = found;
      value = memberOf(value, step);
    }
    return this.#lines.range(...offsets);
  }

  #step(container: JsonValue | undefined, step: string | number, part: "key" | "value") {
    if (Array.isArray(container)) {
      const node = this.#nodes.get(container);
      const item: unknown = isSeq(node) ? node.items[Number(step)] : undefined;
      return item ? nodeRange(item) : undefined;
    }
    if (!isJsonObject(container)) return undefined;
    const pair = this.#membersOf(container).get(String(step));
    if (!pair) return undefined;
    return nodeRange(part === "key" || !pair.value ? pair.key : pair.value);
  }

  /** Merged members lie where they were written. */
  #membersOf(object: JsonObject): Members {
    const known = this.#members.get(object);
    if (known) return known;
    const members = new Map<string, Pair>();
    const node = this.#nodes.get(object);
    for (const pair of isMap(node) ? node.items : []) {
      const name = isMergeKey(pair.key) ? undefined : keyName(pair.key);
      if (name !== undefined) members.set(name, pair as Pair);
    }
    this.#members.set(object, members);
    return members;
  }
}

function memberOf(container: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return container[Number(step)];
  return isJsonObject(container) ? ownProperty(container, String(step)) : undefined;
}
