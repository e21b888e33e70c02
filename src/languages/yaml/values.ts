/** YAML syntax tree → values with number kinds. Aliases and merge keys are resolved within limits. */
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_INTEGER_DIGITS,
  setOwnProperty,
} from "../../base/json.ts";
import { MAX_YAML_DEPTH, parseYamlTree, tooDeep, tooLarge, type YamlError } from "./tree.ts";

/** Any node of the library. */
type YamlNode = Parameters<typeof isScalar>[0];

/** Limits of a text, and whether it is the source of a flow or data of a template. */
export interface YamlRules {
  /** Nested maps and lists. */
  readonly maxDepth: number;
  /** Values, those of aliases counted at each use. */
  readonly maxNodes: number;
  /** Aliases, those within aliases counted at each use. */
  readonly maxAliases: number;
  /** Characters of the values that aliases refer to, counted at each use. */
  readonly maxExpandedChars: number;
  /** Resolves merge keys and refuses custom tags; else `<<` is a name, and unknown tags are ignored. */
  readonly isSource: boolean;
  /** Reads the first document of several; else a second one is an error. */
  readonly isFirstOnly?: boolean;
}

/** A read text; where something is wrong, `errors` are not empty and `null` stands in for the value. */
export interface YamlReading {
  readonly value: JsonValue;
  readonly errors: readonly YamlError[];
  /** The node of each list and object, for positions. */
  readonly nodes: ReadonlyMap<JsonValue[] | JsonObject, YamlNode>;
  /** Number of values, those of aliases counted at each use. */
  readonly size: number;
}

/** The rules of sources. */
export const SOURCE_RULES: YamlRules = {
  maxDepth: MAX_YAML_DEPTH,
  maxNodes: 100_000,
  maxAliases: 100,
  maxExpandedChars: 512 * 1024,
  isSource: true,
};

const TAG_PREFIX = "tag:yaml.org,2002:";
const TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => TAG_PREFIX + name));
const FLOAT_TAG = `${TAG_PREFIX}float`;
const STRING_TAGS = new Set([`${TAG_PREFIX}str`, "!"]);
/** Errors that are reported. */
const MAX_VALUE_ERRORS = 100;
const DECIMAL = /[.eE]/;

/** Offsets of a node; a missing one is at the start. */
export function nodeRange(node: unknown): readonly [number, number] {
  const range = (node as { range?: readonly [number, number, number] } | null)?.range;
  return range ? [range[0], range[1]] : [0, 0];
}

/** Name of a map member by its key node; `undefined` for a key that is a list, a map or an alias. */
export function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  if (typeof key.value === "string") return key.value;
  return key.source ?? String(key.value);
}

/** True for the plain key `<<`. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.source === "<<";
}

/** Reads the only document of a text, or the first. */
export function readYaml(source: string, rules: YamlRules): YamlReading {
  const tree = parseYamlTree(source, rules);
  if (!tree.document) return { value: null, errors: tree.errors, nodes: new Map(), size: 0 };
  const reader = new ValueReader(rules);
  const value = reader.read(tree.document.contents, 0);
  return { value, errors: reader.errors, nodes: reader.nodes, size: reader.size };
}

/** Reads one tree; collects errors and continues. */
class ValueReader {
  readonly errors: YamlError[] = [];
  readonly nodes = new Map<JsonValue[] | JsonObject, YamlNode>();
  readonly #rules: YamlRules;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<Alias, YamlNode>();
  readonly #open = new Set<YamlNode>();
  /** Values so far. */
  size = 0;
  #aliases = 0;
  #expandedChars = 0;
  /** Depth of aliases within aliases at the current node. */
  #expanding = 0;

  constructor(rules: YamlRules) {
    this.#rules = rules;
  }

  read(node: unknown, depth: number): JsonValue {
    const { maxDepth, maxNodes } = this.#rules;
    if (depth > maxDepth) return this.#fail(tooDeep(nodeRange(node)[0], maxDepth));
    if (++this.size > maxNodes) {
      return this.#fail(tooLarge(nodeRange(node)[0], maxNodes));
    }
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    this.#checkTag(node);
    this.#noteAnchor(node);
    if (isScalar(node)) return scalarValue(node);
    this.#open.add(node);
    const value = isMap(node)
      ? this.#readMap(node, depth)
      : node.items.map((item) => this.read(item, depth + 1));
    this.#open.delete(node);
    this.nodes.set(value, node);
    return value;
  }

  #noteAnchor(node: Scalar | YAMLMap | YAMLSeq): void {
    if (node.anchor && this.#expanding === 0) this.#anchors.set(node.anchor, node);
  }

  /** Reads the target at each use of an alias, so that depth and size count there. */
  #readAlias(alias: Alias, depth: number): JsonValue {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) return this.#failAlias(alias, `Alias "${alias.source}" has no anchor before it`);
    if (this.#open.has(target)) return this.#failAlias(alias, `Alias "${alias.source}" refers to itself`);
    this.#targets.set(alias, target);
    const [start, end] = nodeRange(target);
    this.#expandedChars += end - start;
    const { maxAliases, maxExpandedChars } = this.#rules;
    if (++this.#aliases > maxAliases) {
      return this.#failAlias(alias, `Aliases expand to more than ${maxAliases} values`);
    }
    if (this.#expandedChars > maxExpandedChars) {
      return this.#failAlias(alias, `Aliases expand to more than ${maxExpandedChars} characters`);
    }
    this.#expanding++;
    const value = this.read(target, depth);
    this.#expanding--;
    return value;
  }

  #readMap(map: YAMLMap, depth: number): JsonObject {
    const object: JsonObject = {};
    const merges: Pair[] = [];
    for (const pair of map.items) {
      if (this.#rules.isSource && isMergeKey(pair.key)) merges.push(pair);
      else this.#readMember(object, pair, depth);
    }
    for (const pair of merges) this.#merge(object, pair, depth);
    return object;
  }

  #readMember(object: JsonObject, pair: Pair, depth: number): void {
    const name = keyName(pair.key);
    if (name === undefined) {
      const message =
        'A key must be a text: an expression as a value needs quotes, as in "{{ inputs.name }}"';
      this.#fail(errorAt(pair.key, "yaml_key", message));
      return;
    }
    this.#checkTag(pair.key as Scalar);
    this.#noteAnchor(pair.key as Scalar);
    const value = this.read(pair.value, depth + 1);
    if (Object.hasOwn(object, name)) {
      this.#fail(errorAt(pair.key, "yaml_duplicate_key", `Duplicate field '${name.slice(0, 100)}'`));
      return;
    }
    setOwnProperty(object, name, value);
  }

  /** Members of the map itself take precedence, then those of the first source. */
  #merge(object: JsonObject, pair: Pair, depth: number): void {
    const value = this.read(pair.value, depth);
    const sources = Array.isArray(value) ? value : [value];
    for (const source of sources) {
      if (!isJsonObject(source)) {
        this.#fail(
          errorAt(pair.value ?? pair.key, "yaml_key", 'The merge key "<<" needs a map or a list of maps'),
        );
        return;
      }
      for (const name of Object.keys(source)) {
        if (!Object.hasOwn(object, name)) setOwnProperty(object, name, source[name] as JsonValue);
      }
    }
  }

  #checkTag(node: { readonly tag?: string }): void {
    const { tag } = node;
    if (tag === undefined || !this.#rules.isSource || TAGS.has(tag) || STRING_TAGS.has(tag)) return;
    this.#fail(
      errorAt(node, "yaml_tag", `Cannot use the tag "${tag.slice(0, 100)}": custom tags are not allowed`),
    );
  }

  #failAlias(alias: Alias, message: string): null {
    return this.#fail(errorAt(alias, "yaml_alias", message));
  }

  #fail(error: YamlError): null {
    if (this.errors.length < MAX_VALUE_ERRORS) this.errors.push(error);
    return null;
  }
}

function errorAt(node: unknown, code: string, message: string): YamlError {
  const [start, end] = nodeRange(node);
  return { code, message, start, end };
}

const INTEGER_LIMIT = 10n ** BigInt(MAX_INTEGER_DIGITS);

/** What JSON cannot hold, as `.inf`, is its text. */
function scalarValue(node: Scalar): JsonValue {
  const { value, source = "", tag } = node;
  if (tag !== undefined && STRING_TAGS.has(tag)) return String(value);
  if (tag === FLOAT_TAG && Number.isFinite(Number(source))) return new Double(Number(source));
  if (typeof value === "bigint") {
    const number = Number(value);
    if (value >= INTEGER_LIMIT || value <= -INTEGER_LIMIT) return source;
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return source;
    return DECIMAL.test(source) || !Number.isInteger(value) ? new Double(value) : value;
  }
  return value === null || typeof value === "boolean" || typeof value === "string" ? value : source;
}
