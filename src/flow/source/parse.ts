/** Source text → document with positions. Reports malformed text; does not validate. */
import { isMap, isSeq, type Pair } from "yaml";
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

/** Member names and list positions, from the root. */
export type Path = readonly (string | number)[];

/** The document of a source, with the positions of its values. */
export interface ParsedSource {
  readonly source: string;
  /** Absent when the source is malformed. */
  readonly document?: JsonObject;
  /** Syntax errors; their codes begin with `yaml_`. */
  readonly problems: readonly Problem[];
  /** The range of a value, or of its nearest ancestor that exists; `undefined` without document. */
  locate(path: Path): SourceRange | undefined;
  /** The range of a member's name, else as {@link locate}. */
  locateKey(path: Path): SourceRange | undefined;
}

/** A value read from YAML text, or the reason why it cannot be read. */
type YamlValueResult = { readonly value: JsonValue } | { readonly reason: string };

/**
 * Parses a YAML or JSON source into a document with positions. Of a plain source only the values are read at first: the
 * positions of most flows are never needed.
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

/** Values that texts may have together. */
export interface ValueBudget {
  values: number;
}

/** The values of one text in YAML. Texts that are read in one turn share a budget. */
export function valueBudget(): ValueBudget {
  return { values: SOURCE_RULES.maxNodes };
}

/** Values that take as long as the begin of a text. */
const TEXT_VALUES = 5;

/** Spends the values of a text, and what each text takes. */
export function spendValues(budget: ValueBudget, values: number): void {
  budget.values -= values + TEXT_VALUES;
}

/** The reason to read no further text; `undefined` while values remain. */
export function tooManyValues(budget: ValueBudget): { readonly reason: string } | undefined {
  return budget.values <= 0 ? TOO_MANY_VALUES : undefined;
}

const TOO_MANY_VALUES = {
  reason: `the texts in YAML or ION have more than ${SOURCE_RULES.maxNodes} values together: ` +
    `use fewer, or JSON (each text counts as ${TEXT_VALUES} more)`,
};

/** Parses YAML text of any value; `reason` names the first syntax error and its position. */
export function parseYamlValue(text: string, budget: ValueBudget = valueBudget()): YamlValueResult {
  const refusal = tooManyValues(budget);
  if (refusal) return refusal;
  const isShared = budget.values < SOURCE_RULES.maxNodes;
  const read = readYaml(text, { ...SOURCE_RULES, maxNodes: budget.values });
  const [error] = read.errors;
  // Of a text with errors it is not known how much was read.
  spendValues(budget, error ? text.length : read.size);
  if (error) {
    if (isShared && error.code === "yaml_size") return TOO_MANY_VALUES;
    return { reason: positioned(error.message, new SourceLines(text).range(error.start, error.end)) };
  }
  return { value: read.value };
}

/** A message with its position. */
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

/** Members of one map by name; built when a position in it is first needed. */
type Members = ReadonlyMap<string, Pair>;

/** Finds the range of a path, as far as the path exists. */
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

  /** Merged members have the position at which they were written. */
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

/** The element of a list or the member of an object at one step of a path. */
export function memberOf(container: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return container[Number(step)];
  return isJsonObject(container) ? ownProperty(container, String(step)) : undefined;
}
