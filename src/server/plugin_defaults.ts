/** Checks the plugin defaults of the configuration against the types of the server. */
import { stringifyJson } from "../base/json.ts";
import type { GivenDefaults } from "../config/mod.ts";
import { type Catalogs, checkInheritedDefaults, parseYamlValue } from "../flow/mod.ts";
import { StartRefusal } from "../machine/server_process/start_refusal.ts";
import { type PluginDefault, readPluginDefaults } from "../model/flows/inherited_defaults.ts";

/** The plugin defaults of a configuration. @throws StartRefusal: names the entry and the reason */
export async function serverDefaults(
  given: GivenDefaults | undefined,
  catalogs: () => Catalogs,
): Promise<readonly PluginDefault[]> {
  if (!given) return [];
  const parsed = parseYamlValue(given.text);
  if ("reason" in parsed) throw refusal(given, parsed.reason);
  const read = readPluginDefaults(parsed.value);
  if ("problem" in read) throw refusal(given, read.problem);
  const known = catalogs();
  await known.tasks.load(stringifyJson(parsed.value));
  const [item] = checkInheritedDefaults(read.defaults, known);
  if (item) throw refusal(given, `${item.path}: ${item.message}`);
  return read.defaults;
}

function refusal({ origin }: GivenDefaults, reason: string): StartRefusal {
  return new StartRefusal(`Cannot use the plugin defaults of ${origin}: ${reason}`);
}
