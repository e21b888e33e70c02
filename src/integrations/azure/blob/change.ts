/** `azure.storage.blob.Upload`, `Copy`, `Delete` and `DeleteList`. */
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { defineTask, optionalText, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, StorageClient } from "../storage_client.ts";
import {
  BLOB_OUTPUT,
  type BlobAddress,
  blobBy,
  BLOBS_OUTPUT,
  CONTAINER,
  copyBlob,
  deleteBlob,
  listBlobs,
  LISTING,
  NAME,
} from "./blobs.ts";

/** Outputs: `blob` and `blobs`. */
export const blobUpload = defineTask({
  type: "azure.storage.blob.Upload",
  title: "Upload files to Azure Blob Storage",
  description: "Uploads a file, or several, of at most 5 GB each to a container of Azure Blob Storage.",
  properties: {
    ...CONNECTION,
    container: CONTAINER,
    from: dynamicProperty("any", "Storage URI of the file, or a list of URIs.", { required: true }),
    name: { ...NAME, description: "Name of the blob; of several files the folder." },
    metadata: dynamicProperty("map", "Metadata of the blob."),
    tags: dynamicProperty("map", "Tags of the blob."),
    accessTier: dynamicText("Access tier, such as `Cool`."),
    legalHold: dynamicProperty("boolean", "Whether the blob is put under a legal hold."),
    immutabilityPolicy: dynamicProperty("map", "Not supported: a policy of immutability.", { planned: true }),
    validateChecksum: dynamicFlag(false, "Has no effect.", { ignored: true }),
  },
  outputs: {
    blob: { type: "map", description: "The blob, for a single file." },
    ...BLOBS_OUTPUT,
  },
  metrics: { "file.size": { type: "counter", description: "Bytes of the files." } },
  examples: [{
    title: "Upload the file of another task",
    yaml: `id: upload
type: io.svc.plugin.azure.storage.blob.Upload
connectionString: "{{ secret('AZURE_CONNECTION') }}"
container: data
from: "{{ outputs.extract.uri }}"
name: reports/2026.csv`,
  }],
  async run(context) {
    const { container, from, name } = context.properties;
    const client = new StorageClient(context);
    const uris = urisOf(from);
    const isSingle = uris.length === 1;
    const blobs: JsonObject[] = [];
    for (const uri of uris) {
      const folder = String(name).replace(/(?<!\/)\/+$/, "");
      const target = isSingle ? String(name) : `${folder}/${uri.slice(uri.lastIndexOf("/") + 1)}`;
      blobs.push(await uploadBlob(context, client, { uri, container: String(container), name: target }));
    }
    context.metric("file.size", blobs.reduce((sum, { size }) => sum + Number(size), 0));
    return { ...isSingle ? { blob: blobs[0] ?? null } : {}, blobs };
  },
});

/** @throws Error there are none, or a value is no text */
function urisOf(from: JsonValue | undefined): string[] {
  const value = typeof from === "string" ? tryParseJson(from) ?? from : from;
  const uris = isJsonObject(value) ? Object.values(value) : Array.isArray(value) ? value : [value ?? null];
  if (uris.length === 0) throw new Error("Invalid from: there are no files");
  return uris.map((uri) => {
    if (typeof uri === "string") return uri.trim();
    throw new Error("Invalid from: it must be a storage URI, or a list of them");
  });
}

async function uploadBlob(
  context: TaskContext,
  client: StorageClient,
  { uri, ...address }: BlobAddress & { readonly uri: string },
): Promise<JsonObject> {
  await client.send({
    ...address,
    method: "PUT",
    body: await context.bodyOf(uri),
    headers: uploadHeaders(context.properties),
    operation: `upload "${address.name}" to the container "${address.container}"`,
  });
  return await blobBy(client, address);
}

function uploadHeaders({ metadata, tags, accessTier, legalHold }: JsonObject): Record<string, string> {
  const tier = optionalText(accessTier);
  const named = Object.entries(isJsonObject(tags) ? tags : {}).map(([name, value]) => [name, String(value)]);
  const meta = Object.entries(isJsonObject(metadata) ? metadata : {}).map(([name, value]) => [
    `x-ms-meta-${name}`,
    String(value),
  ]);
  return {
    "x-ms-blob-type": "BlockBlob",
    ...tier === undefined ? {} : { "x-ms-access-tier": tier },
    ...legalHold === true ? { "x-ms-legal-hold": "true" } : {},
    ...named.length === 0 ? {} : { "x-ms-tags": new URLSearchParams(named).toString() },
    ...Object.fromEntries(meta),
  };
}

/** Output: `blob`. */
export const blobDelete = defineTask({
  type: "azure.storage.blob.Delete",
  title: "Delete a file of Azure Blob Storage",
  description: "Deletes a blob of Azure Blob Storage. A blob that does not exist is an error.",
  properties: { ...CONNECTION, container: CONTAINER, name: NAME },
  outputs: BLOB_OUTPUT,
  async run(context) {
    const { container, name } = context.properties;
    const address = { container: String(container), name: String(name) };
    const client = new StorageClient(context);
    const blob = await blobBy(client, address);
    await deleteBlob(client, address);
    return { blob };
  },
});

/** Outputs: `count` and `size`. */
export const blobDeleteList = defineTask({
  type: "azure.storage.blob.DeleteList",
  title: "Delete files of Azure Blob Storage",
  description: "Deletes the blobs of a container of Azure Blob Storage that are listed.",
  properties: {
    ...CONNECTION,
    ...LISTING,
    errorOnEmpty: dynamicFlag(false, "Whether a listing without blobs is a failure."),
    concurrent: dynamicProperty("integer", "Has no effect: blobs are deleted one after the other.", {
      ignored: true,
    }),
  },
  outputs: {
    count: { type: "integer", description: "Number of deleted blobs." },
    size: { type: "integer", description: "Bytes of the deleted blobs." },
  },
  async run(context) {
    const { properties } = context;
    const container = String(properties.container);
    const client = new StorageClient(context);
    const blobs = await listBlobs(client, properties, { filter: "FILES" });
    if (blobs.length === 0 && properties.errorOnEmpty === true) {
      throw new Error(`Cannot delete blobs of the container "${container}": there are none`);
    }
    for (const { name } of blobs) await deleteBlob(client, { container, name: String(name) });
    return { count: blobs.length, size: blobs.reduce((sum, { size }) => sum + Number(size), 0) };
  },
});

const ADDRESS = { container: CONTAINER, name: NAME };

/** Output: `blob`. */
export const blobCopy = defineMachineTask({
  type: "azure.storage.blob.Copy",
  title: "Copy a file within Azure Blob Storage",
  description: "Copies a blob to another one of the same account, and deletes the first one with `delete`.",
  properties: {
    ...CONNECTION,
    from: dynamicProperty("object", "The blob to copy.", { required: true, properties: ADDRESS }),
    to: dynamicProperty("object", "The new blob; container and name default to those of the first.", {
      required: true,
      properties: {
        container: { ...CONTAINER, required: false },
        name: { ...NAME, required: false },
      },
    }),
    delete: dynamicFlag(false, "Whether the first blob is deleted afterwards."),
  },
  outputs: BLOB_OUTPUT,
  examples: [{
    title: "Copy a blob",
    yaml: `id: copy
type: io.svc.plugin.azure.storage.blob.Copy
connectionString: "{{ secret('AZURE_CONNECTION') }}"
from:
  container: data
  name: report.csv
to:
  container: archive
  name: 2026/report.csv`,
  }],
  async run(context) {
    const { from: source, to: target, delete: isMove } = context.properties;
    const from = addressOf(source), to = addressOf(target, from);
    if (from.container === to.container && from.name === to.name) {
      throw new Error(`Cannot copy "${from.name}": it is the target, too`);
    }
    const client = new StorageClient(context);
    await copyBlob(context, client, { from, to });
    if (isMove === true) await deleteBlob(client, from);
    return { blob: await blobBy(client, to) };
  },
});

function addressOf(value: JsonValue | undefined, fallback?: BlobAddress): BlobAddress {
  const { container, name } = isJsonObject(value) ? value : {};
  return {
    container: optionalText(container) ?? fallback?.container ?? "",
    name: optionalText(name) ?? fallback?.name ?? "",
  };
}
