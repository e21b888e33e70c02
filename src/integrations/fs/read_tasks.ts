/** The types that list and download files, for each protocol. */
import { mkdir } from "node:fs/promises";
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskDefinition,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { connectionProperties, type Protocol } from "./connection.ts";
import { withRemoteFiles } from "./session.ts";
import {
  fileOutput,
  pathTest,
  SELECTION_PROPERTIES,
  serverPath,
  SORT_PROPERTIES,
  sortedFiles,
} from "./paths.ts";
import { filesBelow, nameOf, pathIn, type RemoteFile, type RemoteFiles } from "./remote_files.ts";

/** What happens to files on the server once they are stored. */
export const ACTION_PROPERTIES: PropertySchemas = Object.freeze({
  action: dynamicChoice(
    ["NONE", "MOVE", "DELETE"],
    "NONE",
    "What happens to the files on the server once they are stored.",
  ),
  moveDirectory: dynamicText("Folder on the server that `MOVE` moves them to."),
  maxFiles: dynamicProperty("integer", "Most files that are taken at once.", {
    default: 25,
    minimum: 1,
    maximum: 10_000,
  }),
});

/** Outputs of the types that store several files. */
export const STORED_OUTPUTS: PropertySchemas = Object.freeze({
  files: {
    type: "list",
    description: "The files, each with `name`, `path` (storage URI), `serverPath`, `size` and `updatedDate`.",
  },
  outputFiles: { type: "map", description: "Storage URIs by name." },
});

/** `List`. */
export function listTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.List`,
    title: `List files of a server of ${protocol.toUpperCase()}`,
    description: `Lists the files of a folder of a server of ${protocol.toUpperCase()}.`,
    properties: { ...connectionProperties(protocol), ...SELECTION_PROPERTIES, ...SORT_PROPERTIES },
    outputs: {
      files: {
        type: "list",
        description: "The files, each with `name`, `path` on the server, `size` and `updatedDate`.",
      },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const found = await selected(files, context);
        return { files: found.map((file) => fileOutput(file)) };
      }),
  });
}

/** `Download`. */
export function downloadTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Download`,
    title: `Download a file from a server of ${protocol.toUpperCase()}`,
    description: `Stores a file of a server of ${protocol.toUpperCase()}.`,
    properties: {
      ...connectionProperties(protocol),
      from: dynamicText("Path of the file on the server.", { required: true }),
    },
    outputs: {
      from: { type: "string", description: "Path of the file on the server." },
      to: { type: "string", description: "Storage URI of the file." },
      uri: { type: "string", description: "The same storage URI." },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const from = serverPath(context.properties.from);
        const uri = await storeRemoteFile(files, context, { path: from, index: 0 });
        return { from, to: uri, uri };
      }),
  });
}

/** `Downloads`. */
export function downloadsTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Downloads`,
    title: `Download files from a server of ${protocol.toUpperCase()}`,
    description:
      `Stores the files of a folder of a server of ${protocol.toUpperCase()}, then moves or deletes them there if that is wanted.`,
    properties: {
      ...connectionProperties(protocol),
      ...SELECTION_PROPERTIES,
      ...SORT_PROPERTIES,
      ...ACTION_PROPERTIES,
      interval: dynamicProperty("duration", "Has no effect: it is a property of triggers.", {
        ignored: true,
      }),
    },
    outputs: STORED_OUTPUTS,
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const maxFiles = Number(context.properties.maxFiles);
        const found = await selected(files, context);
        if (found.length > maxFiles) {
          context.log(
            "WARN",
            `${found.length} files match; the first ${maxFiles} of them are downloaded (maxFiles)`,
          );
        }
        const taken = found.slice(0, maxFiles);
        const finish = actionOf(context);
        const outputs = await storeFiles(files, context, taken);
        for (const file of taken) await finish(files, file);
        return outputs;
      }),
  });
}

/** The files that the properties select, in their order. */
export async function selected(
  files: RemoteFiles,
  { properties }: Pick<WorkContext, "properties">,
): Promise<RemoteFile[]> {
  const found = await filesBelow(files, serverPath(properties.from), {
    recursive: properties.recursive === true,
    matches: pathTest(properties),
  });
  return await sortedFiles(found, properties, files);
}

/** Stores files; returns the outputs. */
export async function storeFiles(
  files: RemoteFiles,
  context: WorkContext,
  found: readonly RemoteFile[],
): Promise<JsonObject> {
  const outputFiles: JsonObject = {};
  const stored: JsonObject[] = [];
  for (const [index, file] of found.entries()) {
    const uri = await storeRemoteFile(files, context, { path: file.path, index });
    setOwnProperty(outputFiles, file.name, uri);
    stored.push(fileOutput(file, uri));
  }
  return { files: stored, outputFiles };
}

/** What the action of the properties does with a file. @throws Error MOVE without a folder */
export function actionOf(
  { properties: { action, moveDirectory } }: Pick<WorkContext, "properties">,
): (files: RemoteFiles, file: RemoteFile) => Promise<void> {
  const folder = serverPath(moveDirectory);
  if (action === "MOVE" && folder === "") throw new Error("Missing moveDirectory: the action is MOVE");
  let isMade = false;
  return async (files, { path, name }) => {
    if (action === "DELETE") await files.delete(path);
    if (action !== "MOVE") return;
    if (!isMade) await files.makeFolder(folder);
    isMade = true;
    await files.move(path, pathIn(folder, name));
  };
}

/** Stores a file; returns its URI. Each gets a local folder of its own, since files of several folders may have the same name. */
export async function storeRemoteFile(
  files: RemoteFiles,
  context: WorkContext,
  { path, index }: { readonly path: string; readonly index: number },
): Promise<string> {
  const folder = `${await context.directory()}/remote-${index}`;
  await mkdir(folder);
  const localPath = `${folder}/${localName(path)}`;
  await files.download(path, localPath, context.maxFileBytes);
  return await context.storeFile(localPath);
}

/** The name comes from the server, and must not lead elsewhere. */
function localName(path: string): string {
  const name = nameOf(path);
  return optionalText(name) === undefined || name === "." || name === ".." ? "file" : name;
}
