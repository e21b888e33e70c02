/** `core.namespace.DeleteFiles`: deletes namespace files. */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicFlag } from "../../model/flows/schema.ts";
import { namespaceFileUri } from "../../model/namespaces/storage_uri.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, requiredTextOf } from "../property_values.ts";
import { fileGlobs, FILES_NAMESPACE, matchingFiles, NAMESPACE_FILE_URIS } from "./file_globs.ts";

/** Output: `files`. */
export const deleteFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.namespace.DeleteFiles",
  aliases: [],
  description: "Deletes files of a namespace.",
  properties: {
    files: fileGlobs("Glob of the files, or a list of globs.", { required: true }),
    namespace: FILES_NAMESPACE,
    deleteParentFolder: dynamicFlag(false, "Whether folders that become empty are deleted too."),
  },
  outputs: { files: NAMESPACE_FILE_URIS },
  async run(properties, context) {
    const namespace = requiredTextOf(properties, "namespace");
    const withEmptyFolders = flagOf(properties, "deleteParentFolder", false);
    const files: JsonObject = {};
    for (const path of await matchingFiles(context, namespace, properties.files)) {
      await context.ports.namespaceFiles.delete(context, { namespace, path, withEmptyFolders });
      setOwnProperty(files, path, namespaceFileUri(namespace, path));
    }
    context.metric({ name: "deleted", type: "counter", value: Object.keys(files).length });
    return { state: "SUCCESS", outputs: { files } };
  },
};
