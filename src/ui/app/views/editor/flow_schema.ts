/** The JSON Schema of flows, read for an editor: which properties and values a place may have. */
import type { Level } from "./yaml_context.ts";

/** The parts of a schema that are read. */
export interface Schema {
  /** Path of a definition. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** A property of a place. */
export interface PropertyInfo {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const MAX_DEPTH = 8;
/** Properties of flows whose items are defaults of types. */
const DEFAULTS: ReadonlySet<string> = new Set(["pluginDefaults", "taskDefaults"]);
/** Properties that have no defaults. */
const OWN: ReadonlySet<string> = new Set(["id", "type"]);

/** Looks up places of flows. */
export class FlowSchema {
  readonly #definitions: Readonly<Record<string, Schema>>;
  /** Definitions by each name of their type. */
  readonly #types = new Map<string, Schema>();

  constructor({ definitions = {} }: Schema) {
    this.#definitions = definitions;
    for (const definition of Object.values(definitions)) {
      if (!definition.title) continue;
      for (const name of definition.properties?.type?.enum ?? []) this.#types.set(String(name), definition);
    }
  }

  /** What is known of a type. */
  typeInfo(type: string): Schema | undefined {
    return this.#types.get(type);
  }

  /** The properties of the innermost level, by name. */
  propertiesAt(levels: readonly Level[]): readonly PropertyInfo[] {
    const type = levels.at(-1)?.entries.get("type");
    const found = new Map<string, PropertyInfo>();
    const defaults = this.#defaultsAt(levels);
    this.#collect(defaults ?? this.#schemaAt(levels), type, found, 0);
    const all = [...found.values()];
    if (!defaults) return all;
    return all.filter(({ name }) => !OWN.has(name)).map((each) => ({ ...each, isRequired: false }));
  }

  #typesWithDefaults(): string[] {
    return ["Task", "Trigger"].flatMap((name) =>
      this.#values(this.#definitions[name]?.properties?.type ?? {})
    );
  }

  /** The type whose properties the values of plugin defaults are. */
  #defaultsAt(levels: readonly Level[]): Schema | undefined {
    const [defaults, values] = levels.slice(-2);
    if (!defaults || values?.key !== "values" || !DEFAULTS.has(defaults.key)) return undefined;
    return this.#types.get(defaults.entries.get("type") ?? "");
  }

  /** The values that a property of the innermost level may have; empty if any. */
  valuesAt(levels: readonly Level[], key: string): readonly string[] {
    if (key === "type" && DEFAULTS.has(levels.at(-1)?.key ?? "")) return this.#typesWithDefaults();
    const property = this.propertiesAt(levels).find(({ name }) => name === key);
    return property ? [...new Set(this.#values(property.schema))] : [];
  }

  /** True for a property whose value is a map or a list. */
  shapeOf(schema: Schema): "map" | "list" | "value" {
    const all = this.#alternatives(schema, 0);
    const types = new Set(all.flatMap(({ type = [] }) => type));
    if (["string", "number", "integer", "boolean"].some((type) => types.has(type))) return "value";
    return types.has("array") ? "list" : types.has("object") ? "map" : "value";
  }

  #schemaAt(levels: readonly Level[]): Schema {
    const root = this.#definitions.Flow ?? {};
    return levels.slice(1).reduce((schema, { key, isItem, entries }, index) => {
      const parentType = levels[index]?.entries.get("type");
      const found = new Map<string, PropertyInfo>();
      this.#collect(schema, parentType, found, 0);
      const rest = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
      const property = found.get(key)?.schema ?? rest;
      const inner = isItem ? this.#itemsOf(property) : property;
      return this.#specialised(inner, entries.get("type"));
    }, root);
  }

  #itemsOf(schema: Schema): Schema {
    return this.#alternatives(schema, 0).find(({ items }) => items)?.items ?? {};
  }

  /** The definition of a type in place of that of all tasks, triggers or conditions. */
  #specialised(schema: Schema, type: string | undefined): Schema {
    const isOfTypes = this.#resolved(schema).properties?.type?.anyOf?.some((each) => each.enum) === true;
    return isOfTypes && type !== undefined ? this.#types.get(type) ?? schema : schema;
  }

  #collect(given: Schema, type: string | undefined, found: Map<string, PropertyInfo>, depth: number): void {
    if (depth > MAX_DEPTH) return;
    const schema = this.#resolved(given);
    const required = new Set(schema.required);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isRequired = required.has(name) || (found.get(name)?.isRequired ?? false);
      found.set(name, { name, schema: this.#resolved(property), isRequired });
    }
    const branch = schema.if && (isMet(schema.if, type) ? schema.then : schema.else);
    const parts = [
      ...schema.allOf ?? [],
      ...schema.anyOf ?? [],
      ...schema.oneOf ?? [],
      ...branch ? [branch] : [],
    ];
    for (const part of parts) this.#collect(part, type, found, depth + 1);
  }

  #values(given: Schema): string[] {
    const all = this.#alternatives(given, 0);
    // Texts allow booleans, too, but after the text.
    const isBoolean = all.find(({ type }) => type !== undefined)?.type === "boolean";
    return [
      ...all.flatMap((schema) => schema.enum?.map(String) ?? []),
      ...isBoolean ? ["true", "false"] : [],
    ];
  }

  /** A schema and all that it allows instead. */
  #alternatives(given: Schema, depth: number): Schema[] {
    if (depth > MAX_DEPTH) return [];
    const schema = this.#resolved(given);
    const inner = [...schema.anyOf ?? [], ...schema.oneOf ?? []];
    return [schema, ...inner.flatMap((each) => this.#alternatives(each, depth + 1))];
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.replace("#/definitions/", "");
    return name === undefined ? schema : this.#definitions[decodeURIComponent(name)] ?? {};
  }
}

/** Whether the condition of a schema on the member `type` holds; others do not. */
function isMet({ properties, required = [] }: Schema, type: string | undefined): boolean {
  if (type === undefined) return !required.includes("type");
  const { pattern, enum: values, const: value } = properties?.type ?? {};
  if (pattern !== undefined) return new RegExp(pattern).test(type);
  return values ? values.includes(type) : value === undefined || value === type;
}
