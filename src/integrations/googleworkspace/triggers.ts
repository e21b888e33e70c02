/** `googleworkspace.drive.FileCreatedTrigger` and `googleworkspace.sheets.SheetModifiedTrigger`. */
import { systemClock, toIso } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { defineTrigger, type TriggerContext } from "../../model/triggers/trigger_definition.ts";
import { GcpClient } from "../gcp/client.ts";
import { pathWithin } from "../remote_files.ts";
import { downloadContent, DRIVE, driveRequest, foundFiles } from "./drive_files.ts";
import { KnownFiles } from "./known_files.ts";
import { cellsOf, SHEETS, sheetsRequest, SPREADSHEET_ID } from "./sheet_values.ts";

/** Files of a page, as the API limits them. */
const MAX_PAGE_SIZE = 1_000;
const FIELDS =
  "id,name,mimeType,createdTime,modifiedTime,owners,parents,size,webViewLink,iconLink,thumbnailLink";

/** Output: `files`. Documents of Google's own formats have no content to download. */
export const driveFileCreatedTrigger = defineTrigger({
  type: "googleworkspace.drive.FileCreatedTrigger",
  title: "Start when files are created in Google Drive",
  description:
    "Looks for files that were created since the poll before, downloads them, and starts one execution for all.",
  properties: {
    ...DRIVE,
    folderId: dynamicText("Id of the folder; default is the whole drive."),
    mimeTypes: dynamicProperty("list", "Content types of the files; default is all.", {
      items: { type: "string", description: "A content type." },
    }),
    ownerEmail: dynamicText("Mail address of the owner of the files."),
    includeSubfolders: dynamicProperty("boolean", "Has no effect.", { ignored: true }),
    maxFilesPerPoll: dynamicProperty("integer", "Most files of a poll; the next one finds further ones.", {
      default: 100,
      minimum: 1,
      maximum: 1000,
    }),
  },
  outputs: {
    files: {
      type: "list",
      description: "The files; `kestraFileUri` is the storage URI of the content.",
      items: { type: "map", description: "A file." },
    },
  },
  async poll(context) {
    const known = KnownFiles.read(context.state.get());
    if (!known) {
      context.state.set(KnownFiles.from(systemClock.now()).toState());
      return undefined;
    }
    const client = new GcpClient(context);
    const files = await createdFiles(context, client, known);
    if (files.length === 0) return undefined;
    const found: JsonObject[] = [];
    for (const [index, file] of files.entries()) {
      found.push({ ...file, kestraFileUri: await contentOf(context, client, { file, index }) });
      await known.add(file);
    }
    context.state.set(known.toState());
    return { files: found };
  },
});

async function createdFiles(
  context: TriggerContext,
  client: GcpClient,
  known: KnownFiles,
): Promise<JsonObject[]> {
  const { folderId, mimeTypes, ownerEmail, maxFilesPerPoll } = context.properties;
  const folder = optionalText(folderId), owner = optionalText(ownerEmail);
  const types = Array.isArray(mimeTypes) ? mimeTypes.map((type) => `mimeType = ${quoted(type)}`) : [];
  const query = [
    "trashed = false",
    `createdTime > ${quoted(toIso(known.after))}`,
    ...folder === undefined ? [] : [`${quoted(folder)} in parents`],
    ...owner === undefined ? [] : [`${quoted(owner)} in owners`],
    ...types.length === 0 ? [] : [`(${types.join(" or ")})`],
  ];
  const maxCount = Number(maxFilesPerPoll);
  const files: JsonObject[] = [];
  const found = foundFiles(client, {
    q: query.join(" and "),
    pageSize: Math.min(maxCount + known.count, MAX_PAGE_SIZE),
    orderBy: "createdTime",
    fields: `nextPageToken, files(${FIELDS})`,
  });
  for await (const file of found) {
    if (!await known.has(file)) files.push(file);
    if (files.length === maxCount) break;
  }
  return files;
}

function quoted(value: JsonValue): string {
  return `'${String(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

async function contentOf(
  context: TriggerContext,
  client: GcpClient,
  { file, index }: { readonly file: JsonObject; readonly index: number },
): Promise<string | null> {
  if (String(file.mimeType).startsWith("application/vnd.google-apps.")) return null;
  const saveTo = pathWithin(`download-${index}`, String(file.name));
  return (await downloadContent(context, client, { id: String(file.id), saveTo })).uri;
}

/** Outputs: `modifications` and `count`. */
export const sheetModifiedTrigger = defineTrigger({
  type: "googleworkspace.sheets.SheetModifiedTrigger",
  title: "Start when a spreadsheet changes",
  description:
    "Looks for revisions of a spreadsheet since the poll before, and starts one execution for all.",
  properties: {
    ...SHEETS,
    spreadsheetId: SPREADSHEET_ID,
    sheetName: dynamicText("Sheet that the details are of."),
    range: dynamicText("Range that the details are of, such as `A1:D10`."),
    includeDetails: dynamicFlag(false, "Whether the size of the sheet or the range is read, too."),
    on: dynamicText("Has no effect: a revision never changes.", { ignored: true }),
    stateKey: dynamicText("Has no effect.", { ignored: true }),
    stateTtl: dynamicText("Has no effect.", { ignored: true }),
  },
  outputs: {
    modifications: {
      type: "list",
      description: "The revisions.",
      items: { type: "map", description: "A revision." },
    },
    count: { type: "integer", description: "Number of revisions." },
  },
  async poll(context) {
    const id = String(context.properties.spreadsheetId);
    const client = new GcpClient(context);
    const revisions = await revisionsOf(client, id);
    const last = optionalText(context.state.get()?.revision);
    const newest = revisions.at(-1)?.id;
    if (newest === undefined || String(newest) === last) return undefined;
    context.state.set({ revision: newest });
    // The first poll only takes note of what is there.
    if (last === undefined) return undefined;
    const at = revisions.findIndex((revision) => String(revision.id) === last);
    const changeDetails = context.properties.includeDetails === true
      ? await detailsOf(context, client)
      : undefined;
    const modifications = revisions.slice(at + 1).map((revision) =>
      modificationOf(context, revision, changeDetails)
    );
    return { modifications, count: modifications.length };
  },
});

async function revisionsOf(client: GcpClient, id: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let pageToken: string | undefined;
  do {
    const request = driveRequest(id, {
      query: {
        fields: "nextPageToken, revisions(id,modifiedTime,lastModifyingUser)",
        pageSize: 1000,
        pageToken,
      },
      operation: `list the revisions of the spreadsheet "${id}"`,
    });
    const page = await client.json({ ...request, path: `${request.path}/revisions` });
    found.push(...objectsOf(page.revisions));
    pageToken = optionalText(page.nextPageToken);
  } while (pageToken !== undefined);
  return found;
}

function modificationOf(
  { properties }: TriggerContext,
  { id = null, modifiedTime = null, lastModifyingUser: user }: JsonObject,
  changeDetails: JsonObject | undefined,
): JsonObject {
  return {
    revisionId: id,
    modifiedTime,
    spreadsheetId: String(properties.spreadsheetId),
    lastModifyingUser: isJsonObject(user) ? user.displayName ?? null : null,
    sheetName: properties.sheetName ?? null,
    ...changeDetails && { changeDetails },
  };
}

async function detailsOf({ properties }: TriggerContext, client: GcpClient): Promise<JsonObject> {
  const id = String(properties.spreadsheetId);
  const sheet = optionalText(properties.sheetName), range = optionalText(properties.range);
  const area = [sheet === undefined ? [] : `'${sheet.replaceAll("'", "''")}'`, range ?? []].flat().join("!");
  if (area === "") throw new Error("Missing sheetName or range: includeDetails needs one of them");
  const response = await client.json(sheetsRequest(id, `/values/${encodeURIComponent(area)}`, {
    operation: `read ${area} of the spreadsheet "${id}"`,
  }));
  const cells = cellsOf(response);
  return {
    affectedRange: response.range ?? area,
    rowCount: cells.length,
    columnCount: Math.max(0, ...cells.map((row) => row.length)),
    hasData: cells.length > 0,
  };
}
