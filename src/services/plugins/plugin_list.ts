/** Types grouped into plugins as clients list them: by group, and by package within a group. */
import { allNames } from "../../flow/json_schema/json_schema.ts";
import { iconBase64 } from "./plugin_icons.ts";
import type { PluginKind, PluginType } from "./plugin_types.ts";

/** A type within a plugin. */
interface PluginElement {
  readonly cls: string;
  readonly title: string;
  readonly description: string;
  readonly deprecated: boolean;
}

/** A plugin as clients of all versions read it; unsupported members are empty lists. */
export interface PluginEntry extends Readonly<Record<PluginKind, readonly PluginElement[]>> {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly subGroup?: string;
  readonly version: string;
  /** Other names of its types. */
  readonly aliases: readonly string[];
  readonly [other: string]: unknown;
}

/** A trigger type as forms that create triggers show it. */
export interface TriggerEntry {
  readonly type: string;
  readonly name: string;
  readonly pluginTitle: string;
  readonly description: string;
  readonly group: "core";
  readonly ee: false;
  readonly icon: string;
  readonly deprecated: boolean;
}

const NO_ELEMENTS = Object.freeze({
  guides: [],
  controllers: [],
  storages: [],
  secrets: [],
  charts: [],
  dataFilters: [],
  dataFiltersKPI: [],
  logExporters: [],
  apps: [],
  appBlocks: [],
});

/** How plugins are listed. */
export interface ListOptions {
  /** Of the server. */
  readonly version: string;
  /** Of the names; each has entries of its own. */
  readonly prefixes: readonly string[];
}

/** One entry per group and prefix: `core` with all its packages, and each other package. */
export function listPlugins(types: readonly PluginType[], { version, prefixes }: ListOptions): PluginEntry[] {
  const groups = [...Map.groupBy(types, mainGroup)];
  return prefixes.flatMap((prefix) =>
    groups.flatMap(([group, members]) =>
      prefixesOf(members, prefix, prefixes).map((own) => entryOf(group, members, { version, prefix: own }))
    )
  );
}

/** One entry per package and prefix. */
export function listSubgroups(
  types: readonly PluginType[],
  { version, prefixes }: ListOptions,
): PluginEntry[] {
  const packages = [...Map.groupBy(types, (type) => type.group)];
  return prefixes.flatMap((prefix) =>
    packages.flatMap(([group, members]) => {
      const main = members[0] ? mainGroup(members[0]) : group;
      const subgroup = main === group ? undefined : group;
      return prefixesOf(members, prefix, prefixes).map((own) =>
        entryOf(main, members, { version, prefix: own, subgroup })
      );
    })
  );
}

/** The prefix itself; types of plugin files have none, and are listed once. */
function prefixesOf(members: readonly PluginType[], prefix: string, all: readonly string[]): string[] {
  if (!members[0]?.declaration.isOwn) return [prefix];
  return prefix === all[0] ? [""] : [];
}

/** Every trigger type, by its name with each prefix. */
export function listTriggers(types: readonly PluginType[], { prefixes }: ListOptions): TriggerEntry[] {
  const triggers = types.filter(({ kind }) => kind === "triggers");
  return prefixes.flatMap((prefix) =>
    triggers.flatMap((type) => prefixesOf([type], prefix, prefixes).map((own) => triggerOf(type, own)))
  );
}

function triggerOf({ name, group, declaration }: PluginType, prefix: string): TriggerEntry {
  return {
    type: prefix + declaration.type,
    name,
    pluginTitle: titleOf(group),
    description: declaration.description,
    group: "core",
    ee: false,
    icon: iconBase64(group),
    deprecated: declaration.deprecated !== undefined,
  };
}

/** The packages of the types and their groups. */
export function groupsOf(types: readonly PluginType[]): string[] {
  return [...new Set(types.flatMap((type) => [mainGroup(type), type.group]))].sort();
}

function mainGroup({ group }: PluginType): string {
  return group.startsWith("core.") ? "core" : group;
}

function entryOf(
  group: string,
  members: readonly PluginType[],
  { version, prefix, subgroup }: {
    readonly version: string;
    readonly prefix: string;
    readonly subgroup?: string;
  },
): PluginEntry {
  const title = titleOf(subgroup ?? group);
  return {
    name: group,
    title,
    description: `Types of the group ${title}.`,
    group: prefix + group,
    ...(subgroup !== undefined && { subGroup: prefix + subgroup }),
    version,
    license: "OPENSOURCE",
    manifest: { "X-Kestra-Title": title, "X-Kestra-Name": group, "X-Kestra-Group": prefix + group },
    categories: ["CORE"],
    aliases: members.flatMap(({ declaration }) =>
      allNames(declaration).filter((name) => name !== prefix + declaration.type)
    ),
    ...NO_ELEMENTS,
    tasks: elements(members, "tasks", prefix),
    triggers: elements(members, "triggers", prefix),
    conditions: elements(members, "conditions", prefix),
    taskRunners: elements(members, "taskRunners", prefix),
    additionalPlugins: elements(members, "additionalPlugins", prefix),
  };
}

function elements(members: readonly PluginType[], kind: PluginKind, prefix: string): PluginElement[] {
  return members.filter((member) => member.kind === kind).map(({ name, declaration }) => ({
    cls: prefix + declaration.type,
    title: declaration.title ?? name,
    description: declaration.description,
    deprecated: declaration.deprecated !== undefined,
  }));
}

function titleOf(group: string): string {
  return group.slice(group.lastIndexOf(".") + 1);
}
