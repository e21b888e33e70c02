/** YAML syntax tree → values with number kinds; aliases and merge keys are resolved under caps, names are only data. */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "@std/yaml";
import { Double, isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { MAX_YAML_ALIASES, MAX_YAML_DEPTH, MAX_YAML_EXPANDED_CHARS } from "./limits.ts";
import { tooDeep, type YamlError } from "./text.ts";

/** Any node of the library. */
type YamlNode = Parameters<typeof isScalar>[0];

const TAG_PREFIX = "tag:yaml.org,2002:";
const TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => TAG_PREFIX + name));
const FLOAT_TAG = `${TAG_PREFIX}float`;
const STRING_TAGS = new Set([`${TAG_PREFIX}str`, "!"]);
/** Mistakes that are told; the rest of a flood says nothing new. */
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

/** Reads one tree; collects mistakes and goes on. */
export class YamlValues {
  readonly errors: YamlError[] = [];
  /** The node of each list and object, for positions. */
  readonly nodes = new Map<JsonValue[] | JsonObject, YamlNode>();
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<Alias, YamlNode>();
  readonly #open = new Set<YamlNode>();
  #aliases = 0;
  #expandedChars = 0;
  /** Aliases around the node that is being read. */
  #expanding = 0;

  /** The value of a node. Where something is wrong, an error is added and `null` stands in for it. */
  read(node: unknown, depth = 0): JsonValue {
    if (depth > MAX_YAML_DEPTH) return this.#fail(tooDeep(nodeRange(node)[0]));
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    this.#checkTag(node);
    if (node.anchor && this.#expanding === 0) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return scalarValue(node);
    this.#open.add(node);
    const value = isMap(node)
      ? this.#readMap(node, depth)
      : node.items.map((item) => this.read(item, depth + 1));
    this.#open.delete(node);
    this.nodes.set(value, node);
    return value;
  }

  /** An alias is read anew at each use, so that depth and size are counted where they arise. */
  #readAlias(alias: Alias, depth: number): JsonValue {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) return this.#failAlias(alias, `Alias "${alias.source}" has no anchor before it`);
    if (this.#open.has(target)) return this.#failAlias(alias, `Alias "${alias.source}" refers to itself`);
    this.#targets.set(alias, target);
    const [start, end] = nodeRange(target);
    this.#expandedChars += end - start;
    if (++this.#aliases > MAX_YAML_ALIASES) {
      return this.#failAlias(alias, `Aliases expand to more than ${MAX_YAML_ALIASES} values`);
    }
    if (this.#expandedChars > MAX_YAML_EXPANDED_CHARS) {
      return this.#failAlias(alias, `Aliases expand to more than ${MAX_YAML_EXPANDED_CHARS} characters`);
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
      if (isMergeKey(pair.key)) merges.push(pair);
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
    const value = this.read(pair.value, depth + 1);
    if (Object.hasOwn(object, name)) {
      this.#fail(errorAt(pair.key, "yaml_duplicate_key", `Duplicate field '${name.slice(0, 100)}'`));
      return;
    }
    setOwnProperty(object, name, value);
  }

  /** Members that are there already win; of several sources the first. */
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
    if (tag === undefined || TAGS.has(tag) || STRING_TAGS.has(tag)) return;
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

/** What JSON has no form for, as `.inf`, stays the text it is. */
function scalarValue(node: Scalar): JsonValue {
  const { value, source = "", tag } = node;
  if (tag !== undefined && STRING_TAGS.has(tag)) return String(value);
  if (tag === FLOAT_TAG && Number.isFinite(Number(source))) return new Double(Number(source));
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return source;
    return DECIMAL.test(source) || !Number.isInteger(value) ? new Double(value) : value;
  }
  return value === null || typeof value === "boolean" || typeof value === "string" ? value : source;
}
