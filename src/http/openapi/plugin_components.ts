/** Schemas of types that the server offers: plugins, their documentation and icons, and templates of flows. */
import { FLAG, INSTANT, listOf, MAP, mapOf, objectOf, oneOf, ref, type Schema, TEXT } from "./schema.ts";

const ELEMENTS = listOf(ref("PluginElement"));

const BLUEPRINT = {
  id: TEXT,
  title: TEXT,
  description: TEXT,
  includedTasks: listOf(TEXT),
  tags: listOf(TEXT),
  publishedAt: INSTANT,
};

/** By the name that `$ref` uses. */
export const PLUGIN_COMPONENTS: Readonly<Record<string, Schema>> = {
  Plugin: objectOf({
    name: TEXT,
    title: TEXT,
    "description?": TEXT,
    group: TEXT,
    "subGroup?": TEXT,
    version: TEXT,
    manifest: mapOf(TEXT),
    categories: listOf(TEXT),
    aliases: listOf(TEXT),
    tasks: ELEMENTS,
    triggers: ELEMENTS,
    conditions: ELEMENTS,
  }),
  PluginElement: withType({ title: TEXT, description: TEXT, deprecated: FLAG }),
  PluginDocumentation: objectOf({ markdown: TEXT, schema: ref("TypeSchema") }),
  TypeSchema: objectOf({ properties: MAP, outputs: MAP, definitions: MAP }),
  PluginVersions: objectOf({ type: TEXT, versions: listOf(TEXT) }),
  PluginIcon: objectOf({ name: TEXT, icon: TEXT, flowable: FLAG }),
  TriggerType: objectOf({
    type: TEXT,
    name: TEXT,
    pluginTitle: TEXT,
    description: TEXT,
    group: TEXT,
    ee: FLAG,
    icon: TEXT,
    deprecated: FLAG,
  }),
  InputType: withType({ type: TEXT }),
  InputTypeDocumentation: withType({ type: TEXT, markdown: TEXT, schema: ref("TypeSchema") }),
  BlueprintItem: objectOf(BLUEPRINT),
  Blueprint: objectOf({
    ...BLUEPRINT,
    kind: oneOf(["FLOW", "DASHBOARD", "APP"]),
    source: TEXT,
    "flow?": TEXT,
  }),
  BlueprintTag: objectOf({ id: TEXT, name: TEXT, publishedAt: INSTANT }),
};

/** An object with the full name of a type in `cls`. It is a further member: a declared one makes a generator write invalid Python. */
function withType(members: Readonly<Record<string, Schema>>): Schema {
  return { ...objectOf(members), description: "`cls` is the type in full", additionalProperties: TEXT };
}
