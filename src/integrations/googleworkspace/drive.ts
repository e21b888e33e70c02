/** `googleworkspace.drive.Upload`, `Download`, `Export`, `Create`, `Delete` and `List`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { GcpClient } from "../gcp/client.ts";
import { uploadFile } from "../gcp/resumable_upload.ts";
import {
  downloadContent,
  DRIVE,
  driveRequest,
  FIELDS,
  FILE_ID,
  FILE_OUTPUT,
  fileOf,
  foundFiles,
  metadataOf,
  NEW_FILE,
} from "./drive_files.ts";

/** Most files of a list: they are held in memory. */
const MAX_FILES = 10_000;
const SIZE: Readonly<Record<string, MetricDeclaration>> = {
  size: { type: "counter", description: "Bytes of the file." },
};

/** Output: `file`. */
export const driveUpload = defineTask({
  type: "googleworkspace.drive.Upload",
  title: "Upload a file to Google Drive",
  description:
    "Uploads a stored file to Google Drive: a new file, or with `fileId` the content of an existing one.",
  properties: {
    ...DRIVE,
    from: dynamicText("Storage URI of the file.", { required: true }),
    contentType: dynamicText("Content type of the file, such as `text/csv`.", { required: true }),
    fileId: dynamicText("Id of the file whose content is replaced."),
    ...NEW_FILE,
  },
  outputs: FILE_OUTPUT,
  metrics: SIZE,
  examples: [{
    title: "Upload a file to a folder, as a spreadsheet",
    yaml: `id: upload
type: io.svc.plugin.googleworkspace.drive.Upload
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
from: "{{ outputs.report.uri }}"
name: Report
contentType: text/csv
mimeType: application/vnd.google-apps.spreadsheet
parents: [1HuxzpLt1b0111MuKMgy8wAv-m9Myc1E_]`,
  }],
  async run(context) {
    const { from, contentType, fileId } = context.properties;
    const id = optionalText(fileId);
    const body = await context.bodyOf(String(from).trim());
    const request = driveRequest(id, {
      method: id === undefined ? "POST" : "PATCH",
      headers: { "X-Upload-Content-Type": String(contentType) },
      query: { uploadType: "resumable", fields: FIELDS },
      json: metadataOf(context.properties),
      operation: id === undefined ? "upload the file" : `replace the file "${id}"`,
      // A session that is opened twice creates nothing; its file is sent once.
      isRepeatable: true,
    });
    const resource = await uploadFile(new GcpClient(context), {
      ...request,
      path: `/upload${request.path}`,
    }, body);
    context.metric("size", body.size);
    return { file: fileOf(resource, body.size) };
  },
});

/** Outputs: `uri` and `file`. */
export const driveDownload = defineTask({
  type: "googleworkspace.drive.Download",
  title: "Download a file from Google Drive",
  description: "Downloads a file of Google Drive. Documents of Google's own formats need Export.",
  properties: { ...DRIVE, fileId: FILE_ID },
  outputs: { uri: { type: "string", description: "Storage URI of the file." }, ...FILE_OUTPUT },
  metrics: SIZE,
  examples: [{
    title: "Download a file",
    yaml: `id: download
type: io.svc.plugin.googleworkspace.drive.Download
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
fileId: 1Dkd3W0OQo-wxz1rrORLP7YGSj6EBLEg74fiTdbJUIQE`,
  }],
  async run(context) {
    const id = String(context.properties.fileId);
    const client = new GcpClient(context);
    const file = await fileBy(client, id);
    const { uri, size } = await downloadContent(context, client, { id, saveTo: "download" });
    context.metric("size", size);
    return { uri, file: fileOf(file, size) };
  },
});

async function fileBy(client: GcpClient, id: string): Promise<JsonObject> {
  return await client.json(
    driveRequest(id, { query: { fields: FIELDS }, operation: `read the file "${id}"` }),
  );
}

/** Outputs: `uri` and `file`. */
export const driveExport = defineTask({
  type: "googleworkspace.drive.Export",
  title: "Export a document from Google Drive",
  description:
    "Converts a document of Google's own formats, at most 10 MB as the API allows, and downloads it.",
  properties: {
    ...DRIVE,
    fileId: FILE_ID,
    contentType: dynamicText("Content type of the result, such as `text/csv`.", { required: true }),
  },
  outputs: { uri: { type: "string", description: "Storage URI of the result." }, ...FILE_OUTPUT },
  metrics: SIZE,
  examples: [{
    title: "Export a document as PDF",
    yaml: `id: export
type: io.svc.plugin.googleworkspace.drive.Export
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
fileId: 1Dkd3W0OQo-wxz1rrORLP7YGSj6EBLEg74fiTdbJUIQE
contentType: application/pdf`,
  }],
  async run(context) {
    const { fileId, contentType } = context.properties;
    const id = String(fileId);
    const client = new GcpClient(context);
    const file = await fileBy(client, id);
    const { uri, size } = await downloadContent(context, client, {
      id,
      saveTo: "export",
      exportType: String(contentType),
    });
    context.metric("size", size);
    return { uri, file: fileOf(file, size) };
  },
});

/** Output: `file`. */
export const driveCreate = defineTask({
  type: "googleworkspace.drive.Create",
  title: "Create a folder or an empty file in Google Drive",
  description: "Creates a folder or a file without content in Google Drive.",
  properties: { ...DRIVE, ...NEW_FILE },
  outputs: FILE_OUTPUT,
  examples: [{
    title: "Create a folder",
    yaml: `id: folder
type: io.svc.plugin.googleworkspace.drive.Create
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
name: Reports
mimeType: application/vnd.google-apps.folder`,
  }],
  async run(context) {
    const resource = await new GcpClient(context).json(driveRequest(undefined, {
      method: "POST",
      query: { fields: FIELDS },
      json: metadataOf(context.properties),
      operation: "create the file",
    }));
    return { file: fileOf(resource) };
  },
});

/** Output: `fileId`. */
export const driveDelete = defineTask({
  type: "googleworkspace.drive.Delete",
  title: "Delete a file of Google Drive",
  description: "Deletes a file of Google Drive for ever, not into the trash.",
  properties: { ...DRIVE, fileId: FILE_ID },
  outputs: { fileId: { type: "string", description: "Id of the file." } },
  async run(context) {
    const fileId = String(context.properties.fileId);
    await new GcpClient(context).send(driveRequest(fileId, {
      method: "DELETE",
      operation: `delete the file "${fileId}"`,
    }));
    return { fileId };
  },
});

/** Output: `files`. */
export const driveList = defineTask({
  type: "googleworkspace.drive.List",
  title: "List files of Google Drive",
  description: "Lists the files of Google Drive that a query finds, at most 10,000.",
  properties: {
    ...DRIVE,
    query: dynamicText("Query in the language of the API; all files without one."),
    corpora: dynamicProperty(
      "list",
      "Where files are looked for: `user`, `domain`, `drive` or `allDrives`.",
      {
        items: { type: "string", description: "A place." },
      },
    ),
  },
  outputs: {
    files: { type: "list", description: "The files.", items: { type: "map", description: "A file." } },
  },
  metrics: { size: { type: "counter", description: "Number of files." } },
  examples: [{
    title: "List the files of a folder",
    yaml: `id: list
type: io.svc.plugin.googleworkspace.drive.List
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
query: "'1HuxzpLt1b0111MuKMgy8wAv-m9Myc1E_' in parents"`,
  }],
  async run(context) {
    const { query, corpora } = context.properties;
    const files: JsonObject[] = [];
    const found = foundFiles(new GcpClient(context), {
      q: query,
      corpora: Array.isArray(corpora) ? corpora.map(String).join(",") : undefined,
      fields: `nextPageToken, files(${FIELDS})`,
    });
    for await (const file of found) {
      if (files.push(fileOf(file)) > MAX_FILES) {
        throw new Error(`Cannot list the files: there are more than ${MAX_FILES}; give a narrower query`);
      }
    }
    context.metric("size", files.length);
    return { files };
  },
});
