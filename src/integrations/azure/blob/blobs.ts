/** Blobs of a container. */
import type { JsonObject } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskResponse, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { elementsAt, readXml, textAt } from "../../xml.ts";
import { cancelledOnStop, pause } from "../../http_calls.ts";
import { nameTest, pathWithin } from "../../remote_files.ts";
import { isoOf, StorageClient } from "../storage_client.ts";

/** A blob by its names. */
export interface BlobAddress {
  readonly container: string;
  readonly name: string;
}

/** Property: a container. */
export const CONTAINER: PropertySchema = dynamicText("Name of the container.", { required: true });

/** Property: a blob. */
export const NAME: PropertySchema = dynamicText("Name of the blob, with its folders.", { required: true });

/** Properties of the types that list blobs. */
export const LISTING: PropertySchemas = Object.freeze({
  container: CONTAINER,
  prefix: dynamicText("Beginning of the names."),
  delimiter: dynamicText("Character that ends the names of folders; with it only the first level is listed."),
  regexp: dynamicText("Regular expression that the whole name must match."),
  filter: dynamicChoice(
    ["FILES", "DIRECTORY", "BOTH"],
    "FILES",
    "Whether blobs, folders or both are listed.",
  ),
});

/** Output: a blob. */
export const BLOB_OUTPUT: PropertySchemas = Object.freeze({
  blob: {
    type: "map",
    description: "The blob, with `uri`, `container`, `name`, `size`, `eTag` and `lastModified`.",
  },
});

/** Output: blobs. */
export const BLOBS_OUTPUT: PropertySchemas = Object.freeze({
  blobs: {
    type: "list",
    description: "The blobs, with `uri`, `container`, `name`, `size`, `eTag` and `lastModified`.",
    items: { type: "map", description: "A blob." },
  },
});

/** Most blobs that a task lists. */
const MAX_BLOBS = 100_000;

const PAGE_BLOBS = 1_000;

/** The blobs and folders that the properties select, as outputs have them. */
export async function listBlobs(
  client: StorageClient,
  properties: JsonObject,
  { filter, maxCount = MAX_BLOBS }: { readonly filter: string; readonly maxCount?: number },
): Promise<JsonObject[]> {
  const container = String(properties.container);
  const isMatch = nameTest(optionalText(properties.regexp));
  const found: JsonObject[] = [];
  let marker: string | undefined;
  do {
    const { text } = await client.send({
      container,
      query: {
        restype: "container",
        comp: "list",
        prefix: optionalText(properties.prefix),
        delimiter: optionalText(properties.delimiter),
        marker,
        // The 5,000 of the default may exceed the limits of a response.
        maxresults: String(PAGE_BLOBS),
      },
      operation: `list the container "${container}"`,
    });
    const page = await readXml(text);
    const entries = [
      ...filter === "DIRECTORY" ? [] : elementsAt(page, "EnumerationResults", "Blobs", "Blob"),
      ...filter === "FILES" ? [] : elementsAt(page, "EnumerationResults", "Blobs", "BlobPrefix"),
    ];
    found.push(
      ...entries.map((entry) => listedBlob(client, container, entry)).filter(({ name }) =>
        isMatch(String(name))
      ),
    );
    marker = textAt(page, "EnumerationResults", "NextMarker");
  } while (marker !== undefined && found.length < maxCount);
  return found.slice(0, maxCount);
}

function listedBlob(client: StorageClient, container: string, entry: JsonObject): JsonObject {
  const name = textAt(entry, "Name") ?? "";
  return {
    uri: client.urlOf(container, name),
    container,
    name,
    size: Number(textAt(entry, "Properties", "Content-Length") ?? 0),
    eTag: textAt(entry, "Properties", "Etag") ?? null,
    contentType: textAt(entry, "Properties", "Content-Type") ?? null,
    lastModified: isoOf(textAt(entry, "Properties", "Last-Modified")),
  };
}

/** Copies a blob to the storage of the server; `uri` is then its storage URI. */
export async function downloadBlob(
  context: Pick<WorkContext, "storeFile">,
  client: StorageClient,
  { container, name, index }: BlobAddress & { readonly index: number },
): Promise<JsonObject> {
  const { path, size = 0, headers } = await client.send({
    container,
    name,
    saveTo: pathWithin(`download-${index}`, name),
    operation: `download "${name}" of the container "${container}"`,
  });
  return {
    uri: await context.storeFile(String(path)),
    container,
    name,
    size,
    eTag: headers.etag?.replaceAll('"', "") ?? null,
    contentType: headers["content-type"] ?? null,
    lastModified: isoOf(headers["last-modified"]),
  };
}

/** Deletes a blob with its snapshots. */
export async function deleteBlob(client: StorageClient, { container, name }: BlobAddress): Promise<void> {
  await client.send({
    container,
    name,
    method: "DELETE",
    headers: { "x-ms-delete-snapshots": "include" },
    // A repeated request finds nothing.
    accepted: [404],
    operation: `delete "${name}" of the container "${container}"`,
  });
}

/** What the storage says of a blob. @throws Error it does not exist */
export async function blobBy(client: StorageClient, { container, name }: BlobAddress): Promise<JsonObject> {
  const { headers } = await client.send({
    container,
    name,
    method: "HEAD",
    operation: `read "${name}" of the container "${container}"`,
  });
  return {
    uri: client.urlOf(container, name),
    container,
    name,
    size: Number(headers["content-length"] ?? 0),
    eTag: headers.etag?.replaceAll('"', "") ?? null,
    contentType: headers["content-type"] ?? null,
    lastModified: isoOf(headers["last-modified"]),
  };
}

const COPY_PAUSE_MS = 1000;

/** Copies a blob within the account, and waits until it is done; a stop of the work aborts it. @throws Error the copy fails */
export async function copyBlob(
  work: MachineWork,
  client: StorageClient,
  { from, to }: { readonly from: BlobAddress; readonly to: BlobAddress },
): Promise<void> {
  const operation = `copy "${from.name}" of the container "${from.container}"`;
  const { headers } = await client.send({
    ...to,
    method: "PUT",
    headers: { "x-ms-copy-source": client.sourceUrlOf(from.container, from.name) },
    operation,
  });
  const last = headers["x-ms-copy-status"] !== "pending" ? headers : await cancelledOnStop(
    work,
    () => ended(work, client, { to, operation }),
    ({ http, signal }) =>
      new StorageClient({ properties: work.properties, http, signal }).send({
        ...to,
        method: "PUT",
        query: { comp: "copy", copyid: headers["x-ms-copy-id"] },
        headers: { "x-ms-copy-action": "abort" },
        // It has ended before.
        accepted: [409],
        operation: `abort the copy of "${from.name}"`,
      }),
  );
  const status = last["x-ms-copy-status"];
  if (status !== "success") throw new Error(`Cannot ${operation}: the copy ended as ${status}`);
}

async function ended(
  { signal }: MachineWork,
  client: StorageClient,
  { to, operation }: { readonly to: BlobAddress; readonly operation: string },
): Promise<TaskResponse["headers"]> {
  for (;;) {
    await pause(COPY_PAUSE_MS, signal);
    const { headers } = await client.send({ ...to, method: "HEAD", operation });
    if (headers["x-ms-copy-status"] !== "pending") return headers;
  }
}
