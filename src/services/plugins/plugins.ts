/** Schemas, documentation, lists and icons of types. The same for all tenants; never changes. */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import {
  allNames,
  canonicalNames,
  createDefinitions,
  type Definitions,
  DRAFT,
  exampleOf,
  inputDefinitionName,
  outputsSchema,
  propertiesSchema,
  referredBy,
  SCHEMA_KINDS,
  schemaDocument,
  type SchemaSources,
  shownName,
  withOwnForms,
} from "../../flow/json_schema/json_schema.ts";
import { INPUT_PROPERTIES } from "../../flow/schema/flow_schema.ts";
import { findDeclaredType, listInputTypes } from "../../flow/mod.ts";
import { DASHBOARD_DEFINITION, dashboardDefinitions } from "../charts/dashboard_schema.ts";
import { type DomainError, notFound } from "../../model/errors.ts";
import { TYPE_PREFIXES } from "../../model/flows/flow.ts";
import { iconBase64, iconSvg } from "./plugin_icons.ts";
import {
  groupsOf,
  type ListOptions,
  listPlugins,
  listSubgroups,
  listTriggers,
  type PluginEntry,
  type TriggerEntry,
} from "./plugin_list.ts";
import { inputMarkdown, pluginMarkdown } from "./plugin_markdown.ts";
import { byAllNames, listPluginTypes, type PluginType } from "./plugin_types.ts";

interface PluginsOptions extends Omit<SchemaSources, "prefixes"> {
  /** Of the server. */
  readonly version: string;
  /** The names that lists and schemas offer; by default all. */
  readonly typePrefix?: TypePrefix;
}

/** Which names of types are offered. */
export type TypePrefix = "svc" | "kestra" | "both";

/** Names of definitions by kind of schema. */
const KINDS: ReadonlyMap<string, string> = new Map([...SCHEMA_KINDS, ["DASHBOARD", DASHBOARD_DEFINITION]]);
const [OWN_PREFIX, OTHER_PREFIX] = TYPE_PREFIXES;
const PREFIXES: Readonly<Record<TypePrefix, readonly string[]>> = {
  svc: [OWN_PREFIX],
  kestra: [OTHER_PREFIX],
  both: TYPE_PREFIXES,
};

/** The icon of a type or group. */
interface PluginIcon {
  readonly name: string;
  /** SVG as base64. */
  readonly icon: string;
  readonly flowable: boolean;
}

/** Documentation of a type. */
interface PluginDocumentation {
  readonly markdown: string;
  readonly schema: {
    readonly properties: JsonObject;
    readonly outputs: JsonObject;
    readonly definitions: JsonObject;
  };
}

/** Computes everything on first use. */
export class Plugins {
  readonly #options: SchemaSources & ListOptions;
  /** Schemas as JSON; at most two for each of {@link KINDS}, the largest of 2.5 MB. As a text each had twice its size. */
  readonly #schemas = new Map<string, Uint8Array<ArrayBuffer>>();
  #types?: readonly PluginType[];
  #byName?: ReadonlyMap<string, PluginType>;
  #definitions?: Definitions;

  constructor({ typePrefix = "both", ...options }: PluginsOptions) {
    this.#options = { ...options, prefixes: PREFIXES[typePrefix] };
  }

  /** The schema of `FLOW`, `TASK` … in any case, as JSON. @throws DomainError not_found */
  schema(kind: string, { isList = false } = {}): Uint8Array<ArrayBuffer> {
    const name = schemaName(kind);
    const key = `${name} ${isList}`;
    const known = this.#schemas.get(key);
    if (known) return known;
    const document = schemaDocument(this.#allDefinitions(), name, { isList });
    const bytes = new TextEncoder().encode(stringifyJson(document));
    this.#schemas.set(key, bytes);
    return bytes;
  }

  /** The properties of a schema or type. @throws DomainError not_found */
  properties(kind: string): JsonObject {
    const type = this.#names().get(kind);
    const name = type ? type.cls : schemaName(kind);
    const definitions = this.#allDefinitions();
    const { properties, required, else: untyped } = definitions.get(name) ?? {};
    const common = isJsonObject(untyped) && isJsonObject(untyped.properties) ? untyped.properties : {};
    const own = isJsonObject(properties) ? withOwnForms(properties, definitions) : {};
    const all = { ...common, ...own };
    return {
      $schema: DRAFT,
      type: "object",
      properties: all,
      ...(required !== undefined && { required }),
      definitions: referredBy(all, definitions),
    };
  }

  /** All plugins, one per group and offered prefix. */
  list(): PluginEntry[] {
    return listPlugins(this.#all(), this.#options);
  }

  /** All plugins, one per package and offered prefix. */
  listSubgroups(): PluginEntry[] {
    return listSubgroups(this.#all(), this.#options);
  }

  /** All trigger types. */
  listTriggers(): TriggerEntry[] {
    return listTriggers(this.#all(), this.#options);
  }

  /** Documentation of a type, by any of its names; `isFull` adds the common properties of its kind to the schema. @throws DomainError not_found */
  documentation(cls: string, { isFull = false } = {}): PluginDocumentation {
    const { declaration, common, name, kind } = this.#find(cls);
    const { description, deprecated, outputs = {}, metrics } = declaration;
    const properties = isFull ? { ...common, ...declaration.properties } : declaration.properties;
    const markdown = pluginMarkdown({
      name,
      type: shownName(declaration),
      description,
      deprecated,
      examples: declaration.examples ?? [{
        title: "Example",
        yaml: exampleOf(declaration, { hasId: kind === "tasks" || kind === "triggers" }),
      }],
      // Properties of the type come first, and override common ones of the same name.
      properties: { ...declaration.properties, ...common, ...declaration.properties },
      outputs,
      metrics,
      otherNames: allNames(declaration).slice(1),
    });
    const schema = { title: name, description, ...propertiesSchema(properties) };
    return this.#documented(markdown, schema, outputsSchema(outputs));
  }

  /** Versions of a type: only that of the server. @throws DomainError not_found */
  versions(cls: string): { readonly type: string; readonly versions: readonly string[] } {
    this.#find(cls);
    return { type: cls, versions: [this.#options.version] };
  }

  /** As {@link documentation}. @throws DomainError not_found: a type or a version that does not exist */
  documentationOf(cls: string, version: string, options: { readonly isFull?: boolean }): PluginDocumentation {
    if (version === this.#options.version) return this.documentation(cls, options);
    this.#find(cls);
    throw unknown(`type "${cls}" has no version "${version}", only "${this.#options.version}"`);
  }

  /** This object, once all types are loaded; its other members see only the types that are. */
  async load(): Promise<this> {
    await this.#options.tasks.loadAll();
    return this;
  }

  /** All input types. */
  listInputs(): { readonly type: string; readonly cls: string }[] {
    return listInputTypes().map(({ names: [type = ""] }) => ({ type, cls: inputClass(type) }));
  }

  /** Documentation of an input type. @throws DomainError not_found */
  input(name: string): PluginDocumentation & { readonly type: string; readonly cls: string } {
    const type = findDeclaredType(name) ??
      listInputTypes().find(({ names: [first = ""] }) => inputClass(first) === name);
    if (!type) {
      const known = listInputTypes().flatMap(({ names }) => names).join(", ");
      throw unknown(`there is no type of inputs "${name}", only ${known}`);
    }
    const [title = ""] = type.names;
    const markdown = inputMarkdown(title, { ...INPUT_PROPERTIES, ...type.properties });
    const definition = this.#allDefinitions().get(inputDefinitionName(type)) ?? {};
    return {
      type: title,
      cls: inputClass(title),
      ...this.#documented(markdown, definition, outputsSchema({})),
    };
  }

  /** The icons of all types, by all of their names. */
  icons(): Record<string, PluginIcon> {
    return Object.fromEntries([...this.#names()].map(([name, type]) => [name, iconOf(type)]));
  }

  /** The icons of all groups. */
  groupIcons(): Record<string, PluginIcon> {
    return Object.fromEntries(
      groupsOf(this.#all()).flatMap((group) => {
        const icon = {
          name: group.slice(group.lastIndexOf(".") + 1),
          icon: iconBase64(group),
          flowable: false,
        };
        return canonicalNames({ type: group }).map((name) => [name, icon]);
      }),
    );
  }

  /** The icon of a type. @throws DomainError not_found */
  icon(cls: string): PluginIcon {
    return iconOf(this.#find(cls));
  }

  /** The icon of a type as SVG. @throws DomainError not_found */
  iconSvg(cls: string): string {
    return iconSvg(this.#find(cls).group);
  }

  #documented(markdown: string, properties: JsonObject, outputs: JsonObject): PluginDocumentation {
    const parts: JsonValue = [properties, outputs];
    const definitions = referredBy(parts, withoutTypes(this.#allDefinitions()));
    return { markdown, schema: { properties, outputs, definitions } };
  }

  #find(cls: string): PluginType {
    const type = this.#names().get(cls);
    if (type) return type;
    throw unknown(`there is no type "${cls}", or it is not supported yet`);
  }

  #all(): readonly PluginType[] {
    return this.#types ??= listPluginTypes(this.#options);
  }

  #names(): ReadonlyMap<string, PluginType> {
    return this.#byName ??= byAllNames(this.#all());
  }

  #allDefinitions(): Definitions {
    return this.#definitions ??= new Map([
      ...createDefinitions(this.#options),
      ...dashboardDefinitions(this.#options.prefixes),
    ]);
  }
}

/** Definitions without the lists of concrete types, so that documentation of one type does not include all others. */
function withoutTypes(definitions: Definitions): Definitions {
  const kinds = new Set(KINDS.values());
  return new Map([...definitions].map(([name, definition]) => {
    const { allOf: _types, ...rest } = definition;
    return [name, kinds.has(name) ? rest : definition];
  }));
}

function schemaName(kind: string): string {
  const name = KINDS.get(kind.toUpperCase());
  if (name !== undefined) return name;
  throw unknown(`there is no schema "${kind}", only ${[...KINDS.keys()].join(", ")}`);
}

function iconOf({ name, group, isFlowable }: PluginType): PluginIcon {
  return { name, icon: iconBase64(group), flowable: isFlowable };
}

/** The class name of an input type for clients: `STRING` is `…input.StringInput`. */
function inputClass(type: string): string {
  return `io.svc.core.models.flows.input.${type.charAt(0)}${type.slice(1).toLowerCase()}Input`;
}

/** The reason repeats text of the caller, so it is cut. */
function unknown(reason: string): DomainError {
  return notFound(reason.slice(0, 500));
}
