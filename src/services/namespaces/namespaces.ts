/**
 * Namespaces. They exist without being created: those of flows, their parents, and that of the system. A created one is
 * listed too and may have a description, and variables and plugin defaults that its flows inherit; a deleted one does not
 * exist until it has a flow again.
 */
import { KeyedLock } from "../../base/keyed_lock.ts";
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import { jsonBytes } from "../../base/json_size.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, illegalState, invalidEntity, notFound } from "../../model/errors.ts";
import { type PluginDefault, readPluginDefaults } from "../../model/flows/inherited_defaults.ts";
import type { TenantId, Trigger } from "../../model/flows/flow.ts";
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import { checkNamespace, parentNamespaces } from "../../model/namespaces/namespace_name.ts";
import type { NamespaceRecord, NamespaceRecords } from "../../store/records/namespace_records.ts";
import {
  type Catalogs,
  checkInheritedDefaults,
  concernsTriggers,
  defaultKind,
  hasExpression,
  parseYamlValue,
} from "../../flow/mod.ts";
import { yamlText } from "../../languages/yaml/mod.ts";
import type { Flows } from "../flows/flows.ts";
import { bytesOf, type InheritedPluginDefault, type NamespaceDefaults } from "../flows/namespace_defaults.ts";
import type { ExistingNamespaces } from "./existing_namespaces.ts";

interface NamespacesDeps {
  readonly flows: Flows;
  readonly records: NamespaceRecords;
  readonly existing: ExistingNamespaces;
  readonly defaults: NamespaceDefaults;
  readonly catalogs: Catalogs;
}

/** A namespace, its description, and what its flows and those of the namespaces below it inherit. */
export type Namespace = Pick<NamespaceRecord, "id" | "description" | "variables" | "pluginDefaults">;

/** A namespace as lists show it. */
export interface ListedNamespace extends Pick<Namespace, "id" | "description"> {
  /** False if it is there only because of flows, in it or below it, or as the one of the system. */
  readonly isCreated: boolean;
}

const MAX_NAMESPACE_DESCRIPTION_LENGTH = 10_000;
/** Per tenant; namespaces of flows do not count. */
const MAX_CREATED_NAMESPACES = 10_000;
/** Description, variables and plugin defaults of one namespace, as JSON: they fit into one stored value. */
const MAX_DECLARED_BYTES = 60_000;
/** Of all namespaces of a tenant: they are kept in memory. */
const MAX_TENANT_DECLARED_BYTES = 8 * 1024 * 1024;

/** The use cases of namespaces. */
export class Namespaces {
  readonly #deps: NamespacesDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: NamespacesDeps) {
    this.#deps = deps;
  }

  /** A namespace: any valid name, unless it was deleted. @throws DomainError invalid_argument, not_found */
  async get(actor: Actor, id: string): Promise<Namespace> {
    const record = await this.#deps.records.get(actor.tenant, checkNamespace(id));
    if (record?.isDeleted && !this.#isNamed(actor, id)) throw missingNamespace(id, record.renamedTo);
    if (!record || record.isDeleted) return { id };
    const { description, variables, pluginDefaults } = record;
    return { id, description, variables, pluginDefaults };
  }

  /** All namespaces, ordered by name; with `onlyExisting` those that were created, and those that contain flows themselves. */
  async list(actor: Actor, options: { readonly onlyExisting?: boolean } = {}): Promise<ListedNamespace[]> {
    const { flows, records } = this.#deps;
    const created = (await records.list(actor.tenant)).filter(({ isDeleted }) => !isDeleted);
    const descriptions = new Map(created.map(({ id, description }) => [id, description]));
    const names = options.onlyExisting ? flows.namespaces(actor) : this.#named(actor);
    return [...new Set([...names, ...descriptions.keys()])].sort().map((id) => ({
      id,
      description: descriptions.get(id),
      isCreated: descriptions.has(id),
    }));
  }

  /** Creates a namespace that was not created yet; it may have flows. @throws DomainError already_exists, invalid_argument */
  async create(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      const records = await this.#deps.records.list(actor.tenant);
      const known = records.find(({ id }) => id === namespace.id);
      if (known && !known.isDeleted) {
        throw new DomainError("already_exists", `Cannot create namespace "${namespace.id}": it exists`);
      }
      if (!known && records.length >= MAX_CREATED_NAMESPACES) {
        throw illegalArgument(
          `Cannot create namespace "${namespace.id}": there are ${records.length} already; namespaces of flows need not be created`,
        );
      }
      return await this.#put(actor, namespace);
    });
  }

  /** Replaces the description, variables and plugin defaults of an existing namespace. @throws DomainError not_found, invalid_argument, invalid_entity */
  async update(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, namespace.id);
      return await this.#put(actor, namespace);
    });
  }

  /** The variables that a namespace inherits from those above it. @throws DomainError invalid_argument, not_found */
  async inheritedVariables(actor: Actor, id: string): Promise<JsonObject> {
    await this.get(actor, id);
    return this.#deps.defaults.variablesAbove(actor.tenant, id);
  }

  /** The plugin defaults that a namespace inherits, the nearest first. @throws DomainError invalid_argument, not_found */
  async inheritedPluginDefaults(actor: Actor, id: string): Promise<readonly InheritedPluginDefault[]> {
    await this.get(actor, id);
    return this.#deps.defaults.pluginDefaultsAbove(actor.tenant, id);
  }

  /** The variables that a namespace declares itself, as YAML; empty without any. @throws DomainError invalid_argument, not_found */
  async variablesYaml(actor: Actor, id: string): Promise<string> {
    const { variables } = await this.get(actor, id);
    return variables ? yamlText(variables) : "";
  }

  /** Replaces the variables of a namespace by those of a YAML object. @throws DomainError as {@link update} */
  async setVariables(actor: Actor, id: string, yaml: string): Promise<void> {
    const value = readYamlValue(yaml, "the variables") ?? {};
    if (!isJsonObject(value)) throw invalidEntity("variables: must be an object of names and values");
    const variables = Object.keys(value).length > 0 ? value : undefined;
    await this.#change(actor, id, (namespace) => ({ ...namespace, variables }));
  }

  /** Replaces the plugin defaults of a namespace by those of a YAML list. @throws DomainError as {@link update} */
  async setPluginDefaults(actor: Actor, id: string, yaml: string): Promise<void> {
    const value = readYamlValue(yaml, "the plugin defaults") ?? [];
    const pluginDefaults = readDefaults(value);
    await this.#change(actor, id, (namespace) => ({
      ...namespace,
      pluginDefaults: pluginDefaults.length > 0 ? pluginDefaults : undefined,
    }));
  }

  /** The plugin defaults that a namespace declares itself, as a list in YAML. @throws DomainError invalid_argument, not_found */
  async exportPluginDefaults(actor: Actor, id: string): Promise<string> {
    const { pluginDefaults = [] } = await this.get(actor, id);
    return pluginDefaults.length === 0 ? "[]\n" : yamlText([...pluginDefaults]);
  }

  /**
   * Adds plugin defaults from a list in YAML or JSON, also one under `pluginDefaults`; those of a type replace those that
   * the namespace has of it under any of its names. The types as written, each once.
   * @throws DomainError not_found, invalid_argument, invalid_entity
   */
  async importPluginDefaults(actor: Actor, id: string, text: string): Promise<string[]> {
    const value = readYamlValue(text, "the file");
    const defaults = readDefaults(
      isJsonObject(value) ? ownProperty(value, "pluginDefaults") ?? value : value,
    );
    const { catalogs } = this.#deps;
    const kindOf = ({ type }: PluginDefault) => defaultKind(type, catalogs);
    await this.#change(actor, id, async (namespace) => {
      const { pluginDefaults: before = [] } = namespace;
      await catalogs.tasks.load(stringifyJson([...before, ...defaults]));
      const replaced = new Set(defaults.map(kindOf));
      const kept = before.filter((each) => !replaced.has(kindOf(each)));
      return { ...namespace, pluginDefaults: [...kept, ...defaults] };
    });
    return [...new Set(defaults.map(({ type }) => type))];
  }

  /** Deletes a namespace without flows. Its other content stays. @throws DomainError not_found, conflict */
  async delete(actor: Actor, id: string): Promise<void> {
    checkNamespace(id);
    await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, id);
      if (this.#isNamed(actor, id)) {
        throw illegalState(
          `Cannot delete namespace "${id}": it, or one below it, holds flows; delete them before`,
        );
      }
      await this.#store(actor, { id, isDeleted: true });
    });
  }

  /** Resolves once the changes of namespaces of a tenant that run or wait now have ended. */
  settled(tenant: TenantId): Promise<void> {
    return this.#locks.settled(tenant);
  }

  /** Replaces an existing namespace by what `change` makes of it. */
  async #change(
    actor: Actor,
    id: string,
    change: (namespace: Namespace) => Namespace | Promise<Namespace>,
  ): Promise<void> {
    checkNamespace(id);
    await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, id);
      await this.#put(actor, await change(await this.get(actor, id)));
    });
  }

  async #put(actor: Actor, namespace: Namespace): Promise<Namespace> {
    const { flows, records, catalogs } = this.#deps;
    await this.#check(actor, namespace);
    const before = await records.get(actor.tenant, namespace.id);
    await this.#store(actor, { ...namespace, isDeleted: false });
    const touched = [...before?.pluginDefaults ?? [], ...namespace.pluginDefaults ?? []];
    if (touched.some((each) => concernsTriggers(each, catalogs))) {
      await flows.renewTriggers(actor, namespace.id);
    } else if (!jsonEquals(before?.variables ?? {}, namespace.variables ?? {})) {
      await flows.renewTriggers(actor, namespace.id, mayReadVariables);
    }
    return namespace;
  }

  async #store({ tenant }: Actor, record: NamespaceRecord): Promise<void> {
    const { records, defaults } = this.#deps;
    await records.put(tenant, record, () => defaults.put(tenant, record));
  }

  async #check(
    { tenant }: Actor,
    { id, description, variables, pluginDefaults = [] }: Namespace,
  ): Promise<void> {
    const { defaults, catalogs } = this.#deps;
    if ((description?.length ?? 0) > MAX_NAMESPACE_DESCRIPTION_LENGTH) {
      throw illegalArgument(`a description has at most ${MAX_NAMESPACE_DESCRIPTION_LENGTH} characters`);
    }
    const bytes = bytesOf({ id, variables, pluginDefaults });
    const total = bytes + jsonBytes(description ?? "");
    if (total > MAX_DECLARED_BYTES) {
      throw invalidEntity(
        `description, variables and plugin defaults of namespace "${id}" have ${total} bytes as JSON, but at most ` +
          `${MAX_DECLARED_BYTES} are allowed; KV pairs and namespace files hold larger values`,
      );
    }
    if (bytes + defaults.bytesOf(tenant, id) > MAX_TENANT_DECLARED_BYTES) {
      throw invalidEntity(
        `the variables and plugin defaults of all namespaces have at most ${MAX_TENANT_DECLARED_BYTES} bytes as JSON`,
      );
    }
    await catalogs.tasks.load(stringifyJson(pluginDefaults));
    const items = checkInheritedDefaults(pluginDefaults, catalogs);
    if (items.length === 0) return;
    throw invalidEntity(items.map(({ path, message }) => `${path}: ${message}`).join(", "), { items });
  }

  async #mustExist(actor: Actor, id: string): Promise<void> {
    if (!await this.#deps.existing.has(actor.tenant, id)) throw missingNamespace(id);
  }

  #isNamed({ tenant }: Actor, id: string): boolean {
    return this.#deps.existing.isNamed(tenant, id);
  }

  /** The namespaces of flows, their parents, and that of the system. */
  #named(actor: Actor): Set<string> {
    const names = this.#deps.flows.namespaces(actor);
    return new Set([SYSTEM_NAMESPACE, ...names.flatMap((name) => [name, ...parentNamespaces(name)])]);
  }
}

function mayReadVariables({ properties }: Trigger): boolean {
  return hasExpression(stringifyJson(properties));
}

function missingNamespace(id: string, renamedTo?: string): DomainError {
  return notFound(
    `namespace "${id}" does not exist${renamedTo === undefined ? "" : `; it was renamed to "${renamedTo}"`}`,
  );
}

/** @throws DomainError invalid_entity: with the position of the problem */
function readYamlValue(yaml: string, what: string): JsonValue {
  if (yaml.trim() === "") return null;
  const parsed = parseYamlValue(yaml);
  if ("reason" in parsed) throw invalidEntity(`${what} cannot be read: ${parsed.reason}`);
  return parsed.value;
}

/** @throws DomainError invalid_entity */
function readDefaults(value: JsonValue): readonly PluginDefault[] {
  const read = readPluginDefaults(value);
  if ("problem" in read) throw invalidEntity(read.problem);
  return read.defaults;
}
