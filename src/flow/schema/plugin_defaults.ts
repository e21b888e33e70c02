/**
 * `pluginDefaults` of a flow: default properties of its tasks, triggers, conditions, task runners and parts, by type; and those
 * that it inherits. The source stays unchanged; the document that is validated and built has the defaults applied.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { canonicalType, TYPE_PREFIXES } from "../../model/flows/flow.ts";
import type { PluginDefault } from "../../model/flows/inherited_defaults.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import { DefaultMerger, type MergedDefault } from "./default_merger.ts";
import { flagOf, textOf } from "./describe.ts";
import { TASK_PROPERTIES, TRIGGER_PROPERTIES } from "./flow_schema.ts";

/** Catalogs that resolve aliases and name the nested declarations of types. */
export interface TypeCatalogs {
  readonly tasks?: TaskCatalog;
  readonly triggers?: Pick<TriggerCatalog, "find" | "findCondition">;
}

/** What a default applies to. */
interface DefaultType {
  /** As written. */
  readonly type: string;
  /** Canonical, without prefix. */
  readonly kind: string;
  /** It applies to all types whose names begin so; properties that a type does not have are left out. */
  readonly isPrefix: boolean;
}

type ReadDefault = DefaultType & MergedDefault;

type KindName = "task" | "trigger" | "condition" | "runner" | "part";

/** What can have defaults. */
interface Kind {
  readonly find: (kind: string) => (TypeDeclaration & { readonly form: string }) | undefined;
  /** Properties of all types of the kind. */
  readonly common: PropertySchemas;
  /** Those of all types that hold nested declarations. */
  readonly nested: PropertySchemas;
}

/** What a type of declarations has in common. */
interface DeclaredType {
  readonly matching: readonly MergedDefault[];
  readonly schemas: PropertySchemas;
  /** Those with nested declarations, and others. */
  readonly nested: PropertySchemas;
}

interface Scope {
  readonly defaults: readonly ReadDefault[];
  readonly kinds: Readonly<Record<KindName, Kind>>;
  readonly merger: DefaultMerger;
  /** By kind and written type. */
  readonly types: Map<string, DeclaredType>;
}

const TASK_LISTS = ["tasks", "errors", "finally", "afterExecution"];
/** Entries under the older name come after those under the newer one. */
const NAMES = ["pluginDefaults", "taskDefaults"];
const ROOT_PREFIX = /^io\.(?:svc|kestra)(?:\.|$)/;
/** Values that defaults give to all declarations of a flow. Validation takes some 5 µs for each. */
export const MAX_DEFAULT_VALUES = 200_000;
/** Members that are never defaults. */
const IDENTITY = new Set(["id", "type"]);

/**
 * The document with its defaults applied, then the inherited ones, which are the nearest first; the document itself
 * without any. It may be invalid: values of a wrong kind stay unchanged.
 */
export function applyPluginDefaults(
  document: JsonObject,
  catalogs: TypeCatalogs,
  inherited: readonly PluginDefault[] = [],
): JsonObject {
  return applied(document, catalogs, { inherited, merger: new DefaultMerger(Infinity) });
}

/** As {@link applyPluginDefaults}; `undefined` if the defaults give more than {@link MAX_DEFAULT_VALUES} values. */
export function applyLimitedDefaults(
  document: JsonObject,
  catalogs: TypeCatalogs,
  inherited: readonly PluginDefault[] = [],
): JsonObject | undefined {
  const merger = new DefaultMerger(MAX_DEFAULT_VALUES);
  const result = applied(document, catalogs, { inherited, merger });
  return merger.isExhausted ? undefined : result;
}

function applied(
  document: JsonObject,
  catalogs: TypeCatalogs,
  { inherited, merger }: { readonly inherited: readonly PluginDefault[]; readonly merger: DefaultMerger },
): JsonObject {
  const kinds = kindsOf(catalogs);
  const own = NAMES.flatMap((name) => readDefaults(ownProperty(document, name), kinds));
  const defaults = inherited.length === 0 ? own : [...own, ...readDefaults([...inherited], kinds)];
  if (defaults.length === 0) return document;
  const scope: Scope = { defaults, kinds, merger, types: new Map() };
  const copy: JsonObject = { ...document };
  replaceTaskLists(copy, TASK_LISTS, scope);
  replace(
    copy,
    "listeners",
    (value) =>
      eachItem(
        value,
        (listener) => isJsonObject(listener) ? listenerWithDefaults(listener, scope) : listener,
      ),
  );
  replace(copy, "triggers", (value) => eachItem(value, (item) => typed(item, "trigger", scope)));
  return copy;
}

function listenerWithDefaults(listener: JsonObject, scope: Scope): JsonObject {
  const copy = nested({ ...listener }, CONDITIONS, scope);
  replaceTaskLists(copy, ["tasks"], scope);
  return copy;
}

function replaceTaskLists(object: JsonObject, names: readonly string[], scope: Scope): void {
  for (const name of names) {
    replace(object, name, (value) => eachItem(value, (item) => typed(item, "task", scope)));
  }
}

const CONDITIONS: PropertySchemas = {
  condition: { type: "condition", description: "" },
  conditions: { type: "conditions", description: "" },
};

function kindsOf({ tasks, triggers }: TypeCatalogs): Scope["kinds"] {
  return {
    task: { find: (kind) => tasks?.find(kind), common: TASK_PROPERTIES, nested: {} },
    trigger: { find: (kind) => triggers?.find(kind), common: TRIGGER_PROPERTIES, nested: CONDITIONS },
    condition: { find: (kind) => triggers?.findCondition(kind), common: {}, nested: CONDITIONS },
    runner: { find: (kind) => tasks?.runners.find(kind), common: {}, nested: {} },
    part: { find: (kind) => tasks?.parts.find(kind), common: {}, nested: {} },
  };
}

function readDefaults(list: JsonValue | undefined, kinds: Scope["kinds"]): ReadDefault[] {
  return objectsOf(list).flatMap((entry) => {
    const type = textOf(entry, "type");
    const values = ownProperty(entry, "values");
    if (!type || !isJsonObject(values)) return [];
    const isForced = flagOf(entry, "forced", false);
    return [{ ...readType(type, kinds), isForced, values: withoutIdentity(values) }];
  });
}

function readType(type: string, kinds: Scope["kinds"]): DefaultType {
  const name = canonicalType(type);
  const known = Object.values(kinds).map(({ find }) => find(name)).find((found) => found !== undefined);
  return { type, kind: known?.type ?? name, isPrefix: known === undefined };
}

/** A task, trigger, condition, task runner or part with the defaults of its type, and its nested declarations with theirs. */
function typed(value: JsonValue, kindName: KindName, scope: Scope): JsonValue {
  const type = isJsonObject(value) ? ownProperty(value, "type") : undefined;
  if (!isJsonObject(value) || typeof type !== "string") return value;
  const { matching, schemas, nested: members } = declaredType(type, kindName, scope);
  return scope.merger.within(
    value,
    () => nested({ ...scope.merger.withDefaults(value, matching, schemas) }, members, scope),
  );
}

function declaredType(type: string, kindName: KindName, scope: Scope): DeclaredType {
  const key = `${kindName} ${type}`;
  const known = scope.types.get(key);
  if (known) return known;
  const { kinds, defaults, merger } = scope;
  merger.charge(defaults.length);
  const name = canonicalType(type);
  const kind = kinds[kindName], found = kind.find(name);
  const schemas = { ...kind.common, ...found?.properties };
  const matching = defaults.filter((entry) => matches(entry, type, found?.type ?? name))
    .map((entry) => entry.isPrefix && found ? merger.known(entry, schemas) : entry);
  const made = { matching, schemas, nested: { ...kind.nested, ...found?.properties } };
  scope.types.set(key, made);
  return made;
}

function withoutIdentity(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !IDENTITY.has(name)));
}

/** The name of the type of a default without prefix and alias. The catalogs must have loaded the type. */
export function defaultKind(type: string, catalogs: TypeCatalogs): string {
  return readType(type, kindsOf(catalogs)).kind;
}

/** The properties of a complete type; `undefined` for a prefix, and for a type that is unknown or not supported. */
export function propertiesOf(type: string, catalogs: TypeCatalogs): PropertySchemas | undefined {
  const name = canonicalType(type);
  for (const { find, common } of Object.values(kindsOf(catalogs))) {
    const found = find(name);
    if (found) return found.form === "planned" ? undefined : { ...common, ...found.properties };
  }
  return undefined;
}

/** The task types that a default of this type, or of types whose names begin so, applies to. */
export function taskTypesOf(type: string, catalogs: TypeCatalogs): readonly TypeDeclaration[] {
  const read = readType(type, kindsOf(catalogs));
  return (catalogs.tasks?.list() ?? []).filter((declared) =>
    TYPE_PREFIXES.some((prefix) => matches(read, prefix + declared.type, declared.type))
  );
}

/** A complete type applies to itself; a prefix is compared with the beginning of a name, canonical or as written. */
function matches({ type, kind, isPrefix }: DefaultType, written: string, canonical: string): boolean {
  if (!isPrefix) return canonical === kind;
  if (canonical.startsWith(kind) || written.startsWith(type)) return true;
  // A prefix that ends before the name begins: "io.kestra", "io.kestra.plugin".
  return ROOT_PREFIX.test(type) && `plugin.${canonical}`.startsWith(type.replace(ROOT_PREFIX, ""));
}

/** Applies defaults to nested declarations. Changes `object`, which is a copy. */
function nested(object: JsonObject, schemas: PropertySchemas, scope: Scope): JsonObject {
  const names = new Map(Object.entries(schemas));
  for (const name of Object.keys(object)) {
    const schema = names.get(name);
    const descend = schema && DESCENTS[schema.type];
    if (descend) replace(object, name, (value) => descend(value, scope));
    else if (schema?.type === "list" && schema.items?.type === "part") {
      replace(object, name, (value) => eachItem(value, (item) => typed(item, "part", scope)));
    }
  }
  return object;
}

type Descend = (value: JsonValue, scope: Scope) => JsonValue;

/** How to reach the nested declarations of a property, by its schema type. */
const DESCENTS: Readonly<Partial<Record<PropertySchema["type"], Descend>>> = {
  task: (value, scope) => typed(value, "task", scope),
  tasks: (value, scope) => eachItem(value, (item) => typed(item, "task", scope)),
  dagTasks: (value, scope) => eachItem(value, (item) => inMember(item, "task", scope)),
  cases: (value, scope) => eachMember(value, (list) => eachItem(list, (item) => typed(item, "task", scope))),
  condition: (value, scope) => typed(value, "condition", scope),
  conditions: (value, scope) => eachCondition(value, scope),
  conditionMap: (value, scope) => eachCondition(value, scope),
  taskRunner: (value, scope) => typed(value, "runner", scope),
  part: (value, scope) => typed(value, "part", scope),
};

function inMember(entry: JsonValue, name: "task", scope: Scope): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const copy = { ...entry };
  replace(copy, name, (value) => typed(value, name, scope));
  return copy;
}

/** Conditions are a list, or a map by name. */
function eachCondition(value: JsonValue, scope: Scope): JsonValue {
  const each = Array.isArray(value) ? eachItem : eachMember;
  return each(value, (item) => typed(item, "condition", scope));
}

function eachItem(value: JsonValue, change: (item: JsonValue) => JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(change) : value;
}

function eachMember(value: JsonValue, change: (item: JsonValue) => JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, item] of Object.entries(value)) setOwnProperty(copy, name, change(item));
  return copy;
}

function replace(object: JsonObject, name: string, change: (value: JsonValue) => JsonValue): void {
  const value = ownProperty(object, name);
  if (value !== undefined) setOwnProperty(object, name, change(value));
}
