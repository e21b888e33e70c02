/** `azure.storage.adls.…`: files of Azure Data Lake Storage. */
import { isJsonObject, type JsonObject, setOwnProperty } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../../model/triggers/trigger_definition.ts";
import { type FileSource, pollFiles } from "../../arrived_files.ts";
import { ACTION, MAX_FILES, OUTPUT_FILES } from "../../remote_files.ts";
import { StorageClient } from "../storage_client.ts";
import {
  addressOf,
  deletePath,
  FILE_OUTPUT,
  FILE_PATH,
  FILE_SYSTEM,
  FILES_OUTPUT,
  FOLDER,
  listPaths,
  movePath,
  type PathAddress,
  pathBy,
  readFile,
  writeFile,
} from "./paths.ts";

const EXAMPLE = `connectionString: "{{ secret('AZURE_CONNECTION') }}"\nfileSystem: data`;

/** Output: `file`. */
export const adlsUpload = defineTask({
  type: "azure.storage.adls.Upload",
  title: "Upload a file to Azure Data Lake Storage",
  description: "Writes a file of at most 4 GB to a file system of Azure Data Lake Storage.",
  properties: {
    ...FILE_SYSTEM,
    from: dynamicText("Storage URI of the file.", { required: true }),
    filePath: { ...FILE_PATH, required: false },
    fileName: dynamicText("As `filePath`.", { deprecated: "use filePath" }),
  },
  outputs: FILE_OUTPUT,
  metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
  examples: [{
    title: "Upload the file of another task",
    yaml:
      `id: upload\ntype: io.svc.plugin.azure.storage.adls.Upload\n${EXAMPLE}\nfrom: "{{ outputs.extract.uri }}"\nfilePath: reports/2026.csv`,
  }],
  async run(context) {
    const { properties } = context;
    const path = optionalText(properties.filePath) ?? optionalText(properties.fileName);
    if (path === undefined) throw new Error("Missing filePath: it names the file that is written");
    const client = new StorageClient(context, "dfs"), address = addressOf(properties, path);
    await writeFile(client, address, await context.bodyOf(String(properties.from).trim()));
    const file = await pathBy(client, address);
    context.metric("file.size", Number(file.size));
    return { file };
  },
});

/** Output: `file`. */
export const adlsRead = defineTask({
  type: "azure.storage.adls.Read",
  title: "Read a file of Azure Data Lake Storage",
  description: "Copies a file of Azure Data Lake Storage; `file.uri` is the storage URI of the copy.",
  properties: { ...FILE_SYSTEM, filePath: FILE_PATH },
  outputs: FILE_OUTPUT,
  metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
  examples: [{
    title: "Read a file",
    yaml: `id: read\ntype: io.svc.plugin.azure.storage.adls.Read\n${EXAMPLE}\nfilePath: reports/2026.csv`,
  }],
  async run(context) {
    const address = addressOf(context.properties, context.properties.filePath);
    const file = await readFile(context, new StorageClient(context, "dfs"), { ...address, index: 1 });
    context.metric("file.size", Number(file.size));
    return { file };
  },
});

/** Output: `files`. */
export const adlsList = defineTask({
  type: "azure.storage.adls.List",
  title: "List a folder of Azure Data Lake Storage",
  description:
    "Lists the files and folders of a folder of Azure Data Lake Storage, not those of deeper ones.",
  properties: { ...FILE_SYSTEM, directoryPath: FOLDER, maxFiles: MAX_FILES },
  outputs: FILES_OUTPUT,
  examples: [{
    title: "List a folder",
    yaml: `id: list\ntype: io.svc.plugin.azure.storage.adls.List\n${EXAMPLE}\ndirectoryPath: reports`,
  }],
  async run(context) {
    const { properties } = context;
    const files = await foundPaths(new StorageClient(context, "dfs"), properties, { hasFolders: true });
    return { files: files.slice(0, Number(properties.maxFiles)) };
  },
});

/** Outputs: `files` and `outputFiles`. */
export const adlsReads = defineTask({
  type: "azure.storage.adls.Reads",
  title: "Read the files of a folder of Azure Data Lake Storage",
  description: "Copies the files of a folder of Azure Data Lake Storage to the storage of the server.",
  properties: { ...FILE_SYSTEM, directoryPath: FOLDER, maxFiles: MAX_FILES },
  outputs: { ...FILES_OUTPUT, outputFiles: OUTPUT_FILES },
  async run(context) {
    const { properties } = context;
    const client = new StorageClient(context, "dfs");
    const found = (await foundPaths(client, properties)).slice(0, Number(properties.maxFiles));
    const files = await readAll(context, client, found), outputFiles: JsonObject = {};
    for (const { name, uri = null } of files) setOwnProperty(outputFiles, String(name), uri);
    return { files, outputFiles };
  },
});

/** Output: `file`. */
export const adlsDelete = defineTask({
  type: "azure.storage.adls.Delete",
  title: "Delete a file of Azure Data Lake Storage",
  description: "Deletes a file of Azure Data Lake Storage. A file that does not exist is an error.",
  properties: { ...FILE_SYSTEM, filePath: FILE_PATH },
  outputs: FILE_OUTPUT,
  async run(context) {
    const client = new StorageClient(context, "dfs");
    const address = addressOf(context.properties, context.properties.filePath);
    const file = await pathBy(client, address);
    await deletePath(client, address);
    return { file };
  },
});

/** Outputs: `count` and `size`. */
export const adlsDeleteFiles = defineTask({
  type: "azure.storage.adls.DeleteFiles",
  title: "Delete the files of a folder of Azure Data Lake Storage",
  description: "Deletes the files of a folder of Azure Data Lake Storage; deeper folders stay.",
  properties: {
    ...FILE_SYSTEM,
    directoryPath: FOLDER,
    errorOnEmpty: dynamicFlag(false, "Whether a folder without files is a failure."),
    concurrent: dynamicProperty("integer", "Has no effect: files are deleted one after the other.", {
      ignored: true,
    }),
  },
  outputs: {
    count: { type: "integer", description: "Number of deleted files." },
    size: { type: "integer", description: "Bytes of the deleted files." },
  },
  metrics: {
    "files.count": { type: "counter", description: "Number of deleted files." },
    "files.size": { type: "counter", description: "Bytes of the deleted files." },
  },
  async run(context) {
    const { properties } = context;
    const client = new StorageClient(context, "dfs");
    const files = await foundPaths(client, properties);
    if (files.length === 0 && properties.errorOnEmpty === true) {
      throw new Error(`Cannot delete the files of the folder "${properties.directoryPath}": there are none`);
    }
    for (const { name } of files) await deletePath(client, addressOf(properties, name));
    const size = files.reduce((sum, file) => sum + Number(file.size), 0);
    context.metric("files.count", files.length);
    context.metric("files.size", size);
    return { count: files.length, size };
  },
});

/** Most entries of a folder. */
const MAX_PATHS = 100_000;

async function foundPaths(
  client: StorageClient,
  properties: JsonObject,
  { hasFolders = false, maxCount = MAX_PATHS } = {},
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const entry of listPaths(client, addressOf(properties, properties.directoryPath))) {
    if (found.length === maxCount) break;
    if (hasFolders || entry.isDirectory !== true) found.push(entry);
  }
  return found;
}

async function readAll(
  context: WorkContext,
  client: StorageClient,
  found: readonly JsonObject[],
): Promise<JsonObject[]> {
  const files: JsonObject[] = [];
  for (const [index, { name }] of found.entries()) {
    files.push(await readFile(context, client, { ...addressOf(context.properties, name), index }));
  }
  return files;
}

const WATCHED: PropertySchemas = Object.freeze({
  ...FILE_SYSTEM,
  directoryPath: FOLDER,
  action: { ...ACTION, required: false, default: "NONE" },
  moveTo: dynamicProperty("object", "Where files are moved to.", {
    properties: {
      fileSystem: dynamicText("File system; default is the same one."),
      directoryPath: dynamicText("Folder in the file system.", { required: true }),
    },
  }),
  maxFiles: MAX_FILES,
});

/** Output: `files`. */
export const adlsTrigger = defineTrigger({
  type: "azure.storage.adls.Trigger",
  title: "Start when files arrive in Azure Data Lake Storage",
  description:
    "Looks for files in a folder of Azure Data Lake Storage. It copies what it finds and starts one execution for all " +
    "of it, then moves or deletes it.",
  properties: {
    ...WATCHED,
    ...Object.fromEntries(["on", "stateKey", "stateTtl"].map((name) => [
      name,
      dynamicProperty("any", "Has no effect: files that stay are found again.", { ignored: true }),
    ])),
  },
  outputs: FILES_OUTPUT,
  poll: async (context) => await pollFiles(context, watchedFiles(context)),
});

/** @throws Error MOVE without a target, or within the same folder */
function watchedFiles(context: WorkContext): FileSource<JsonObject> {
  const { properties } = context, { action } = properties;
  const moveTo = isJsonObject(properties.moveTo) ? properties.moveTo : undefined;
  if (action === "MOVE" && !moveTo) throw new Error("Missing moveTo: the action MOVE needs it");
  const client = new StorageClient(context, "dfs");
  const folder = addressOf(properties, properties.directoryPath);
  const target = moveTo && addressOf({ fileSystem: folder.fileSystem, ...moveTo }, moveTo.directoryPath);
  if (target && target.fileSystem === folder.fileSystem && target.path === folder.path) {
    throw new Error(`Invalid moveTo: "${folder.path}" is the folder that is watched`);
  }
  return {
    list: async (maxCount) => await foundPaths(client, properties, { maxCount }),
    identify: ({ name, eTag, lastModified }) => [String(name), `${eTag} ${lastModified}`],
    store: async (found) => ({ files: await readAll(context, client, found) }),
    finishing: (work) =>
      work(async ({ name, fileName }) => {
        const from = addressOf(properties, name);
        if (action === "MOVE" && target) await movePath(client, from, within(target, String(fileName)));
        else await deletePath(client, from);
      }),
  };
}

function within({ fileSystem, path }: PathAddress, fileName: string): PathAddress {
  return { fileSystem, path: path === "" ? fileName : `${path}/${fileName}` };
}
