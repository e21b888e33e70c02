/** Types by group, from the list of plugins of the API. */

/** Where a type is used. */
type TypeKind = "task" | "trigger" | "condition";

/** A type in a list. */
export interface TypeInfo {
  readonly cls: string;
  readonly title: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly kind: TypeKind;
}

/** Types of one package. */
export interface PluginGroup {
  readonly name: string;
  readonly types: readonly TypeInfo[];
}

type ListedType = Omit<TypeInfo, "kind">;

/** A plugin in the list; each appears once for each prefix of names. */
interface ListedPlugin {
  /** Packages below that of all plugins; the last of them alone is that of several plugins. */
  readonly name: string;
  readonly tasks?: readonly ListedType[];
  readonly triggers?: readonly ListedType[];
  readonly conditions?: readonly ListedType[];
}

const CANONICAL = "io.svc.";

/** The groups by name, with the types of the canonical prefix. */
export function groupsOf(plugins: readonly ListedPlugin[]): PluginGroup[] {
  return plugins.map(({ name, tasks = [], triggers = [], conditions = [] }) => ({
    name,
    types: [
      ...tasks.map((type) => ({ ...type, kind: "task" as const })),
      ...triggers.map((type) => ({ ...type, kind: "trigger" as const })),
      ...conditions.map((type) => ({ ...type, kind: "condition" as const })),
    ].filter(({ cls }) => cls.startsWith(CANONICAL)),
  })).filter(({ types }) => types.length > 0).sort((a, b) => a.name.localeCompare(b.name));
}

/** The kind of a type, whatever its prefix is; a task if it is not listed. */
export function kindOf(type: string, groups: readonly PluginGroup[]): TypeKind {
  const nameOf = (cls: string) => cls.replace(/^io\.\w+\./, "");
  const wanted = nameOf(type);
  return groups.flatMap(({ types }) => types).find(({ cls }) => nameOf(cls) === wanted)?.kind ?? "task";
}
