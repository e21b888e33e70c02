/** Types grouped into plugins as clients list them: by group, and by package within a group. */
import { allNames, fullName } from "../../flow/json_schema/json_schema.ts";
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
  taskRunners: [],
  charts: [],
  dataFilters: [],
  dataFiltersKPI: [],
  logExporters: [],
  apps: [],
  appBlocks: [],
  additionalPlugins: [],
});

/** One entry per group: `core` with all its packages, and each other package. */
export function listPlugins(types: readonly PluginType[], version: string): PluginEntry[] {
  return [...Map.groupBy(types, mainGroup)].map(([group, members]) => entryOf(group, members, { version }));
}

/** One entry per package. */
export function listSubgroups(types: readonly PluginType[], version: string): PluginEntry[] {
  return [...Map.groupBy(types, (type) => type.group)].map(([group, members]) => {
    const main = members[0] ? mainGroup(members[0]) : group;
    return entryOf(main, members, { version, subgroup: main === group ? undefined : group });
  });
}

/** Every trigger type. */
export function listTriggers(types: readonly PluginType[]): TriggerEntry[] {
  return types.filter(({ kind }) => kind === "triggers").map(({ cls, name, group, declaration }) => ({
    type: cls,
    name,
    pluginTitle: titleOf(group),
    description: declaration.description,
    group: "core",
    ee: false,
    icon: iconBase64(group),
    deprecated: declaration.deprecated !== undefined,
  }));
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
  { version, subgroup }: { version: string; subgroup?: string },
): PluginEntry {
  const title = titleOf(subgroup ?? group);
  return {
    name: group,
    title,
    description: `Types of the group ${title}.`,
    group: fullName(group),
    ...(subgroup !== undefined && { subGroup: fullName(subgroup) }),
    version,
    license: "OPENSOURCE",
    manifest: {},
    categories: ["CORE"],
    aliases: members.flatMap(({ declaration, cls }) => allNames(declaration).filter((name) => name !== cls)),
    ...NO_ELEMENTS,
    tasks: elements(members, "tasks"),
    triggers: elements(members, "triggers"),
    conditions: elements(members, "conditions"),
  };
}

function elements(members: readonly PluginType[], kind: PluginKind): PluginElement[] {
  return members.filter((member) => member.kind === kind).map(({ cls, name, declaration }) => ({
    cls,
    title: name,
    description: declaration.description,
    deprecated: declaration.deprecated !== undefined,
  }));
}

function titleOf(group: string): string {
  return group.slice(group.lastIndexOf(".") + 1);
}
