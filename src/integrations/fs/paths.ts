/** How properties select files of a server. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { RemoteFile, RemoteFiles } from "./remote_files.ts";

/** Which files of a folder are meant. */
export const SELECTION_PROPERTIES: PropertySchemas = Object.freeze({
  from: dynamicText("Path of a folder or a file on the server.", { required: true }),
  regExp: dynamicText("Regular expression that the whole path of a file must match."),
  recursive: dynamicFlag(false, "Also files of folders below."),
});

const SORT = /^(NONE|PATH|NAME|SIZE|UPDATED_DATE|LAST_MODIFIED|DATE)(?:[_ :](ASC|DESC))?$/;

/** The order of the files; `maxFiles` takes the first ones. */
export const SORT_PROPERTIES: PropertySchemas = Object.freeze({
  sort: dynamicText(
    "Order of the files: `PATH` (also `NONE`), `NAME`, `SIZE` or `UPDATED_DATE` (also `LAST_MODIFIED`, `DATE`), with `_DESC` from the last to the first. Files that are equal in it have the order of their paths.",
    { default: "PATH", pattern: SORT.source.slice(1, -1) },
  ),
});

/** The files, which have the order of their paths, in the order of `sort`. @throws Error it names no order, or the server tells no dates */
export async function sortedFiles(
  files: readonly RemoteFile[],
  { sort }: JsonObject,
  server: Pick<RemoteFiles, "dateOf">,
): Promise<RemoteFile[]> {
  const text = optionalText(sort) ?? "PATH";
  const [, field, direction] = SORT.exec(text) ?? [];
  if (field === undefined) {
    throw new Error(`Invalid sort: "${text}" must be PATH, NAME, SIZE or UPDATED_DATE, perhaps with _DESC`);
  }
  const keyed: { readonly file: RemoteFile; readonly key: string | number }[] = [];
  for (const file of files) keyed.push({ file, key: await keyOf(file, field, server) });
  const sign = direction === "DESC" ? -1 : 1;
  keyed.sort((a, b) => a.key === b.key ? 0 : a.key < b.key ? -sign : sign);
  return keyed.map(({ file }) => file);
}

async function keyOf(
  { path, name, size, updatedAt }: RemoteFile,
  field: string,
  server: Pick<RemoteFiles, "dateOf">,
): Promise<string | number> {
  if (field === "PATH" || field === "NONE") return path;
  if (field === "NAME") return name;
  return field === "SIZE" ? size : updatedAt ?? await server.dateOf(path);
}

/** The path of a property, also from a URI such as `sftp://host/path` or `file:///path`. @throws Error it has a line break */
export function serverPath(value: JsonValue | undefined): string {
  const text = optionalText(value) ?? "";
  const [, encoded] = /^(?:s?ftps?|file):\/\/[^/]*(\/.*)?$/s.exec(text) ?? [];
  const path = encoded === undefined ? text : decodeURIComponent(encoded);
  // A line break would begin another command of FTP.
  if (/[\r\n\0]/.test(path)) throw new Error(`Invalid path ${JSON.stringify(text)}`);
  return path;
}

/** The test of `regExp`. @throws Error invalid expression */
export function pathTest({ regExp }: JsonObject): (path: string) => boolean {
  const pattern = optionalText(regExp);
  return pattern === undefined ? () => true : compileGlobs([`regex:${pattern}`]);
}

/** A file as outputs show it; `path` is the one on the server unless another one is given. */
export function fileOutput({ path, name, size, updatedAt }: RemoteFile, storedAt = path): JsonObject {
  return {
    name,
    path: storedAt,
    serverPath: path,
    size,
    fileType: "FILE",
    ...updatedAt !== undefined && { updatedDate: updatedAt },
  };
}
