/** Variables and plugin defaults of namespaces of a source: flows are checked with them, and they are imported. */
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readPluginDefaults } from "../../model/flows/inherited_defaults.ts";
import { NamespaceDefaults } from "../../services/flows/namespace_defaults.ts";
import type { NamespaceSettings, SourceContents } from "./migration_source.ts";

const INHERITED = ["variables", "pluginDefaults"];

/** The settings in the body of a namespace; `undefined` if its flows inherit nothing from it. */
export function settingsOf(namespace: JsonValue | undefined): NamespaceSettings | undefined {
  if (!isJsonObject(namespace)) return undefined;
  const settings: JsonObject = {};
  for (const name of ["description", ...INHERITED]) {
    const value = ownProperty(namespace, name) ?? null;
    if (value !== null && !(typeof value === "object" && Object.keys(value).length === 0)) {
      settings[name] = value;
    }
  }
  return INHERITED.some((name) => Object.hasOwn(settings, name)) ? settings : undefined;
}

/** True if flows inherit the same. */
export function isSameInheritance(a: NamespaceSettings, b: NamespaceSettings): boolean {
  return jsonEquals(a.variables, b.variables) &&
    jsonEquals(defaultsOf(a) ?? a.pluginDefaults, defaultsOf(b) ?? b.pluginDefaults);
}

/** What flows inherit from the namespaces of a source. */
export async function inheritedDefaults(contents: SourceContents | undefined): Promise<NamespaceDefaults> {
  const defaults = new NamespaceDefaults({ records: { list: () => Promise.resolve([]) } });
  for (const id of await contents?.namespaces() ?? []) {
    const settings = await contents?.settings(id);
    if (settings) defaults.put(TENANT, { id, pluginDefaults: defaultsOf(settings), isDeleted: false });
  }
  return defaults;
}

/** The only tenant of {@link inheritedDefaults}. */
export const TENANT = "source";

function defaultsOf({ pluginDefaults }: NamespaceSettings) {
  const read = readPluginDefaults(pluginDefaults);
  return "defaults" in read ? read.defaults : undefined;
}
