/** Objects of Google Cloud Storage: their addresses, their properties and the requests that several types send. */
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { nameTest, pathWithin } from "../../remote_files.ts";
import type { GcpClient } from "../client.ts";

/** The address of an object, or of all whose names begin with a text. */
export interface ObjectAddress {
  readonly bucket: string;
  /** Without a slash at the beginning. */
  readonly name: string;
}

/** Most objects that one task lists. */
const MAX_OBJECTS = 100_000;

/** Reads `gs://bucket/name`. @throws Error another text */
export function addressOf(text: string, property: string): ObjectAddress {
  const [, bucket, name = ""] = /^gs:\/\/([^/]+)(?:\/(.*))?$/s.exec(text.trim()) ?? [];
  if (bucket !== undefined) return { bucket, name };
  throw new Error(`Invalid ${property}: it must be an address such as gs://bucket/folder/file`);
}

/** As {@link addressOf}, for one object. @throws Error the name is missing */
export function objectAddressOf(text: string, property: string): ObjectAddress {
  const address = addressOf(text, property);
  if (address.name !== "") return address;
  throw new Error(`Invalid ${property}: "${text}" names a bucket, and no object`);
}

/** `gs://bucket/name`. */
export function uriOf({ bucket, name }: ObjectAddress): string {
  return `gs://${bucket}/${name}`;
}

/** Path of an object in the API. */
export function objectPath({ bucket, name }: ObjectAddress): string {
  return `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}`;
}

/** Properties of the types that list objects. */
export const LISTING: PropertySchemas = Object.freeze({
  from: dynamicText("Address of the folder, such as `gs://bucket/folder/`.", { required: true }),
  listingType: dynamicChoice(
    ["DIRECTORY", "RECURSIVE"],
    "DIRECTORY",
    "Whether only the folder is listed, or what is below it, too.",
  ),
  regExp: dynamicText("Regular expression that the whole name or address of an object must match."),
  allVersions: dynamicFlag(false, "Whether older versions of objects are listed, too."),
});

/** Output: objects. */
export const BLOBS: PropertySchemas = Object.freeze({
  blobs: {
    type: "list",
    description: "The objects, with `uri`, `bucket`, `name`, `size`, `contentType` and further properties.",
    items: { type: "map", description: "An object." },
  },
});

/** What is listed. */
export interface ListingOptions {
  /** Which entries: objects, folders or both. */
  readonly filter: "FILES" | "DIRECTORY" | "BOTH";
  readonly maxCount?: number;
}

/** The objects and folders that the properties of {@link LISTING} select, as outputs have them. */
export async function listBlobs(
  client: GcpClient,
  properties: JsonObject,
  { filter, maxCount = MAX_OBJECTS }: ListingOptions,
): Promise<JsonObject[]> {
  const from = addressOf(String(properties.from), "from");
  const isMatch = nameTest(optionalText(properties.regExp));
  const found: JsonObject[] = [];
  let pageToken: string | undefined;
  do {
    const page = await client.json({
      api: "storage",
      path: `/storage/v1/b/${encodeURIComponent(from.bucket)}/o`,
      query: {
        prefix: from.name,
        delimiter: properties.listingType === "RECURSIVE" ? undefined : "/",
        versions: properties.allVersions === true ? true : undefined,
        pageToken,
      },
      operation: `list "${uriOf(from)}"`,
    });
    for (const blob of [...foldersOf(page, from.bucket), ...objectsOf(page.items).map(blobOf)]) {
      if (isSelected(blob, { filter, isMatch, folder: from.name })) found.push(blob);
    }
    pageToken = optionalText(page.nextPageToken);
  } while (pageToken !== undefined && found.length < maxCount);
  return found.slice(0, maxCount);
}

interface Selection {
  readonly filter: ListingOptions["filter"];
  readonly isMatch: (name: string) => boolean;
  /** Name of the folder that is listed: some programs keep an empty object of that name. */
  readonly folder: string;
}

function isSelected(blob: JsonObject, { filter, isMatch, folder }: Selection): boolean {
  const isFolder = blob.isDirectory === true;
  if (blob.name === folder && folder.endsWith("/")) return false;
  if (filter === "FILES" && isFolder || filter === "DIRECTORY" && !isFolder) return false;
  return isMatch(String(blob.name)) || isMatch(String(blob.uri));
}

function foldersOf(page: JsonObject, bucket: string): JsonObject[] {
  const names = Array.isArray(page.prefixes) ? page.prefixes.map(String) : [];
  return names.map((name) => ({ uri: uriOf({ bucket, name }), bucket, name, size: 0, isDirectory: true }));
}

/** An object as outputs have it. */
function blobOf(resource: JsonObject): JsonObject {
  const address = { bucket: String(resource.bucket), name: String(resource.name) };
  const named: JsonObject = {
    uri: uriOf(address),
    ...address,
    size: Number(resource.size ?? 0),
    isDirectory: address.name.endsWith("/"),
    contentType: resource.contentType,
    contentEncoding: resource.contentEncoding,
    contentDisposition: resource.contentDisposition,
    contentLanguage: resource.contentLanguage,
    cacheControl: resource.cacheControl,
    createTime: resource.timeCreated,
    updateTime: resource.updated,
    deleteTime: resource.timeDeleted,
    md5: resource.md5Hash,
    crc32c: resource.crc32c,
    etag: resource.etag,
    generatedId: resource.id,
    generation: resource.generation,
    metaGeneration: resource.metageneration,
    mediaLink: resource.mediaLink,
    selfLink: resource.selfLink,
    storageClass: resource.storageClass,
    metadata: isJsonObject(resource.metadata) ? resource.metadata : undefined,
  } as JsonObject;
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** A downloaded object. */
interface Downloaded {
  readonly uri: string;
  /** Bytes. */
  readonly size: number;
}

/** Copies an object to the storage of the server. */
export async function downloadObject(
  context: Pick<WorkContext, "storeFile">,
  client: GcpClient,
  { address, index }: { readonly address: ObjectAddress; readonly index: number },
): Promise<Downloaded> {
  const { path, size = 0 } = await client.send({
    api: "storage",
    path: objectPath(address),
    query: { alt: "media" },
    saveTo: pathWithin(`download-${index}`, address.name),
    operation: `download "${uriOf(address)}"`,
  });
  return { uri: await context.storeFile(String(path)), size };
}

/** Copies an object within Google Cloud Storage, in as many requests as its size needs. */
export async function copyObject(
  client: GcpClient,
  from: ObjectAddress,
  to: ObjectAddress,
): Promise<JsonObject> {
  let rewriteToken: string | undefined;
  for (;;) {
    const body = await client.json({
      api: "storage",
      path: `${objectPath(from)}/rewriteTo/b/${encodeURIComponent(to.bucket)}/o/${
        encodeURIComponent(to.name)
      }`,
      method: "POST",
      query: { rewriteToken },
      isRepeatable: true,
      operation: `copy "${uriOf(from)}" to "${uriOf(to)}"`,
    });
    rewriteToken = optionalText(body.rewriteToken);
    if (body.done !== false || rewriteToken === undefined) {
      return isJsonObject(body.resource) ? body.resource : {};
    }
  }
}

/** Deletes an object; false if it does not exist. */
export async function deleteObject(client: GcpClient, address: ObjectAddress): Promise<boolean> {
  const { status } = await client.send({
    api: "storage",
    path: objectPath(address),
    method: "DELETE",
    accepted: [404],
    operation: `delete "${uriOf(address)}"`,
  });
  return status !== 404;
}
