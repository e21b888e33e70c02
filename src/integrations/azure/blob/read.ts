/** `azure.storage.blob.List`, `Download`, `Downloads` and `Trigger`. */
import { isJsonObject, type JsonObject, objectsOf, setOwnProperty } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineWork } from "../../../model/tasks/machine_task.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import { defineMachineTrigger } from "../../../model/triggers/machine_trigger.ts";
import { type FileSource, pollFiles, takeFiles } from "../../arrived_files.ts";
import { ACTION, MAX_FILES, OUTPUT_FILES } from "../../remote_files.ts";
import { CONNECTION, StorageClient } from "../storage_client.ts";
import {
  BLOB_OUTPUT,
  type BlobAddress,
  BLOBS_OUTPUT,
  CONTAINER,
  copyBlob,
  deleteBlob,
  downloadBlob,
  listBlobs,
  LISTING,
  NAME,
} from "./blobs.ts";

/** Output: `blobs`. */
export const blobList = defineTask({
  type: "azure.storage.blob.List",
  title: "List files of Azure Blob Storage",
  description: "Lists the blobs of a container of Azure Blob Storage.",
  properties: { ...CONNECTION, ...LISTING, maxFiles: MAX_FILES },
  outputs: BLOBS_OUTPUT,
  metrics: { size: { type: "counter", description: "Number of blobs." } },
  examples: [{
    title: "List a folder",
    yaml: `id: list
type: io.svc.plugin.azure.storage.blob.List
connectionString: "{{ secret('AZURE_CONNECTION') }}"
container: data
prefix: reports/`,
  }],
  async run(context) {
    const { filter, maxFiles } = context.properties;
    const blobs = await listBlobs(new StorageClient(context), context.properties, {
      filter: String(filter),
      maxCount: Number(maxFiles),
    });
    context.metric("size", blobs.length);
    return { blobs };
  },
});

/** Output: `blob`. */
export const blobDownload = defineTask({
  type: "azure.storage.blob.Download",
  title: "Download a file from Azure Blob Storage",
  description: "Downloads a blob of Azure Blob Storage; `blob.uri` is the storage URI of the file.",
  properties: {
    ...CONNECTION,
    container: CONTAINER,
    name: NAME,
    ...Object.fromEntries(
      ["validateChecksum", "failOnMissingChecksum", "expectedChecksum", "checksumAlgorithm"].map((name) => [
        name,
        dynamicProperty("any", "Has no effect: the length of the content is verified.", { ignored: true }),
      ]),
    ),
  },
  outputs: BLOB_OUTPUT,
  metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
  examples: [{
    title: "Download a blob",
    yaml: `id: download
type: io.svc.plugin.azure.storage.blob.Download
connectionString: "{{ secret('AZURE_CONNECTION') }}"
container: data
name: reports/2026.csv`,
  }],
  async run(context) {
    const { container, name } = context.properties;
    const address = { container: String(container), name: String(name) };
    const blob = await downloadBlob(context, new StorageClient(context), { ...address, index: 1 });
    context.metric("file.size", Number(blob.size));
    return { blob };
  },
});

const FOUND_FILES: PropertySchemas = Object.freeze({
  ...CONNECTION,
  ...LISTING,
  action: ACTION,
  moveTo: dynamicProperty("object", "Where blobs are moved to.", {
    properties: {
      container: dynamicText("Container; default is the same one."),
      name: dynamicText("Folder in the container."),
    },
  }),
  maxFiles: MAX_FILES,
});

/** Outputs: `blobs` and `outputFiles`. */
export const blobDownloads = defineMachineTask({
  type: "azure.storage.blob.Downloads",
  title: "Download files from Azure Blob Storage",
  description: "Downloads the blobs of a container of Azure Blob Storage, and moves or deletes them.",
  properties: {
    ...FOUND_FILES,
    validateChecksum: dynamicFlag(false, "Has no effect.", { ignored: true }),
    failOnMissingChecksum: dynamicFlag(false, "Has no effect.", { ignored: true }),
  },
  outputs: { ...BLOBS_OUTPUT, outputFiles: OUTPUT_FILES },
  async run(context) {
    const { blobs = null } = await takeFiles(context, foundBlobs(context));
    const outputFiles: JsonObject = {};
    for (const { name, uri = null } of objectsOf(blobs)) setOwnProperty(outputFiles, String(name), uri);
    return { blobs, outputFiles };
  },
});

/** Output: `blobs`. */
export const blobTrigger = defineMachineTrigger({
  type: "azure.storage.blob.Trigger",
  title: "Start when files arrive in Azure Blob Storage",
  description:
    "Looks for blobs in a container of Azure Blob Storage. It downloads what it finds and starts one execution " +
    "for all of it, then moves or deletes it.",
  properties: {
    ...FOUND_FILES,
    ...Object.fromEntries(["on", "stateKey", "stateTtl"].map((name) => [
      name,
      dynamicProperty("any", "Has no effect: blobs that stay are found again.", { ignored: true }),
    ])),
  },
  outputs: BLOBS_OUTPUT,
  poll: async (context) => await pollFiles(context, foundBlobs(context)),
});

/** The blobs that the properties select. @throws Error MOVE without a target */
function foundBlobs(context: MachineWork): FileSource<JsonObject> {
  const { properties } = context;
  const { action } = properties;
  const moveTo = isJsonObject(properties.moveTo) ? properties.moveTo : undefined;
  if (action === "MOVE" && !moveTo) throw new Error("Missing moveTo: the action MOVE needs it");
  const client = new StorageClient(context);
  const container = String(properties.container);
  return {
    list: async (maxCount) => {
      const found = await listBlobs(client, properties, { filter: "FILES", maxCount });
      if (moveTo) { for (const { name } of found) targetOf({ container, name: String(name) }, moveTo); }
      return found;
    },
    identify: ({ name, eTag, lastModified }) => [String(name), `${eTag} ${lastModified}`],
    store: async (found) => {
      const blobs: JsonObject[] = [];
      for (const [index, blob] of found.entries()) {
        const address = { container, name: String(blob.name), index };
        const { uri = null } = await downloadBlob(context, client, address);
        blobs.push({ ...blob, uri });
      }
      return { blobs };
    },
    finishing: (work) =>
      work(async ({ name }) => {
        const from = { container, name: String(name) };
        if (action === "MOVE" && moveTo) {
          await copyBlob(context, client, { from, to: targetOf(from, moveTo) });
        }
        await deleteBlob(client, from);
      }),
  };
}

/** @throws Error the blob is there already: its deletion would delete the copy */
function targetOf(from: BlobAddress, moveTo: JsonObject): BlobAddress {
  const folder = optionalText(moveTo.name)?.replace(/(?<!\/)\/+$/, "");
  const base = from.name.slice(from.name.lastIndexOf("/") + 1);
  const to = {
    container: optionalText(moveTo.container) ?? from.container,
    name: folder === undefined ? base : `${folder}/${base}`,
  };
  if (to.container === from.container && to.name === from.name) {
    throw new Error(`Invalid moveTo: "${from.name}" is there already`);
  }
  return to;
}
