/** `core.namespace.UploadFiles`: files of the execution become namespace files. */
import { isJsonObject, type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicChoice, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { checkNotFlows, fileNameOf, normalizeFileName } from "../../model/namespaces/file_path.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { isStorageUri, namespaceFileUri, storedFileName } from "../../model/namespaces/storage_uri.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { findFiles, isFileAddress, openAny, openLocalFile, readMap, readTexts } from "../local_files.ts";
import { choiceOf, requiredTextOf, textOf } from "../property_values.ts";
import { fileGlobs, FILES_NAMESPACE, NAMESPACE_FILE_URIS } from "./file_globs.ts";

const CONFLICTS = ["OVERWRITE", "ERROR", "SKIP"] as const;

/** Output: `files`. */
export const uploadFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.namespace.UploadFiles",
  aliases: [],
  description: "Copies files into the files of a namespace.",
  properties: {
    files: fileGlobs(
      "Globs of files in the working directory and storage URIs, or a map of names to storage URIs.",
      {
        orMap: true,
        orText: true,
      },
    ),
    filesMap: dynamicProperty("map", "Storage URIs of files, by their new names.", {
      orText: true,
      items: { type: "string", description: "Storage URI of a file." },
    }),
    namespace: FILES_NAMESPACE,
    destination: dynamicText("Folder of the new files.", { default: "/" }),
    conflict: dynamicChoice(CONFLICTS, "OVERWRITE", "What happens if a file of that name exists."),
  },
  outputs: { files: NAMESPACE_FILE_URIS },
  async run(properties, context) {
    const namespace = requiredTextOf(properties, "namespace");
    const folder = textOf(properties, "destination") ?? "/";
    const conflict = choiceOf(properties, "conflict", CONFLICTS);
    const existing = new Set(await context.ports.namespaceFiles.list(context, namespace));
    const uploads = (await uploadsOf(properties, context)).map((upload) => {
      const path = normalizeFileName(`${folder}/${upload.name}`);
      checkNotFlows(path);
      if (existing.has(path) && conflict === "ERROR") {
        throw new Error(`Cannot upload "${path}": namespace "${namespace}" has such a file already`);
      }
      return { ...upload, path };
    });
    const files: JsonObject = {};
    for (const { name, path, open } of uploads) {
      if (existing.has(path) && conflict === "SKIP") continue;
      await context.ports.namespaceFiles.write(context, { namespace, path }, await open());
      setOwnProperty(files, name, namespaceFileUri(namespace, path));
    }
    return { state: "SUCCESS", outputs: { files } };
  },
};

/** A file to upload. */
interface Upload {
  readonly name: string;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

async function uploadsOf({ files, filesMap }: JsonObject, context: RunContext): Promise<Upload[]> {
  if ((files ?? filesMap ?? null) === null) {
    throw new Error("Cannot upload files: files or filesMap is required");
  }
  const isMap = isJsonObject(files) || typeof files === "string" && files.trimStart().startsWith("{");
  const stored = [...storedFiles(context, filesMap), ...isMap ? storedFiles(context, files) : []];
  const texts = isMap ? [] : readTexts(files, "Globs of files");
  const globs = texts.filter((text) => !isFileAddress(text));
  const named = texts.filter(isFileAddress).map((uri) =>
    storedFile(context, isStorageUri(uri) ? storedFileName(uri) : fileNameOf(uri), uri)
  );
  return [...stored, ...named, ...globs.length === 0 ? [] : await localFiles(context, globs)];
}

function storedFiles(context: RunContext, files: JsonObject[string] | undefined): Upload[] {
  return Object.entries(readMap(files, "Files to upload"))
    .map(([name, uri]) => storedFile(context, name, String(uri)));
}

function storedFile(context: RunContext, name: string, uri: string): Upload {
  return { name, open: async () => (await openAny(context, uri)).content };
}

async function localFiles(context: RunContext, globs: readonly string[]): Promise<Upload[]> {
  const directory = context.workingDirectory;
  if (directory === undefined) {
    throw new Error(
      "Cannot find files by globs outside of a core.flow.WorkingDirectory; give a map of storage URIs",
    );
  }
  await context.ports.workingDirectories.whenFree(directory);
  const names = await findFiles(directory, compileGlobs(globs));
  return names.map((name) => ({ name, open: () => openLocalFile(directory, name) }));
}
