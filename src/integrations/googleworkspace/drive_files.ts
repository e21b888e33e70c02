/** Files of Google Drive. https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
import type { JsonObject } from "../../base/json.ts";
import {
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { GcpClient, GcpRequest } from "../gcp/client.ts";
import { connectionProperties } from "./connection.ts";

/** Properties of all types of Google Drive. */
export const DRIVE: PropertySchemas = connectionProperties(["drive"]);

/** Property: a file. */
export const FILE_ID: PropertySchema = dynamicText("Id of the file.", { required: true });

/** Properties that describe a new file. */
export const NEW_FILE: PropertySchemas = Object.freeze({
  name: dynamicText("Name of the file."),
  parents: dynamicProperty("list", "Ids of the folders of the file; default is the root of the drive.", {
    items: { type: "string", description: "Id of a folder." },
  }),
  mimeType: dynamicText(
    "Content type of the file in the drive; one of Google's own types converts the content.",
  ),
  teamDriveId: dynamicText("Id of the shared drive."),
});

/** Members of a file that requests ask for. */
export const FIELDS = "id, name, size, version, createdTime, parents, trashed, mimeType";

/** Output: a file. */
export const FILE_OUTPUT: PropertySchemas = Object.freeze({
  file: {
    type: "map",
    description:
      "The file, with `id`, `name`, `size`, `version`, `mimeType`, `createdTime`, `parents` and `trashed`.",
  },
});

/** A request about a file, or about all of them. */
export function driveRequest(
  id: string | undefined,
  request: Omit<GcpRequest, "api" | "path">,
): GcpRequest {
  return {
    ...request,
    api: "www",
    path: `/drive/v3/files${id === undefined ? "" : `/${encodeURIComponent(id)}`}`,
    query: { supportsAllDrives: "true", ...request.query },
  };
}

/** A file as outputs have it: numbers are texts in the API. */
export function fileOf(resource: JsonObject, size = resource.size): JsonObject {
  const { version } = resource;
  return {
    ...resource,
    ...size === undefined ? {} : { size: Number(size) },
    ...version === undefined ? {} : { version: Number(version) },
  };
}

/** What a new file is made of. */
export function metadataOf({ name, parents, mimeType, teamDriveId }: JsonObject): JsonObject {
  const given = Object.entries({ name, parents, mimeType, teamDriveId });
  return Object.fromEntries(
    given.filter((entry): entry is [string, NonNullable<JsonObject[string]>] => entry[1] !== undefined),
  );
}

/** Copies the content of a file to the storage of the server; an `exportType` converts it. */
export async function downloadContent(
  context: { storeFile(path: string): Promise<string> },
  client: GcpClient,
  { id, saveTo, exportType }: { readonly id: string; readonly saveTo: string; readonly exportType?: string },
): Promise<{ readonly uri: string; readonly size: number }> {
  const operation = `${exportType === undefined ? "download" : "export"} the file "${id}"`;
  const request = driveRequest(id, { saveTo, operation, query: { alt: "media" } });
  const { path, size = 0 } = await client.send(
    exportType === undefined
      ? request
      : { ...request, path: `${request.path}/export`, query: { mimeType: exportType } },
  );
  return { uri: await context.storeFile(String(path)), size };
}

/** The files that a query finds. */
export async function* foundFiles(client: GcpClient, query: GcpRequest["query"]): AsyncGenerator<JsonObject> {
  let pageToken: string | undefined;
  do {
    const page = await client.json(driveRequest(undefined, {
      query: { includeItemsFromAllDrives: "true", pageSize: 1000, ...query, pageToken },
      operation: "list the files",
    }));
    if (Array.isArray(page.files)) yield* page.files as JsonObject[];
    pageToken = optionalText(page.nextPageToken);
  } while (pageToken !== undefined);
}
