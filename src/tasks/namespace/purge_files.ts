/** `core.namespace.PurgeFiles`: deletes versions of namespace files. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { compilePurgeGlob } from "../../model/namespaces/glob.ts";
import { mapOf, oneOf, textOf } from "../property_values.ts";
import {
  PURGED_NAMESPACES,
  purgedNamespaces,
  VERSION_BEHAVIOR,
  versionPurgeOf,
} from "../purge_properties.ts";

const WHAT = "files";
const BEHAVIORS = ["version"] as const;
/** By default a file keeps only its last version. */
const KEEP_LAST: JsonObject = Object.freeze({ keepAmount: 1 });

const BEHAVIOR: PropertySchemas = Object.freeze({
  type: {
    type: "string",
    required: true,
    values: BEHAVIORS,
    description: "What is deleted: versions of files.",
  },
  ...VERSION_BEHAVIOR,
});

/** Output: `size`. */
export const purgeFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.namespace.PurgeFiles",
  aliases: [],
  description:
    "Deletes versions of namespace files, by default all but the last one of each file. With `keepAmount: 0`, or with " +
    "a `behavior` without `keepAmount` and `before`, the files themselves are deleted.",
  properties: {
    ...PURGED_NAMESPACES,
    filePattern: dynamicText("Glob of the paths; `*` and `?` match slashes, too. Default is all."),
    behavior: dynamicProperty("object", "Which versions are deleted; default is all but the last one.", {
      properties: BEHAVIOR,
    }),
  },
  outputs: { size: { type: "integer", description: "Number of versions deleted." } },
  async run(properties, context) {
    const namespaces = purgedNamespaces(properties, WHAT);
    const behavior = mapOf(properties, "behavior") ?? KEEP_LAST;
    const type = textOf(behavior, "type");
    if (type !== undefined) oneOf(BEHAVIORS, type, "type");
    const pattern = textOf(properties, "filePattern") || undefined;
    const size = await context.ports.namespaceFiles.purge(context, {
      namespaces,
      paths: pattern === undefined ? () => true : compilePurgeGlob(pattern),
      isPurged: versionPurgeOf(behavior, WHAT),
    });
    return { state: "SUCCESS", outputs: { size } };
  },
};
