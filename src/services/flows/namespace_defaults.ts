/**
 * What flows inherit from namespaces and from the server, in memory: a start reads nothing for it. A change of a
 * namespace gives its flows, and those of the namespaces below it, defaults with another version.
 */
import {
  isJsonObject,
  type JsonObject,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import {
  type InheritedDefaults,
  NO_DEFAULTS,
  type PluginDefault,
} from "../../model/flows/inherited_defaults.ts";
import { isWithinNamespace, parentNamespaces } from "../../model/namespaces/namespace_name.ts";
import type { NamespaceRecord, NamespaceRecords } from "../../store/records/namespace_records.ts";

interface NamespaceDefaultsDeps {
  readonly records: Pick<NamespaceRecords, "list">;
  /** Plugin defaults of the server, which every flow inherits. */
  readonly server?: readonly PluginDefault[];
}

/** A plugin default and the namespace that declares it; absent for one of the server. */
export interface InheritedPluginDefault extends PluginDefault {
  readonly namespace?: string;
}

type Declared = Pick<NamespaceRecord, "id" | "variables" | "pluginDefaults">;

/** Namespaces of a tenant that declare something, and what was computed from them. */
interface TenantDefaults {
  readonly declared: Map<string, Declared>;
  /** What flows of such a namespace inherit; those of a namespace below it that declares nothing inherit the same. */
  readonly inherited: Map<string, InheritedDefaults>;
  /** Bytes of what is declared, as JSON. */
  bytes: number;
}

/** The defaults that flows inherit. */
export class NamespaceDefaults {
  readonly #deps: NamespaceDefaultsDeps;
  readonly #server: readonly PluginDefault[];
  readonly #ofServer: InheritedDefaults;
  readonly #tenants = new Map<TenantId, TenantDefaults>();
  /** New names of namespaces that were renamed and not created again. */
  readonly #renamed = new Map<TenantId, Map<string, string>>();
  #lastVersion = 1;

  constructor(deps: NamespaceDefaultsDeps) {
    this.#deps = deps;
    this.#server = deps.server ?? [];
    this.#ofServer = this.#server.length === 0
      ? NO_DEFAULTS
      : { version: 1, variables: {}, pluginDefaults: this.#server };
  }

  /** Reads what the namespaces of these tenants declare. */
  async load(tenants: Iterable<TenantId>): Promise<void> {
    for (const tenant of tenants) {
      for (const record of await this.#deps.records.list(tenant)) this.put(tenant, record);
    }
  }

  /** What a flow of this namespace inherits; the same object as long as nothing changes. */
  of(tenant: TenantId, namespace: string): InheritedDefaults {
    const known = this.#tenants.get(tenant);
    if (!known) return this.#ofServer;
    const nearest = nearestDeclared(known, namespace);
    if (nearest === undefined) return this.#ofServer;
    return known.inherited.get(nearest) ?? this.#compute(known, nearest);
  }

  /** The merged variables of the namespaces above this one. */
  variablesAbove(tenant: TenantId, namespace: string): JsonObject {
    const known = this.#tenants.get(tenant);
    return known ? mergedVariables(declaredBy(known, parentNamespaces(namespace))) : {};
  }

  /** The plugin defaults of the namespaces above this one, the nearest first, then those of the server. */
  pluginDefaultsAbove(tenant: TenantId, namespace: string): InheritedPluginDefault[] {
    const known = this.#tenants.get(tenant);
    const above = known ? declaredBy(known, parentNamespaces(namespace)) : [];
    const inherited = above.flatMap(({ id, pluginDefaults = [] }) =>
      pluginDefaults.map((each): InheritedPluginDefault => ({ ...each, namespace: id }))
    );
    return [...inherited, ...this.#server];
  }

  /** Bytes that the namespaces of a tenant declare, without those of `except`. */
  bytesOf(tenant: TenantId, except: string): number {
    const known = this.#tenants.get(tenant);
    return known ? known.bytes - bytesOf(known.declared.get(except)) : 0;
  }

  /** Takes over what a namespace declares, once it is durable. */
  put(tenant: TenantId, record: NamespaceRecord): void {
    this.#putName(tenant, record);
    const known = this.#tenants.get(tenant) ?? { declared: new Map(), inherited: new Map(), bytes: 0 };
    const { id, variables, pluginDefaults } = record;
    const before = known.declared.get(id);
    const after = record.isDeleted ? undefined : declaration({ id, variables, pluginDefaults });
    if (!before && !after) return;
    this.#tenants.set(tenant, known);
    known.bytes += bytesOf(after) - bytesOf(before);
    if (after) known.declared.set(id, after);
    else known.declared.delete(id);
    for (const namespace of [...known.inherited.keys()]) {
      if (isWithinNamespace(namespace, id)) known.inherited.delete(namespace);
    }
  }

  /** The new name of a namespace that was renamed. */
  renamedTo(tenant: TenantId, namespace: string): string | undefined {
    return this.#renamed.get(tenant)?.get(namespace);
  }

  #putName(tenant: TenantId, { id, renamedTo }: NamespaceRecord): void {
    const names = this.#renamed.get(tenant) ?? new Map<string, string>();
    if (renamedTo === undefined) names.delete(id);
    else this.#renamed.set(tenant, names.set(id, renamedTo));
  }

  /** Drops what is known of a removed tenant. */
  forget(tenant: TenantId): void {
    this.#renamed.delete(tenant);
    this.#tenants.delete(tenant);
  }

  #compute(known: TenantDefaults, namespace: string): InheritedDefaults {
    const declared = declaredBy(known, [namespace, ...parentNamespaces(namespace)]);
    const inherited = {
      version: ++this.#lastVersion,
      variables: mergedVariables(declared),
      pluginDefaults: [...declared.flatMap(({ pluginDefaults = [] }) => pluginDefaults), ...this.#server],
    };
    known.inherited.set(namespace, inherited);
    return inherited;
  }
}

/** The namespace itself or the nearest above it that declares something. */
function nearestDeclared({ declared }: TenantDefaults, namespace: string): string | undefined {
  if (declared.size === 0) return undefined;
  if (declared.has(namespace)) return namespace;
  return parentNamespaces(namespace).find((parent) => declared.has(parent));
}

/** The declaration; `undefined` if it declares nothing. */
function declaration({ id, variables = {}, pluginDefaults = [] }: Declared): Declared | undefined {
  const isEmpty = Object.keys(variables).length === 0 && pluginDefaults.length === 0;
  return isEmpty ? undefined : { id, variables, pluginDefaults };
}

/** Bytes of a declaration as JSON. */
export function bytesOf(declared: Declared | undefined): number {
  if (!declared) return 0;
  const { variables, pluginDefaults } = declared;
  return new TextEncoder().encode(stringifyJson([variables ?? {}, pluginDefaults ?? []])).length;
}

function declaredBy({ declared }: TenantDefaults, namespaces: readonly string[]): Declared[] {
  return namespaces.flatMap((namespace) => declared.get(namespace) ?? []);
}

/** The variables of namespaces, the nearest first. */
function mergedVariables(declared: readonly Declared[]): JsonObject {
  return declared.reduceRight<JsonObject>((under, { variables = {} }) => merge(under, variables), {});
}

/** Maps are merged at any depth; of other values that of `over` wins. */
function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged = { ...under };
  for (const name of Object.keys(over)) {
    const low = ownProperty(under, name), high = ownProperty(over, name) ?? null;
    setOwnProperty(merged, name, isJsonObject(low) && isJsonObject(high) ? merge(low, high) : high);
  }
  return merged;
}
