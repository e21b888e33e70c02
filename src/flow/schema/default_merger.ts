/** Merges plugin defaults into declarations, and makes what is the same for all declarations of a type once. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";

/** A default that applies to a declaration. */
export interface MergedDefault {
  /** It overrides the properties of the declaration. */
  readonly isForced: boolean;
  readonly values: JsonObject;
}

/** Declarations within each other: a default may hold declarations that it applies to. */
const MAX_DEPTH = 100;
/** A value that is copied takes this part of the time of one that is given. */
const COPY = 1 / 16;

/** Merges up to a number of values, those within others included. */
export class DefaultMerger {
  readonly #currentNames = new WeakMap<PropertySchemas, ReadonlyMap<string, string>>();
  readonly #members = new WeakMap<PropertySchema, PropertySchemas>();
  readonly #items = new WeakMap<readonly JsonValue[], ReadonlySet<unknown>>();
  readonly #keys = new WeakMap<object, object>();
  readonly #keyOfText = new Map<string, object>();
  readonly #counts = new WeakMap<JsonObject, number>();
  #left: number;
  #depth = 0;

  constructor(maxValues: number) {
    this.#left = maxValues;
  }

  /** True once there were more values; what is merged then is not complete. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Counts values, or other work of that size. */
  charge(count: number): void {
    this.#left -= count;
  }

  /** What `merge` makes of a declaration; the declaration itself once the merger is exhausted. */
  within(declaration: JsonObject, merge: () => JsonObject): JsonObject {
    if (this.#depth >= MAX_DEPTH) this.charge(Infinity);
    if (this.isExhausted) return declaration;
    this.#depth++;
    const merged = merge();
    this.#depth--;
    return merged;
  }

  /** The default with those of its values that are properties of the type. */
  known({ isForced, values }: MergedDefault, schemas: PropertySchemas): MergedDefault {
    const entries = Object.entries(values);
    this.charge(entries.length);
    return {
      isForced,
      values: Object.fromEntries(entries.filter(([name]) => this.#currentName(name, schemas) !== undefined)),
    };
  }

  /** The first listed default of a property wins; forced defaults override the properties of the declaration. */
  withDefaults(own: JsonObject, matching: readonly MergedDefault[], schemas: PropertySchemas): JsonObject {
    const plain = matching.filter(({ isForced }) => !isForced);
    const forced = matching.filter(({ isForced }) => isForced).reverse();
    let merged = own;
    for (const { values } of plain) {
      if (!this.#admits(values)) return own;
      merged = this.#merge(values, merged, schemas);
    }
    for (const { values } of forced) {
      if (!this.#admits(values)) return own;
      merged = this.#merge(merged, values, schemas);
    }
    return merged;
  }

  #admits(values: JsonObject): boolean {
    const count = this.#counts.get(values) ?? countOf(values);
    this.#counts.set(values, count);
    this.charge(count);
    return !this.isExhausted;
  }

  /**
   * Maps are merged member by member and lists concatenated, those of `under` first; of other values `over` wins unless it
   * is null. Members of `under` come last, so that a task keeps its order.
   */
  #merge(under: JsonObject, over: JsonObject, schemas: PropertySchemas): JsonObject {
    const merged: JsonObject = {};
    const below = this.#withNamesOf(over, under, schemas);
    this.charge(Object.keys(over).length * COPY);
    for (const name of new Set([...Object.keys(over), ...Object.keys(below)])) {
      const low = ownProperty(below, name) ?? null, high = ownProperty(over, name) ?? null;
      setOwnProperty(merged, name, this.#mergedValue(low, high, this.#schemaOf(name, schemas)));
    }
    return merged;
  }

  #mergedValue(low: JsonValue, high: JsonValue, schema: PropertySchema | undefined): JsonValue {
    if (isJsonObject(low) && isJsonObject(high)) return this.#merge(low, high, this.#membersOf(schema));
    if (!Array.isArray(low) || !Array.isArray(high)) return high ?? low;
    this.charge((low.length + high.length) * COPY);
    const known = this.#items.get(low) ?? new Set(low.map((item) => this.#keyOf(item)));
    this.#items.set(low, known);
    return [...low, ...high.filter((item) => !known.has(this.#keyOf(item)))];
  }

  /** The same for equal items; the text of an object is made once. */
  #keyOf(item: JsonValue): unknown {
    if (typeof item === "string") return item;
    const known = isJsonObject(item) || Array.isArray(item) ? this.#keys.get(item) : undefined;
    if (known) return known;
    const text = stringifyJson(item);
    const key = this.#keyOfText.get(text) ?? {};
    this.#keyOfText.set(text, key);
    if (isJsonObject(item) || Array.isArray(item)) this.#keys.set(item, key);
    return key;
  }

  /** The members under the names that `other` gives them: both names of a property mean the same value. */
  #withNamesOf(other: JsonObject, members: JsonObject, schemas: PropertySchemas): JsonObject {
    const named: JsonObject = {};
    for (const [name, value] of Object.entries(members)) {
      const current = this.#currentName(name, schemas);
      const aliases = current === undefined ? undefined : schemas[current]?.aliases;
      const given = aliases ? [current, ...aliases] : [];
      const used = given.find((each) => each !== undefined && (ownProperty(other, each) ?? null) !== null);
      setOwnProperty(named, used ?? name, value);
    }
    return named;
  }

  #schemaOf(name: string, schemas: PropertySchemas): PropertySchema | undefined {
    const current = this.#currentName(name, schemas);
    return current === undefined ? undefined : schemas[current];
  }

  /** As `currentName` of the schemas, which compares an unknown name with all aliases. */
  #currentName(name: string, schemas: PropertySchemas): string | undefined {
    if (Object.hasOwn(schemas, name)) return name;
    const known = this.#currentNames.get(schemas) ?? namesByAlias(schemas);
    this.#currentNames.set(schemas, known);
    return known.get(name);
  }

  /** The members of an object, those of all its variants. */
  #membersOf(schema: PropertySchema | undefined): PropertySchemas {
    if (!schema) return NO_MEMBERS;
    const known = this.#members.get(schema);
    if (known) return known;
    const members = Object.assign({}, schema.properties, ...Object.values(schema.variants ?? {}));
    this.#members.set(schema, members);
    return members;
  }
}

const NO_MEMBERS: PropertySchemas = Object.freeze({});

/** The first property with an alias has it. */
function namesByAlias(schemas: PropertySchemas): ReadonlyMap<string, string> {
  const pairs = Object.entries(schemas).flatMap(([name, { aliases = [] }]) =>
    aliases.map((alias): [string, string] => [alias, name])
  );
  return new Map(pairs.reverse());
}

/** The values within a value. */
function countOf(value: JsonValue): number {
  const members = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return members.reduce((count: number, member) => count + 1 + countOf(member), 0);
}
