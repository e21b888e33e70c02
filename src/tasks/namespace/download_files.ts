/** `core.namespace.DownloadFiles`: namespace files become files of the execution. */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { fileNameOf } from "../../model/namespaces/file_path.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { requiredTextOf, textOf } from "../property_values.ts";
import { fileGlobs, FILES_NAMESPACE, matchingFiles, NAMESPACE_FILE_URIS } from "./file_globs.ts";

/** Output: `files`. */
export const downloadFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.namespace.DownloadFiles",
  aliases: [],
  description: "Copies files of a namespace into the files of the execution.",
  properties: {
    files: fileGlobs("Glob of the files, or a list of globs.", { required: true }),
    namespace: FILES_NAMESPACE,
    destination: dynamicText("Prefix of the names of the copies.", { default: "" }),
  },
  outputs: { files: NAMESPACE_FILE_URIS },
  async run(properties, context) {
    const namespace = requiredTextOf(properties, "namespace");
    const prefix = textOf(properties, "destination")?.replace(/^\/+/, "") ?? "";
    const { namespaceFiles, storage } = context.ports;
    const files: JsonObject = {};
    for (const path of await matchingFiles(context, namespace, properties.files)) {
      const file = await namespaceFiles.open(context, namespace, path);
      if (!file) continue; // Deleted since it was listed.
      const { uri } = await storage.write(context, prefix + fileNameOf(path), file.content);
      setOwnProperty(files, `/${path}`, uri);
    }
    context.metric({ name: "downloaded", type: "counter", value: Object.keys(files).length });
    return { state: "SUCCESS", outputs: { files } };
  },
};
