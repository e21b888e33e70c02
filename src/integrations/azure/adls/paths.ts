/** Files and folders of Azure Data Lake Storage. https://learn.microsoft.com/en-us/rest/api/storageservices/datalakestoragegen2/path */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../../model/flows/schema.ts";
import type { FileBody, WorkContext } from "../../../model/tasks/task_definition.ts";
import { parsedUrl } from "../../http_calls.ts";
import { pathWithin } from "../../remote_files.ts";
import { CONNECTION, isoOf, type StorageClient } from "../storage_client.ts";

/** Properties of all types. */
export const FILE_SYSTEM: PropertySchemas = Object.freeze({
  ...CONNECTION,
  fileSystem: dynamicText("Name of the file system, which is the container.", { required: true }),
});

/** Property: a file. */
export const FILE_PATH: PropertySchema = dynamicText("Path of the file in the file system.", {
  required: true,
});

/** Property: a folder. */
export const FOLDER: PropertySchema = dynamicText("Path of the folder in the file system.", {
  required: true,
});

const FILE_FACTS =
  "`uri`, `fileSystem`, `name`, `fileName`, `size`, `contentType`, `lastModified`, `eTag` and `isDirectory`";

/** Output: a file. */
export const FILE_OUTPUT: PropertySchemas = Object.freeze({
  file: { type: "map", description: `The file, with ${FILE_FACTS}.` },
});

/** Output: files. */
export const FILES_OUTPUT: PropertySchemas = Object.freeze({
  files: {
    type: "list",
    description: `The files, with ${FILE_FACTS}.`,
    items: { type: "map", description: "A file." },
  },
});

/** A path in a file system. */
export interface PathAddress {
  readonly fileSystem: string;
  readonly path: string;
}

/** The address that properties give. */
export function addressOf({ fileSystem }: JsonObject, path: JsonValue | undefined): PathAddress {
  return { fileSystem: String(fileSystem), path: String(path).replace(/^\/+|(?<!\/)\/+$/g, "") };
}

/** What a request about a path does, for errors. */
export function operationOf(verb: string, { fileSystem, path }: PathAddress): string {
  return `${verb} "${path}" of the file system "${fileSystem}"`;
}

/** The files and folders of a folder, without those of deeper ones. */
export async function* listPaths(
  client: StorageClient,
  { fileSystem, path }: PathAddress,
): AsyncGenerator<JsonObject> {
  let continuation: string | undefined;
  do {
    const { text, headers } = await client.send({
      container: fileSystem,
      query: {
        resource: "filesystem",
        recursive: "false",
        directory: path === "" ? undefined : path,
        continuation,
      },
      operation: operationOf("list", { fileSystem, path }),
    });
    const page = await tryParseLongJson(text);
    for (const entry of isJsonObject(page) ? objectsOf(page.paths) : []) {
      yield fileOf(client, { fileSystem, path: String(entry.name) }, {
        size: Number(entry.contentLength ?? 0),
        eTag: entry.etag ?? null,
        lastModified: isoOf(String(entry.lastModified ?? "")),
        isDirectory: entry.isDirectory === "true",
      });
    }
    continuation = headers["x-ms-continuation"] || undefined;
  } while (continuation !== undefined);
}

function fileOf(client: StorageClient, { fileSystem, path }: PathAddress, facts: JsonObject): JsonObject {
  return {
    uri: client.urlOf(fileSystem, path),
    fileSystem,
    name: path,
    fileName: path.slice(path.lastIndexOf("/") + 1),
    ...facts,
  };
}

function factsOf(headers: Readonly<Record<string, string>>): JsonObject {
  return {
    size: Number(headers["content-length"] ?? 0),
    contentType: headers["content-type"] ?? null,
    lastModified: isoOf(headers["last-modified"]),
    eTag: headers.etag?.replaceAll('"', "") ?? null,
    isDirectory: headers["x-ms-resource-type"] === "directory",
  };
}

/** What the storage says of a path. @throws Error it does not exist */
export async function pathBy(client: StorageClient, address: PathAddress): Promise<JsonObject> {
  const { headers } = await client.send({
    container: address.fileSystem,
    name: address.path,
    method: "HEAD",
    operation: operationOf("read", address),
  });
  return fileOf(client, address, factsOf(headers));
}

/** Copies a file to the storage of the server; `uri` is then its storage URI. */
export async function readFile(
  context: Pick<WorkContext, "storeFile">,
  client: StorageClient,
  { index, ...address }: PathAddress & { readonly index: number },
): Promise<JsonObject> {
  const { path, size = 0, headers } = await client.send({
    container: address.fileSystem,
    name: address.path,
    saveTo: pathWithin(`read-${index}`, address.path),
    operation: operationOf("read", address),
  });
  const facts = { ...factsOf(headers), size };
  return { ...fileOf(client, address, facts), uri: await context.storeFile(String(path)) };
}

/** Writes a file, in place of one that is there. */
export async function writeFile(
  client: StorageClient,
  address: PathAddress,
  body: FileBody,
): Promise<void> {
  const { size } = body;
  const request = {
    container: address.fileSystem,
    name: address.path,
    operation: operationOf("write", address),
  };
  await client.send({ ...request, method: "PUT", query: { resource: "file" } });
  if (size > 0) {
    await client.send({ ...request, method: "PATCH", query: { action: "append", position: "0" }, body });
  }
  await client.send({
    ...request,
    method: "PATCH",
    query: { action: "flush", position: String(size), close: "true" },
  });
}

/** Deletes a file; one that does not exist is no failure. */
export async function deletePath(client: StorageClient, address: PathAddress): Promise<void> {
  await client.send({
    container: address.fileSystem,
    name: address.path,
    method: "DELETE",
    // A repeated request finds nothing.
    accepted: [404],
    operation: operationOf("delete", address),
  });
}

/** Moves a file within the account; its folder is created. */
export async function movePath(client: StorageClient, from: PathAddress, to: PathAddress): Promise<void> {
  const source = parsedUrl(client.sourceUrlOf(from.fileSystem, from.path));
  await client.send({
    container: to.fileSystem,
    name: to.path,
    method: "PUT",
    headers: { "x-ms-rename-source": source.pathname + source.search },
    // A second request would not find the file.
    isRepeatable: false,
    operation: operationOf("move", from),
  });
}
