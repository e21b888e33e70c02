/** What flows inherit: variables and plugin defaults of their namespace and of those above it, and plugin defaults of the server. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";

/** Default properties of a type, or of all types whose names begin so. */
export type PluginDefault = {
  readonly type: string;
  /** Overrides the properties that a flow declares. */
  readonly forced: boolean;
  readonly values: JsonObject;
};

/** What one flow inherits. */
export interface InheritedDefaults {
  /** Another number whenever the rest changes; 0 if nothing is inherited. */
  readonly version: number;
  /** Maps are merged, of other values the nearest wins. */
  readonly variables: JsonObject;
  /** The nearest first: the first that sets a property wins. */
  readonly pluginDefaults: readonly PluginDefault[];
}

/** Of a flow that inherits nothing. */
export const NO_DEFAULTS: InheritedDefaults = Object.freeze({
  version: 0,
  variables: Object.freeze({}),
  pluginDefaults: Object.freeze([]),
});

/** Plugin defaults of a declaration, or the reason why it cannot be read. */
type PluginDefaultsReading =
  | { readonly defaults: PluginDefault[] }
  | { readonly problem: string };

/** Reads a list of `{type, forced?, values}`; `name` stands in the reason. */
export function readPluginDefaults(
  value: JsonValue | undefined,
  name = "pluginDefaults",
): PluginDefaultsReading {
  if (value === undefined || value === null) return { defaults: [] };
  if (!Array.isArray(value)) return { problem: `${name}: must be a list of {type, values}` };
  const defaults: PluginDefault[] = [];
  for (const [index, entry] of value.entries()) {
    const read = readPluginDefault(entry, `${name}[${index}]`);
    if ("problem" in read) return read;
    defaults.push(read);
  }
  return { defaults };
}

function readPluginDefault(entry: JsonValue, path: string): PluginDefault | { readonly problem: string } {
  if (!isJsonObject(entry)) return { problem: `${path}: must be an object of the form {type, values}` };
  const unknown = Object.keys(entry).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) {
    return { problem: `${path}: has no member ${JSON.stringify(unknown.slice(0, 100))}; those are ${NAMES}` };
  }
  const type = ownProperty(entry, "type");
  const forced = ownProperty(entry, "forced") ?? false;
  const values = ownProperty(entry, "values") ?? {};
  if (typeof type !== "string" || type === "") return { problem: `${path}.type: must be the name of a type` };
  if (typeof forced !== "boolean") return { problem: `${path}.forced: must be true or false` };
  if (!isJsonObject(values)) return { problem: `${path}.values: must be an object of properties` };
  return { type, forced, values };
}

const MEMBERS: ReadonlySet<string> = new Set(["type", "forced", "values", "namespace"]);
const NAMES = '"type", "forced" and "values"';
